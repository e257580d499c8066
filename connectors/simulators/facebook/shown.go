package facebook

import "crier/connectors/simulators/simulation"

// show tells how Facebook shows what a page published.
func (s *simulator) show(p simulation.Post) simulation.View {
	f := fieldsOf(p)
	view := simulation.View{By: "Page " + p.Account, Title: f.Title, Text: p.Text}
	switch f.Kind {
	case aReel, aStory:
		view.Kind = f.Kind
	case aPost:
		view.NativeID = nodeOf(p)
	}
	if f.Link != "" {
		view.Link = &simulation.Link{URL: f.Link}
	}
	if f.Place != "" {
		view.Labels = append(view.Labels, "place "+f.Place)
	}
	return view
}
