package schema_test

import (
	"slices"
	"testing"

	"crier/schema"
)

func TestADeliveryHasTheCommentsItsPlatformTakesInTheirPlaces(t *testing.T) {
	content := schema.Content{
		Entries:       []schema.Entry{{Text: "one"}, {Text: "two"}},
		FirstComments: []schema.FirstComment{{Target: 1, Text: "b"}, {Target: 0, Text: "a"}},
	}
	for name, tt := range map[string]struct {
		limit schema.CommentLimit
		want  []schema.PositionedComment
	}{
		"none":          {schema.CommentLimit{}, nil},
		"all":           {schema.CommentLimit{Supported: true}, []schema.PositionedComment{{Position: 0, FirstComment: content.FirstComments[0]}, {Position: 1, FirstComment: content.FirstComments[1]}}},
		"the root only": {schema.CommentLimit{Supported: true, RootOnly: true}, []schema.PositionedComment{{Position: 1, FirstComment: content.FirstComments[1]}}},
	} {
		t.Run(name, func(t *testing.T) {
			var d schema.Delivery
			d.Describe(content, "", schema.Constraints{FirstComment: tt.limit})
			if !slices.Equal(d.FirstComments, tt.want) {
				t.Errorf("comments = %+v, want %+v", d.FirstComments, tt.want)
			}
		})
	}
}
