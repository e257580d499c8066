package mcp

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/schema/openapi"
)

func TestEveryEventOfATimelineHasWords(t *testing.T) {
	var description struct {
		Components struct {
			Schemas struct {
				Attempt struct {
					Properties struct {
						Event struct{ Enum []string }
					}
				} `yaml:"Attempt"`
			}
		}
	}
	if err := yaml.Unmarshal(openapi.Description(), &description); err != nil {
		t.Fatal(err)
	}
	events := description.Components.Schemas.Attempt.Properties.Event.Enum
	if len(events) < 10 {
		t.Fatalf("the description has the events %v", events)
	}
	for _, event := range events {
		var a client.Attempt
		if err := yaml.Unmarshal([]byte("event: "+event), &a); err != nil {
			t.Fatal(err)
		}
		if said := sentence(&a); strings.Contains(said, "has the event") {
			t.Errorf("%s is %q", event, said)
		}
	}
}

func TestASentenceOfATimeline(t *testing.T) {
	at := time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC)
	one := 1
	for want, a := range map[string]client.Attempt{
		"2026-12-24 18:00:00 UTC: the post was made": {At: at, Event: "created"},
		"2026-12-24 18:00:00 UTC: on mastodon, the post was not taken, and is tried again: busy (server_error); next at 2026-12-24 18:01:00 UTC": {
			At: at, Event: "retrying", Platform: client.Mastodon, Message: "busy", Code: "server_error", NextAt: at.Add(time.Minute),
		},
		"2026-12-24 18:00:00 UTC: on mastodon, the first comment was published, at https://m.example/1": {
			At: at, Event: "published", Platform: client.Mastodon, FirstComment: &one, URL: "https://m.example/1",
		},
		"2026-12-24 18:00:00 UTC: on bluesky, entry 1 failed for good": {At: at, Event: "failed", Platform: client.Bluesky, Entry: &one},
	} {
		if got := sentence(&a); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOnlyWhatTheAPIRetriesIsPlanned(t *testing.T) {
	const on, failed = client.Mastodon, client.TargetFailed
	targets := []client.Target{{Platform: on, Status: failed}, {Platform: client.Bluesky, Status: failed}, {Platform: client.Twitter, Status: client.TargetPosted}}
	for name, tt := range map[string]struct {
		status client.PostStatus
		asked  []client.Platform
		want   int
	}{
		"failed":                 {client.PostFailed, nil, 2},
		"partially failed":       {client.PostPartiallyFailed, nil, 2},
		"on one platform":        {client.PostPartiallyFailed, []client.Platform{on}, 1},
		"where it is published":  {client.PostPartiallyFailed, []client.Platform{client.Twitter}, 0},
		"still on its way":       {client.PostProcessing, nil, 0},
		"waiting for its retry":  {client.PostScheduled, nil, 0},
		"cancelled in the midst": {client.PostCancelled, nil, 0},
	} {
		if got := failedOf(client.Post{Status: tt.status, Platforms: targets}, tt.asked); len(got) != tt.want {
			t.Errorf("%s: %d targets are retried, want %d", name, len(got), tt.want)
		}
	}
	post := client.Post{Content: "Hello"}
	for code, want := range map[string]bool{"outcome_unknown": true, "content_rejected": false} {
		said := goesOn(post, client.Target{Status: failed, Error: &client.Cause{Code: code}})
		if !strings.Contains(said, "“Hello”") || strings.Contains(said, "leaves it out") != want {
			t.Errorf("of %s: %s", code, said)
		}
	}
}

func TestAListThatIsAnsweredWholeHasPages(t *testing.T) {
	all := []string{"a", "b", "c", "d"}
	for cursor, want := range map[string]struct{ page, next string }{"": {"ab", "b"}, "a": {"bc", "c"}, "b": {"cd", ""}, "c": {"d", ""}, "d": {"", ""}} {
		page, next, err := part(all, func(s string) string { return s }, cursor, 2)
		if strings.Join(page, "") != want.page || next != want.next || err != nil {
			t.Errorf("after %q: %v, %q, %v, want %s and %q", cursor, page, next, err, want.page, want.next)
		}
	}
}

func TestTextsAreShownWithoutWhatHides(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb\u202ec\U000e0041d\ne": "a[31mbcd\ne",
		"123456789":                       "12345… (cut: 9 characters in all)",
		"ééééé":                           "ééééé",
	} {
		maximum := 5
		if strings.HasPrefix(text, "a") {
			maximum = 20
		}
		if got := visible(text, maximum); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestTimesAreRead(t *testing.T) {
	for name, tt := range map[string]struct{ text, zone, want string }{
		"with an offset": {"2026-12-24T18:00:00+01:00", "", "2026-12-24T17:00:00Z"},
		"in a zone":      {"2026-12-24T18:00", "Europe/Berlin", "2026-12-24T17:00:00Z"},
		"in none":        {"2026-12-24 18:00", "", "2026-12-24T18:00:00Z"},
		"none":           {"", "", "0001-01-01T00:00:00Z"},
	} {
		at, err := readTime("at", tt.text, tt.zone)
		if got := at.UTC().Format(time.RFC3339); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, tt.want)
		}
	}
}

func TestAToolThatPanicsEndsNothing(t *testing.T) {
	panics := func(context.Context, string, sdk.Request) (sdk.Result, error) { panic("of a tool") }
	if result, err := recovering(slog.New(slog.DiscardHandler))(panics)(t.Context(), "tools/call", nil); result != nil || err == nil || strings.Contains(err.Error(), "of a tool") {
		t.Errorf("%v, %v", result, err)
	}
}
