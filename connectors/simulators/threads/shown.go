package threads

import "crier/connectors/simulators/simulation"

// viewOf tells how Threads shows a post.
func (s *simulator) viewOf(p simulation.Post) simulation.View {
	input := requestOf(p.Fields)
	view := simulation.View{By: "@user" + p.Account, Text: p.Text, Quotes: input.Quotes}
	if input.Link != "" {
		view.Link = &simulation.Link{URL: input.Link}
	}
	if input.Poll != nil {
		view.Poll = &simulation.Poll{}
		for _, name := range []string{"option_a", "option_b", "option_c", "option_d"} {
			if option := input.Poll[name]; option != "" {
				view.Poll.Options = append(view.Poll.Options, option)
			}
		}
	}
	if input.Topic != "" {
		view.Labels = append(view.Labels, "topic "+input.Topic)
	}
	if input.ReplyControl != "" && input.ReplyControl != "everyone" {
		view.Labels = append(view.Labels, "replies: "+input.ReplyControl)
	}
	return view
}
