package mastodon

import "crier/connectors/simulators/simulation"

// show tells how Mastodon shows a status.
func (s *simulator) show(p simulation.Post) simulation.Shown {
	f := fieldsOf(p)
	shown := simulation.Shown{By: "@user" + p.Account, Spoiler: f.SpoilerText, Sensitive: f.Sensitive, Text: p.Text}
	if f.Visibility != defaultVisibility {
		shown.Visibility = f.Visibility
	}
	if f.Poll != nil {
		shown.Poll = &simulation.Poll{Options: f.Poll.Options, Multiple: f.Poll.Multiple, EndsAt: f.Poll.ExpiresAt}
	}
	return shown
}
