package threads

import "crier/connectors/simulators/simulation"

// shown tells how Threads shows a post.
func (s *simulator) shown(p simulation.Post) simulation.Shown {
	asked := requestOf(p.Fields)
	shown := simulation.Shown{By: "@user" + p.Account, Text: p.Text, Quotes: asked.Quotes}
	if asked.Link != "" {
		shown.Link = &simulation.Link{URL: asked.Link}
	}
	if asked.Poll != nil {
		shown.Poll = &simulation.Poll{}
		for _, name := range []string{"option_a", "option_b", "option_c", "option_d"} {
			if option := asked.Poll[name]; option != "" {
				shown.Poll.Options = append(shown.Poll.Options, option)
			}
		}
	}
	if asked.Topic != "" {
		shown.Labels = append(shown.Labels, "topic "+asked.Topic)
	}
	if asked.ReplyControl != "" && asked.ReplyControl != "everyone" {
		shown.Labels = append(shown.Labels, "replies: "+asked.ReplyControl)
	}
	return shown
}
