package twitter

import (
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// show tells how X shows a post.
func (s *simulator) show(p simulation.Post) simulation.View {
	f := fieldsOf(p)
	view := simulation.View{By: "@user" + p.Account, Text: p.Text, Quotes: f.Quotes}
	if f.Poll != nil {
		view.Poll = &simulation.Poll{Options: f.Poll.Options, EndsAt: f.Poll.EndsAt}
	}
	if f.Exclusive {
		view.Visibility = "subscribers"
	}
	for label, applies := range map[string]bool{
		"replies: " + f.ReplySettings: f.ReplySettings != "", "community " + f.Community: f.Community != "",
		"tagged: " + strings.Join(f.Tagged, ", "): len(f.Tagged) > 0,
		"made with AI": f.MadeWithAI, "paid partnership": f.PaidPartnership,
	} {
		if applies {
			view.Labels = append(view.Labels, label)
		}
	}
	slices.Sort(view.Labels)
	return view
}
