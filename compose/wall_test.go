package compose_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/compose"
	"crier/connectors/catalog"
	"crier/schema"
)

// TestSandboxesOfAWorkspace is what a test key's user has: an account of every platform, which
// forces what markers ask for, and the wall that shows what they published.
func TestSandboxesOfAWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, childConfig{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	w.key = w.createKey(true)
	post, pin, video, film := w.publishEverywhere(t), w.publishPin(t), w.publishVideo(t), w.publishFilm(t) // comments come later
	bulk, thread := w.publishBulk(t), w.publishThread(t)
	for _, marker := range []string{"[crier:lost-answer]", "[crier:outage]"} {
		t.Run(marker, func(t *testing.T) { w.checkLooked(t, marker) })
	}
	t.Run("everything is on the wall", func(t *testing.T) { w.checkWall(t, post) })
	t.Run("a pin is on the wall", func(t *testing.T) { w.checkPin(t, pin) })
	t.Run("a video is on the wall", func(t *testing.T) { w.checkVideo(t, video) })
	t.Run("and one of several parts", func(t *testing.T) { w.checkFilm(t, film) })
	t.Run("what came in bulk is on the walls of all platforms", func(t *testing.T) { w.checkBulk(t, bulk) })
	t.Run("a thread is on four", func(t *testing.T) { w.checkThread(t, thread) })
	t.Run("twins get the accounts of platforms that came later", w.completeTwins)
}

// checkLooked publishes what the sandbox makes an answer be lost for.
func (w *world) checkLooked(t *testing.T, marker string) {
	id := w.publishOn(marker, []string{"mastodon", "bluesky", "twitter"})
	w.eventually(90*time.Second, "the post is done", func() bool { return w.done([]string{id}) })
	var answer postAnswer
	w.call(http.MethodGet, "/posts/"+id, nil, &answer)
	for _, target := range answer.Post.Platforms {
		if target.Status != "posted" {
			t.Errorf("%s is %s %+v, want posted", target.Platform, target.Status, target.Error)
		}
	}
}

const (
	wallText    = "A <b>post</b> & its picture"
	wallComment = "the \"first\" comment"
)

// publishEverywhere publishes a text with a picture and a first comment on every platform that
// takes pictures, but pinterest, which takes others.
func (w *world) publishEverywhere(t *testing.T) (id string) {
	var platforms []string
	for _, simulator := range catalog.Simulators() {
		takesPictures := slices.Contains(catalog.Constraints(simulator.Platform).Media.Kinds, schema.Image)
		if takesPictures && simulator.Platform != schema.Pinterest {
			platforms = append(platforms, simulator.Platform.String())
		}
	}
	if len(platforms) < 8 {
		t.Fatalf("%v have simulators", platforms)
	}
	var answer struct {
		Post     struct{ ID string }
		Warnings []struct{ Platform, Code string }
	}
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": wallText, "publishNow": true, "platforms": platforms, "firstComment": wallComment,
		"mediaItems": []map[string]any{{"mediaId": w.upload()}},
	}, &answer)
	if status != http.StatusCreated {
		t.Fatalf("creating: %d", status)
	}
	if without := slices.DeleteFunc(slices.Clone(platforms), takesComments); len(answer.Warnings) != len(without) {
		t.Errorf("warnings %+v, want those of %v, which take no comments", answer.Warnings, without)
	}
	for _, warning := range answer.Warnings {
		if warning.Code != "first_comment_skipped" || takesComments(warning.Platform) {
			t.Errorf("warning %+v, want those of platforms that take no comments", warning)
		}
	}
	return answer.Post.ID
}

func takesComments(platform string) bool {
	return platform != "telegram" && platform != "google-business"
}

// describesPictures reports whether alternative texts are shown.
func describesPictures(platform string) bool { return takesComments(platform) }

// publishVideo publishes on tiktok, in private.
func (w *world) publishVideo(t *testing.T) (id string) {
	var answer struct {
		Post     struct{ ID string }
		Warnings []struct{ Field, Code string }
	}
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": wallText, "publishNow": true, "platforms": []string{"tiktok"}, "mediaItems": w.smallestMedia(schema.TikTok),
		"platformSettings": map[string]any{"tiktok": map[string]any{"privacy": "SELF_ONLY", "isAigc": true}},
	}, &answer)
	if status != http.StatusCreated || len(answer.Warnings) != 1 || answer.Warnings[0].Code != "setting_private" {
		t.Fatalf("creating: %d, warnings %+v; want one that nobody sees it", status, answer.Warnings)
	}
	return answer.Post.ID
}

