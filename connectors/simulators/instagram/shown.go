package instagram

import (
	"strings"

	"crier/connectors/simulators/simulation"
)

// viewOf tells how Instagram shows a media or a comment.
func (s *simulator) viewOf(p simulation.Post) simulation.View {
	input := requestOf(p.Fields)
	view := simulation.View{By: "@user" + p.Account, Text: p.Text}
	switch input.Kind {
	case kindReel:
		view.Kind = "reel"
	case kindStory:
		view.Kind = "story"
	}
	if input.Trial != nil {
		view.Visibility = "trial: non-followers"
	}
	if input.Location != "" {
		view.Labels = append(view.Labels, "place "+input.Location)
	}
	if len(input.Collaborators) > 0 {
		view.Labels = append(view.Labels, "with "+strings.Join(input.Collaborators, ", "))
	}
	for _, tag := range input.UserTags {
		view.Labels = append(view.Labels, "tagged "+tag.Username)
	}
	return view
}
