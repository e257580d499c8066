package twitter

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"crier/schema"
)

func TestCheckSettings(t *testing.T) {
	check := Constraints().Settings
	for name, tt := range map[string]struct {
		settings string
		want     []string // fields with the code of what is wrong
	}{
		"none":               {``, nil},
		"everything":         {`{"replySettings":"following","poll":{"options":["a","b","c","d"],"durationMinutes":10080},"communityId":"1","shareWithFollowers":true,"forSuperFollowersOnly":false,"madeWithAi":true,"paidPartnership":true,"taggedUserIds":["1"]}`, nil},
		"another reply rule": {`{"replySettings":"everyone"}`, []string{"replySettings setting_invalid"}},
		"a poll as a text":   {`{"poll":"a,b"}`, []string{"poll setting_invalid"}},
		"a poll without all": {`{"poll":{}}`, []string{"poll.durationMinutes setting_required", "poll.options setting_required"}},
		"one option":         {`{"poll":{"options":["a"],"durationMinutes":5}}`, []string{"poll.options setting_invalid"}},
		"five options":       {`{"poll":{"options":["a","b","c","d","e"],"durationMinutes":5}}`, []string{"poll.options setting_invalid"}},
		"an empty option":    {`{"poll":{"options":["a"," "],"durationMinutes":5}}`, []string{"poll.options[1] setting_required"}},
		"an option at 25":    {`{"poll":{"options":["a","` + strings.Repeat("é", 25) + `"],"durationMinutes":5}}`, nil},
		"an option over it":  {`{"poll":{"options":["a","` + strings.Repeat("é", 26) + `"],"durationMinutes":5}}`, []string{"poll.options[1] text_too_long"}},
		"a poll too short":   {`{"poll":{"options":["a","b"],"durationMinutes":4}}`, []string{"poll.durationMinutes setting_invalid"}},
		"a poll too long":    {`{"poll":{"options":["a","b"],"durationMinutes":10081}}`, []string{"poll.durationMinutes setting_invalid"}},
		"half a minute":      {`{"poll":{"options":["a","b"],"durationMinutes":5.5}}`, []string{"poll.durationMinutes setting_invalid"}},
		"an id as a number":  {`{"quoteTweetId":20}`, []string{"quoteTweetId setting_invalid"}},
		"an address":         {`{"quoteTweetId":"https://x.com/a/status/20"}`, []string{"quoteTweetId setting_invalid"}},
		"too many people":    {`{"taggedUserIds":["1","2","3","4","5","6","7","8","9","10","11"]}`, []string{"taggedUserIds setting_invalid"}},
		"a flag as a text":   {`{"madeWithAi":"yes"}`, []string{"madeWithAi setting_invalid"}},
		"an unknown setting": {`{"reply_settings":"following"}`, []string{"reply_settings setting_unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range check(json.RawMessage(tt.settings)) {
				got = append(got, d.Field+" "+d.Code)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOneOfMediaPollAndQuote(t *testing.T) {
	const poll = `"poll":{"options":["a","b"],"durationMinutes":5}`
	media := schema.Entry{Media: []schema.Media{{Kind: schema.Image}}}
	for name, tt := range map[string]struct {
		first    schema.Entry
		settings string
		want     string // field
	}{
		"nothing":         {schema.Entry{}, ``, ""},
		"media":           {media, `{}`, ""},
		"a poll":          {schema.Entry{}, `{` + poll + `}`, ""},
		"media and poll":  {media, `{` + poll + `}`, "poll"},
		"poll and quote":  {schema.Entry{}, `{` + poll + `,"quoteTweetId":"20"}`, "poll"},
		"media and quote": {media, `{"quoteTweetId":"20"}`, "quoteTweetId"},
	} {
		t.Run(name, func(t *testing.T) {
			found := Constraints().Together(tt.first, json.RawMessage(tt.settings))
			if (len(found) > 0) != (tt.want != "") || len(found) > 0 && found[0].Field != tt.want {
				t.Errorf("found %+v, want %q", found, tt.want)
			}
			r := newRig(t)
			d := r.delivery("hello")
			d.Settings = json.RawMessage(tt.settings)
			if len(tt.first.Media) > 0 {
				d.Media = []schema.Media{r.image(t, "one")}
			}
			_, err := r.Prepare(t.Context(), d)
			if (schema.KindOf(err) == schema.Refused) != (tt.want != "") {
				t.Errorf("Prepare: %v", err)
			}
		})
	}
}