// checkVideo reads a video off the wall.
func (w *world) checkVideo(t *testing.T, id string) {
	var answer wallAnswer
	w.eventually(60*time.Second, "the video is there", func() bool {
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		return answer.Post.Status == "posted"
	})
	page := w.browse(t, answer.Post.Platforms[0].PostURL, http.StatusOK)
	for _, want := range []string{html.EscapeString(wallText), "<video", "Only me", "AI-generated"} {
		if !strings.Contains(page, want) {
			t.Errorf("the wall shows no %s:\n%s", want, page)
		}
	}
	// What TikTok said before that post is what the next one is held to.
	w.eventually(time.Minute, "a post that the account may not publish is refused", func() bool {
		return w.call(http.MethodPost, "/posts", map[string]any{
			"content": wallText, "status": "draft", "platforms": []string{"tiktok"}, "mediaItems": w.smallestMedia(schema.TikTok),
			"platformSettings": map[string]any{"tiktok": map[string]any{"privacy": "FOLLOWER_OF_CREATOR"}},
		}, nil) == http.StatusBadRequest
	})
}

// publishFilm publishes a video of several parts with a first comment.
func (w *world) publishFilm(t *testing.T) (id string) {
	source := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(rw, film(600_000))
	}))
	t.Cleanup(source.Close)
	var answer postAnswer
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": "How it was made", "publishNow": true, "platforms": []string{"youtube"}, "firstComment": wallComment,
		"mediaItems":       []map[string]any{{"type": "video", "url": source.URL + "/film.mp4"}},
		"platformSettings": map[string]any{"youtube": map[string]any{"title": "The making of", "privacyStatus": "unlisted"}},
	}, &answer)
	if status != http.StatusCreated {
		t.Fatalf("creating: %d", status)
	}
	return answer.Post.ID
}

// checkFilm reads a video off the wall, which its platform has processed.
func (w *world) checkFilm(t *testing.T, id string) {
	var answer wallAnswer
	w.eventually(60*time.Second, "the video and its comment are there", func() bool {
		answer = wallAnswer{}
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		return answer.Post.Status == "posted" && answer.commented()
	})
	page := w.browse(t, answer.Post.Platforms[0].PostURL, http.StatusOK)
	for _, wanted := range []string{"The making of", "How it was made", "<video src=", "unlisted", html.EscapeString(wallComment)} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the wall does not show %q:\n%s", wanted, page)
		}
	}
}

// wallAnswer is where a post can be seen.
type wallAnswer struct {
	Post struct {
		Status    string
		Platforms []struct {
			Platform, PostURL string
			FirstComments     []struct{ Status, URL string }
		}
	}
}

// commented reports whether each comment was made or left out.
func (a wallAnswer) commented() bool {
	for _, target := range a.Post.Platforms {
		for _, comment := range target.FirstComments {
			if comment.Status == "pending" || comment.Status == "claimed" || comment.Status == "waiting" {
				return false
			}
		}
	}
	return true
}

// checkWall reads a post off the wall as a browser does, without a key.
func (w *world) checkWall(t *testing.T, id string) {
	var answer wallAnswer
	w.eventually(60*time.Second, "the post and its comments are there", func() bool {
		answer = wallAnswer{}
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		return answer.Post.Status == "posted" && answer.commented()
	})
	picture, wall := regexp.MustCompile(`<img src="([^"]+)" alt="([^"]*)"`), ""
	for _, target := range answer.Post.Platforms {
		page := w.browse(t, target.PostURL, http.StatusOK)
		commented := strings.Contains(page, html.EscapeString(wallComment))
		if !strings.Contains(page, html.EscapeString(wallText)) || commented != takesComments(target.Platform) {
			t.Errorf("%s at %s shows not the post and its comment: %t\n%s", target.Platform, target.PostURL, commented, page)
		}
		images := picture.FindStringSubmatch(page)
		if images == nil {
			t.Errorf("%s shows no picture:\n%s", target.Platform, page)
			continue
		}
		if describesPictures(target.Platform) != (images[2] == "a black field") {
			t.Errorf("the picture on %s is described as %q", target.Platform, images[2])
		}
		base, err := url.Parse(target.PostURL)
		if err != nil {
			t.Fatal(err)
		}
		base.RawQuery = ""
		wall = base.JoinPath("../").String()
		if got := w.browse(t, base.JoinPath("..", images[1]).String(), http.StatusOK); got != string(blackField(t)) {
			t.Errorf("the picture on %s is another, of %d bytes", target.Platform, len(got))
		}
		if comments := target.FirstComments; takesComments(target.Platform) {
			if len(comments) != 1 || comments[0].Status != "posted" {
				t.Errorf("comments on %s: %+v", target.Platform, comments)
			} else if page := w.browse(t, comments[0].URL, http.StatusOK); !strings.Contains(page, html.EscapeString(wallText)) {
				t.Errorf("the comment's page on %s is not of its post:\n%s", target.Platform, page)
			}
		}
	}
	index := w.browse(t, wall, http.StatusOK)
	for _, target := range answer.Post.Platforms {
		if !strings.Contains(index, `href="`+target.Platform+`"`) {
			t.Errorf("the wall leads to no %s:\n%s", target.Platform, index)
		}
		if !strings.Contains(index, "<strong>sandbox "+target.Platform+"</strong>") {
			t.Errorf("the wall does not call the account of %s as it is called:\n%s", target.Platform, index)
		}
	}
	w.browse(t, strings.Replace(wall, "/wall/", "/wall/A", 1), http.StatusNotFound)
	w.browse(t, "http://"+w.config.Listen+"/wall/", http.StatusNotFound)
}

