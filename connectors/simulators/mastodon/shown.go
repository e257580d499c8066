package mastodon

import "crier/connectors/simulators/simulation"

// show tells how Mastodon shows a status.
func (s *simulator) show(p simulation.Post) simulation.View {
	f := fieldsOf(p)
	view := simulation.View{By: "@user" + p.Account, Spoiler: f.SpoilerText, Sensitive: f.Sensitive, Text: p.Text}
	if f.Visibility != defaultVisibility {
		view.Visibility = f.Visibility
	}
	if f.Poll != nil {
		view.Poll = &simulation.Poll{Options: f.Poll.Options, Multiple: f.Poll.Multiple, EndsAt: f.Poll.ExpiresAt}
	}
	return view
}
