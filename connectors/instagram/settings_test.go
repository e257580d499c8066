package instagram

import (
	"slices"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/schema"
)

func TestCheckSettings(t *testing.T) {
	image, film := []schema.Media{{Kind: schema.Image}}, []schema.Media{{Kind: schema.Video}}
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     []string // fields with the code of what is wrong
	}{
		"none":                      {``, image, nil},
		"everything of a reel":      {`{"content":"x","mediaType":"REELS","shareToFeed":true,"coverUrl":"https://example.com/a","thumbOffset":0,"audioName":"x","collaborators":["a","b","c"],"userTags":[{"username":"a"}],"locationId":"1","trialParams":{"graduationStrategy":"SS_PERFORMANCE"}}`, film, nil},
		"tags of a picture":         {`{"userTags":[{"username":"a","x":0,"y":1}]}`, image, nil},
		"a story":                   {`{"mediaType":"STORIES","userTags":[{"username":"a"}]}`, image, nil},
		"another kind":              {`{"mediaType":"IGTV"}`, image, []string{"mediaType setting_invalid"}},
		"a story of two":            {`{"mediaType":"STORIES"}`, slices.Concat(image, film), []string{"mediaType setting_conflict"}},
		"a story by several":        {`{"mediaType":"STORIES","collaborators":["a"],"locationId":"1"}`, image, []string{"collaborators setting_conflict", "locationId setting_conflict"}},
		"a reel of a picture":       {`{"mediaType":"REELS"}`, image, []string{"mediaType setting_conflict"}},
		"a trial of a picture":      {`{"trialParams":{"graduationStrategy":"MANUAL"}}`, image, []string{"trialParams setting_conflict"}},
		"a trial without an end":    {`{"trialParams":{}}`, film, []string{"trialParams.graduationStrategy setting_required"}},
		"four collaborators":        {`{"collaborators":["a","b","c","d"]}`, image, []string{"collaborators setting_invalid"}},
		"a name with its sign":      {`{"collaborators":["@a"]}`, image, []string{"collaborators[0] setting_invalid"}},
		"a tag outside":             {`{"userTags":[{"username":"a","x":1.1,"y":0}]}`, image, []string{"userTags[0].x setting_invalid"}},
		"a tag of nobody":           {`{"userTags":[{"x":1,"y":0}]}`, image, []string{"userTags[0].username setting_required"}},
		"a tag without its place":   {`{"userTags":[{"username":"a"}]}`, image, []string{"userTags setting_conflict"}},
		"an offset before the film": {`{"thumbOffset":-1}`, film, []string{"thumbOffset setting_invalid"}},
		"an offset with a fraction": {`{"thumbOffset":1.5}`, film, []string{"thumbOffset setting_invalid"}},
		"a cover that is none":      {`{"coverUrl":"c.jpg"}`, film, []string{"coverUrl setting_invalid"}},
		"an unknown one":            {`{"cover":"x"}`, film, []string{"cover setting_unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.WantDetails(t, Constraints(), tt.media, tt.settings, tt.want...)
		})
	}
}