// publishPin publishes an upright picture with a title and a link.
func (w *world) publishPin(t *testing.T) (id string) {
	var answer postAnswer
	if status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": wallText, "publishNow": true, "platforms": []string{"pinterest"}, "mediaItems": w.smallestMedia(schema.Pinterest),
		"platformSettings": map[string]any{"pinterest": map[string]string{"title": "A <field>", "link": "https://example.com/field"}},
	}, &answer); status != http.StatusCreated {
		t.Fatalf("creating a pin: %d", status)
	}
	return answer.Post.ID
}

// checkPin reads a pin off the wall.
func (w *world) checkPin(t *testing.T, id string) {
	var answer wallAnswer
	w.eventually(60*time.Second, "the pin is there", func() bool {
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		return answer.Post.Status == "posted"
	})
	page := w.browse(t, answer.Post.Platforms[0].PostURL, http.StatusOK)
	for _, want := range []string{html.EscapeString(wallText), "A &lt;field&gt;", "https://example.com/field", `alt="a black field"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the wall shows no %s:\n%s", want, page)
		}
	}
}

// browse gets a page without a key.
func (w *world) browse(t *testing.T, address string, want int) string {
	response, err := w.client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != want {
		t.Errorf("%s: %s, want %d\n%s", address, response.Status, want, body)
	}
	return string(body)
}

type sandboxAccount struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
}

// sandboxAccounts returns the ids of connected accounts by platform.
func (w *world) sandboxAccounts() map[string]string {
	w.Helper()
	var listed struct{ Accounts []sandboxAccount }
	if status := w.call(http.MethodGet, "/accounts", nil, &listed); status != http.StatusOK {
		w.Fatalf("listing accounts: %d", status)
	}
	byPlatform := map[string]string{}
	for _, a := range listed.Accounts {
		if byPlatform[a.Platform] != "" {
			w.Errorf("two accounts of %s", a.Platform)
		}
		byPlatform[a.Platform] = a.ID
	}
	return byPlatform
}

// completeTwins has two platforms be new and one account be disconnected, and four processes
// start at once.
func (w *world) completeTwins(t *testing.T) {
	before := w.sandboxAccounts()
	if len(before) != len(catalog.Simulators()) {
		t.Fatalf("the first test key has accounts of %v", before)
	}
	if status := w.call(http.MethodDelete, "/accounts/"+before["telegram"], nil, nil); status != http.StatusOK && status != http.StatusNoContent {
		t.Fatalf("disconnecting: %d", status)
	}
	for _, p := range []schema.Platform{schema.Facebook, schema.Threads} {
		if err := compose.ForgetAccounts(t.Context(), w.operator(), w.workspace, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := compose.CompleteTwins(t.Context(), w.operator(), 4); err != nil {
		t.Fatal(err)
	}
	after := w.sandboxAccounts()
	for platform, id := range before {
		switch isNew := platform == "facebook" || platform == "threads"; {
		case platform == "telegram":
			if after[platform] != "" {
				t.Error("an account that was disconnected is connected again")
			}
		case isNew && (after[platform] == "" || after[platform] == id), !isNew && after[platform] != id:
			t.Errorf("%s is %q after, was %q", platform, after[platform], id)
		}
	}
}
