package compose_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
)

// bulk is 25 posts of one request, and which of them each sandbox account has.
type bulk struct {
	ids []string
	on  map[string][]string // texts by platform
}

const bulkPosts = 25

// publishBulk publishes on the accounts of all platforms, each with media that it takes, in one
// request: a picture where one is taken, a video where nothing else is, and texts.
func (w *world) publishBulk(t *testing.T) bulk {
	t.Helper()
	b := bulk{on: map[string][]string{}}
	var pictures, videos, texts []string
	for _, simulator := range catalog.Simulators() {
		name, media := simulator.Platform.String(), catalog.Constraints(simulator.Platform).Media
		switch {
		case simulator.Platform == schema.Pinterest: // whose pictures are upright
		case !slices.Contains(media.Kinds, schema.Image):
			videos = append(videos, name)
		default:
			pictures = append(pictures, name)
		}
		if !media.Required {
			texts = append(texts, name)
		}
	}
	entries := []any{
		b.entry("a picture", pictures, w.smallestMedia(schema.Instagram)),
		b.entry("a video", videos, w.smallestMedia(schema.TikTok)),
		b.entry("a pin", []string{"pinterest"}, w.smallestMedia(schema.Pinterest)),
	}
	for i := len(entries); i < bulkPosts; i++ {
		entries = append(entries, b.entry(fmt.Sprintf("text %d", i), []string{texts[i%len(texts)], texts[(i+1)%len(texts)]}, nil))
	}
	if all := len(pictures) + len(videos) + 1; all != 12 || all != len(catalog.Simulators()) {
		t.Fatalf("the posts are on %d platforms", all)
	}
	var answer struct {
		Results []struct{ Post struct{ ID string } }
		Summary struct{ Succeeded, Failed int }
	}
	status := w.call(http.MethodPost, "/posts/bulk", map[string]any{"posts": entries}, &answer)
	if status != http.StatusCreated || answer.Summary.Succeeded != bulkPosts {
		t.Fatalf("creating: %d %+v", status, answer)
	}
	for _, result := range answer.Results {
		b.ids = append(b.ids, result.Post.ID)
	}
	return b
}

func (b bulk) entry(text string, platforms []string, media []map[string]any) map[string]any {
	text = "In bulk: " + text
	for _, p := range platforms {
		b.on[p] = append(b.on[p], text)
	}
	entry := map[string]any{"content": text, "platforms": platforms, "publishNow": true, "platformSettings": smallestSettings()}
	if media != nil {
		entry["mediaItems"] = media
	}
	return entry
}

// checkBulk reads each post off the wall of each of its platforms, where it is once, and
// returns the pages of the walls by platform.
func (w *world) checkBulk(t *testing.T, b bulk) (walls map[string]string) {
	t.Helper()
	walls = map[string]string{}
	w.eventually(90*time.Second, "all posts are done", func() bool { return w.done(b.ids) })
	for _, id := range b.ids {
		var answer wallAnswer
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		if answer.Post.Status != "posted" {
			t.Errorf("post %s is %+v", id, answer.Post)
		}
		for _, target := range answer.Post.Platforms {
			walls[target.Platform], _, _ = strings.Cut(target.PostURL, "?")
		}
	}
	for platform, texts := range b.on {
		page := w.browse(t, walls[platform], http.StatusOK)
		for _, text := range texts {
			if n := strings.Count(page, html.EscapeString(text)+"</p>"); n != 1 {
				t.Errorf("%s shows %q %d times:\n%s", platform, text, n, page)
			}
		}
	}
	return walls
}

// publishThread publishes one thread on the platforms that take one; threads wants half a minute
// between two entries.
func (w *world) publishThread(t *testing.T) (id string) {
	t.Helper()
	var platforms []string
	for _, simulator := range catalog.Simulators() {
		if catalog.Constraints(simulator.Platform).Thread.Supported {
			platforms = append(platforms, simulator.Platform.String())
		}
	}
	if slices.Sort(platforms); !slices.Equal(platforms, []string{"bluesky", "mastodon", "threads", "twitter"}) {
		t.Errorf("%v take threads", platforms)
	}
	var answer threadAnswer
	status := w.call(http.MethodPost, "/threads", map[string]any{
		"posts":     []any{map[string]any{"content": "A thread begins"}, map[string]any{"content": "and ends"}},
		"platforms": platforms, "publishNow": true,
	}, &answer)
	if status != http.StatusCreated {
		t.Fatalf("creating: %d", status)
	}
	return answer.Thread.ID
}

// checkThread reads a thread off the walls: the page of its last entry has all of it, in order.
func (w *world) checkThread(t *testing.T, id string) {
	t.Helper()
	entries := w.endOfThread(id).Thread.Posts
	last := entries[len(entries)-1]
	if last.Status != "posted" || len(last.PlatformPostIDs) != 4 {
		t.Fatalf("the thread ends with %+v", last)
	}
	for platform, entry := range last.PlatformPostIDs {
		page, at := w.browse(t, entry.URL, http.StatusOK), 0
		for _, text := range []string{"A thread begins", "and ends"} {
			next := strings.Index(page[at:], ">"+text+"<")
			if next < 0 {
				t.Errorf("%s does not show %q after what comes before it:\n%s", platform, text, page)
				break
			}
			at += next
		}
	}
}
