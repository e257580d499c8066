package twitter

import (
	"encoding/json"
	"strings"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// subscriber is the token of an account that the simulator gives X Premium.
const subscriber = "token-with-premium"

func TestTextsAreAsLongAsTheAccountMayWrite(t *testing.T) {
	r := newRig(t)
	for name, tt := range map[string]struct {
		token    string
		settings string
		max      int
	}{
		"without a subscription": {token, `{"subscription":"None","verified":"none"}`, maxWeight},
		"with X Premium":         {subscriber, `{"subscription":"Premium","verified":"blue"}`, maxLongWeight},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: tt.token})
			if err != nil || string(profile.Settings) != tt.settings {
				t.Fatalf("Check = %s, %v, want %s", profile.Settings, err, tt.settings)
			}
			account := schema.Account{Platform: schema.Twitter, Settings: profile.Settings}
			if got := Constraints().For(&account).Text.Max; got != maxWeight {
				t.Errorf("by the specification %d characters", got)
			}
			account.Limits = schema.PlatformLimits
			if got := Constraints().For(&account); got.Text.Max != tt.max || got.FirstComment.Max != tt.max {
				t.Errorf("by the platform %d characters, of a comment %d, want %d", got.Text.Max, got.FirstComment.Max, tt.max)
			}
		})
	}
}

func TestWhoMayWriteLong(t *testing.T) {
	for settings, want := range map[string]bool{
		``: false, `{}`: false, `[]`: false, `{"subscription":"None","verified":"none"}`: false, `{"subscription":"Gold"}`: false,
		`{"subscription":"Basic"}`: true, `{"subscription":"PremiumPlus"}`: true, `{"verified":"business"}`: true,
		`{"subscription":"None","verified":"government"}`: true,
	} {
		if got := writesLong(schema.Account{Settings: json.RawMessage(settings)}); got != want {
			t.Errorf("%s: %t, want %t", settings, got, want)
		}
	}
}

// A longer post is listed cut off, and with its whole text beside that.
func TestFindKnowsALongPost(t *testing.T) {
	for name, before := range map[string]string{"by the names of posts": "", "by those of tweets": "[crier:tweet-names]"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			long := strings.Repeat("Longer posts & links, https://example.com/a?b=1&c=2. ", 40)
			d := r.delivery(before + long + "one")
			d.Credentials.AccessToken, d.Account.NativeID = subscriber, r.World.Account(subscriber).ID
			if _, err := r.Publish(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			d.Text = before + long + "two"
			r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			if receipt := r.find(t, d, schema.Found); receipt.NativeID != r.posts(t, 2)[1].ID {
				t.Errorf("found %s", receipt.NativeID)
			}
		})
	}
	t.Run("of an account that may not write it", func(t *testing.T) {
		r := newRig(t)
		_, err := r.Publish(t.Context(), r.delivery(strings.Repeat("x", maxWeight+1)))
		connectortest.WantKind(t, err, schema.Refused)
	})
}
