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
func (s *simulator) show(p simulation.Post) simulation.Shown {
	shown := simulation.Shown{By: strings.TrimPrefix(p.Account, "urn:li:"), Text: p.Text}
	var asked post
	if p.ReplyTo != "" || json.Unmarshal(p.Fields, &asked) != nil {
		return shown
	}
	shown.NativeID = shareURN + p.ID
	if asked.Visibility != "PUBLIC" {
		shown.Visibility = asked.Visibility
	}
	if asked.LifecycleState == "DRAFT" {
		shown.Kind = "draft"
	}
	if asked.NoReshares {
		shown.Labels = append(shown.Labels, "no reposts")
	}
	switch c := asked.Content; {
	case c == nil:
	case c.Media != nil:
		shown.Title = c.Media.Title
	case c.Article != nil:
		shown.Link = &simulation.Link{URL: c.Article.Source, Title: c.Article.Title, Description: c.Article.Description}
	case c.Poll != nil:
		shown.Poll = &simulation.Poll{Question: c.Poll.Question, EndsAt: p.CreatedAt.Add(durations[c.Poll.Settings.Duration])}
		for _, option := range c.Poll.Options {
			shown.Poll.Options = append(shown.Poll.Options, option.Text)
		}
	}
	return shown
}
