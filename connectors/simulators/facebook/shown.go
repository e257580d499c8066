package facebook

import "crier/connectors/simulators/simulation"

// show tells how Facebook shows what a page published.
func (s *simulator) show(p simulation.Post) simulation.Shown {
	f := fieldsOf(p)
	shown := simulation.Shown{By: "Page " + p.Account, Title: f.Title, Text: p.Text}
	switch f.Kind {
	case aReel, aStory:
		shown.Kind = f.Kind
	case aPost:
		shown.NativeID = nodeOf(p)
	}
	if f.Link != "" {
		shown.Link = &simulation.Link{URL: f.Link}
	}
	if f.Place != "" {
		shown.Labels = append(shown.Labels, "place "+f.Place)
	}
	return shown
}
