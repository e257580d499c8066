package linkedin

import (
	"encoding/json"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// durations are how long polls last.
var durations = map[string]time.Duration{
	"ONE_DAY": 24 * time.Hour, "THREE_DAYS": 3 * 24 * time.Hour, "SEVEN_DAYS": 7 * 24 * time.Hour, "FOURTEEN_DAYS": 14 * 24 * time.Hour,
}

// show tells how LinkedIn shows a post or a comment.
func (s *simulator) show(p simulation.Post) simulation.View {
	view := simulation.View{By: strings.TrimPrefix(p.Account, "urn:li:"), Text: p.Text}
	var input post
	if p.ReplyTo != "" || json.Unmarshal(p.Fields, &input) != nil {
		return view
	}
	view.NativeID = shareURN + p.ID
	if input.Visibility != "PUBLIC" {
		view.Visibility = input.Visibility
	}
	if input.LifecycleState == "DRAFT" {
		view.Kind = "draft"
	}
	if input.NoReshares {
		view.Labels = append(view.Labels, "no reposts")
	}
	switch c := input.Content; {
	case c == nil:
	case c.Media != nil:
		view.Title = c.Media.Title
	case c.Article != nil:
		view.Link = &simulation.Link{URL: c.Article.Source, Title: c.Article.Title, Description: c.Article.Description}
	case c.Poll != nil:
		view.Poll = &simulation.Poll{Question: c.Poll.Question, EndsAt: p.CreatedAt.Add(durations[c.Poll.Settings.Duration])}
		for _, option := range c.Poll.Options {
			view.Poll.Options = append(view.Poll.Options, option.Text)
		}
	}
	return view
}
