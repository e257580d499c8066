package googlebusiness

import (
	"fmt"

	"crier/connectors/simulators/simulation"
)

// show tells how Google shows a post.
func (s *simulator) show(p simulation.Post) simulation.View {
	input := inputOf(p)
	view := simulation.View{By: titleOf(p.Account), Text: p.Text}
	switch input.TopicType {
	case "EVENT":
		view.Kind = "event"
	case "OFFER":
		view.Kind = "offer"
	}
	if e := input.Event; e != nil {
		view.Title = e.Title
		if from, to := e.Schedule.StartDate, e.Schedule.EndDate; from != nil && to != nil {
			view.Labels = append(view.Labels, fmt.Sprintf("%d-%02d-%02d to %d-%02d-%02d", from.Year, from.Month, from.Day, to.Year, to.Month, to.Day))
		}
	}
	if o := input.Offer; o != nil {
		if o.CouponCode != "" {
			view.Labels = append(view.Labels, "code "+o.CouponCode)
		}
		if o.RedeemOnlineURL != "" {
			view.Link = &simulation.Link{URL: o.RedeemOnlineURL, Title: "Redeem", Description: o.TermsConditions}
		}
	}
	if c := input.CallToAction; c != nil && c.URL == "" {
		view.Labels = append(view.Labels, "button "+c.ActionType)
	} else if c != nil {
		view.Link = &simulation.Link{URL: c.URL, Title: c.ActionType}
	}
	if state := s.stateOf(p); state != "LIVE" {
		view.Labels = append(view.Labels, state)
	}
	return view
}
