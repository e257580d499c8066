package googlebusiness

import (
	"fmt"

	"crier/connectors/simulators/simulation"
)

// show tells how Google shows a post.
func (s *simulator) show(p simulation.Post) simulation.Shown {
	asked := keptOf(p)
	shown := simulation.Shown{By: titleOf(p.Account), Text: p.Text}
	switch asked.TopicType {
	case "EVENT":
		shown.Kind = "event"
	case "OFFER":
		shown.Kind = "offer"
	}
	if e := asked.Event; e != nil {
		shown.Title = e.Title
		if from, to := e.Schedule.StartDate, e.Schedule.EndDate; from != nil && to != nil {
			shown.Labels = append(shown.Labels, fmt.Sprintf("%d-%02d-%02d to %d-%02d-%02d", from.Year, from.Month, from.Day, to.Year, to.Month, to.Day))
		}
	}
	if o := asked.Offer; o != nil {
		if o.CouponCode != "" {
			shown.Labels = append(shown.Labels, "code "+o.CouponCode)
		}
		if o.RedeemOnlineURL != "" {
			shown.Link = &simulation.Link{URL: o.RedeemOnlineURL, Title: "Redeem", Description: o.TermsConditions}
		}
	}
	if c := asked.CallToAction; c != nil && c.URL == "" {
		shown.Labels = append(shown.Labels, "button "+c.ActionType)
	} else if c != nil {
		shown.Link = &simulation.Link{URL: c.URL, Title: c.ActionType}
	}
	if state := s.stateOf(p); state != "LIVE" {
		shown.Labels = append(shown.Labels, state)
	}
	return shown
}
