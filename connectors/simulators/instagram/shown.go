package instagram

import (
	"strings"

	"crier/connectors/simulators/simulation"
)

// shown tells how Instagram shows a media or a comment.
func (s *simulator) shown(p simulation.Post) simulation.Shown {
	asked := requestOf(p.Fields)
	shown := simulation.Shown{By: "@user" + p.Account, Text: p.Text}
	switch asked.Kind {
	case kindReel:
		shown.Kind = "reel"
	case kindStory:
		shown.Kind = "story"
	}
	if asked.Trial != nil {
		shown.Visibility = "trial: non-followers"
	}
	if asked.Location != "" {
		shown.Labels = append(shown.Labels, "place "+asked.Location)
	}
	if len(asked.Collaborators) > 0 {
		shown.Labels = append(shown.Labels, "with "+strings.Join(asked.Collaborators, ", "))
	}
	for _, tag := range asked.UserTags {
		shown.Labels = append(shown.Labels, "tagged "+tag.Username)
	}
	return shown
}
