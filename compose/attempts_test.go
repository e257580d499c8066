package compose_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

type timelineLine struct{ Event, Platform, Code, Message string }

type timeline struct {
	Attempts   []timelineLine
	Pagination struct{ Total int }
}

// events are those of a platform, in order. What was published comes last here: its time
// is the platform's, which may be before crier knew. Deferrals that follow each other are one: a
// job may fire a moment before its account's turn.
func (l timeline) events(platform string) (events []string) {
	var published []string
	for _, a := range l.Attempts {
		switch {
		case a.Platform != platform:
		case a.Event == "published":
			published = append(published, a.Event)
		default:
			events = append(events, a.Event)
		}
	}
	events = slices.CompactFunc(events, func(before, e string) bool { return before == e && e == "deferred" })
	return append(events, published...)
}

func TestTheTimelineTellsWhatThePlatformsDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testKafka(t))
	for _, p := range []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram, schema.LinkedIn, schema.Facebook} {
		w.connect(p, 1)
	}
	for name, tt := range map[string]struct {
		content string
		on      []string
		want    []string
		codes   []string
	}{
		"it worked":              {"plain", []string{"mastodon", "bluesky", "telegram", "linkedin", "facebook"}, []string{"published"}, nil},
		"429":                    {"[crier:rate-limit]", []string{"mastodon", "bluesky", "telegram", "linkedin", "facebook"}, []string{"deferred", "published"}, []string{"platform_rate_limited"}},
		"the answer was lost":    {"[crier:lost-answer]", []string{"mastodon", "bluesky", "linkedin", "facebook"}, []string{"outcome_unknown", "found", "published"}, []string{"outcome_unknown"}},
		"nobody can look":        {"[crier:lost-answer] there", []string{"telegram"}, []string{"outcome_unknown", "failed"}, []string{"outcome_unknown"}},
		"5xx":                    {"[crier:outage]", []string{"mastodon"}, []string{"outcome_unknown", "not_found", "retrying"}, []string{"platform_unavailable"}},
		"refused":                {"[crier:refused]", []string{"mastodon", "bluesky", "telegram", "linkedin", "facebook"}, []string{"failed"}, []string{"platform_refused"}},
		"the token is not valid": {"[crier:expired-token]", []string{"mastodon"}, []string{"deferred", "failed"}, []string{"account_needs_reconnect"}},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.publishOn(tt.content+" "+name, tt.on)
			w.eventually(90*time.Second, "the post is done", func() bool { return w.done([]string{id}) })
			var got timeline
			if status := w.call(http.MethodGet, "/posts/"+id+"/attempts?limit=100", nil, &got); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
			if got.Attempts[0].Event != "created" || got.Pagination.Total != len(got.Attempts) {
				t.Errorf("timeline %+v", got)
			}
			for _, platform := range tt.on {
				if events := got.events(platform); !startsWith(events, tt.want) {
					t.Errorf("on %s: %v, want it to start with %v", platform, events, tt.want)
				}
			}
			for _, code := range tt.codes {
				if !slices.ContainsFunc(got.Attempts, func(a timelineLine) bool { return a.Code == code }) {
					t.Errorf("no line has code %s: %+v", code, got.Attempts)
				}
			}
		})
	}
	t.Run("what people write is answered", func(t *testing.T) {
		on := *w
		on.T = t
		on.answersAComment()
	})
	t.Run("an assistant posts and answers", func(t *testing.T) {
		on := *w
		on.T = t
		on.isAssisted()
	})
}

func startsWith(events, want []string) bool {
	return len(events) >= len(want) && slices.Equal(events[:len(want)], want)
}

func (w *world) publishOn(content string, platforms []string) string {
	w.Helper()
	var answer postAnswer
	body := map[string]any{"content": content, "platforms": platforms, "publishNow": true}
	if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
		w.Fatalf("creating a post: %d", status)
	}
	return answer.Post.ID
}

// TestAPostSaysWhatABrokenServerAnswered has a platform that offers no look answer what cannot be
// understood, or nothing: the post's status and its timeline say what it was.
func TestAPostSaysWhatABrokenServerAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testKafka(t))
	for name, tt := range map[string]struct {
		fault map[string]any
		says  string
	}{
		"too large":      {map[string]any{"status": 200, "body": strings.Repeat("a", 1<<20+1)}, "could not be understood: it is larger than 1 MiB"},
		"a proxy's page": {map[string]any{"status": 200, "body": "<html>hello</html>"}, "could not be understood: status 200 with 18 bytes"},
		"cut off":        {map[string]any{"lose": true}, "lost: the connection was closed before it came"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.fault["platform"], tt.fault["operation"] = "telegram", visibleCalls[schema.Telegram]
			w.inject(tt.fault)
			id := w.publishTo(schema.Telegram, w.connect(schema.Telegram, 1)[0], name)
			w.eventually(time.Minute, "the post is done", func() bool { return w.done([]string{id}) })
			for _, a := range w.timeline(id).Attempts {
				if a.Platform != "" && !strings.Contains(a.Message, tt.says) {
					t.Errorf("the timeline says of %s: %q, want %q in it", a.Event, a.Message, tt.says)
				}
			}
			var answer postAnswer
			w.call(http.MethodGet, "/posts/"+id, nil, &answer)
			if e := answer.Post.Platforms[0].Error; e.Code != "outcome_unknown" || !strings.Contains(e.Message, tt.says) {
				t.Errorf("the post says %+v, want %q in it", e, tt.says)
			}
		})
	}
}
