package compose_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
)

// TestAnUploadIsPublished follows one upload to every platform, over a kill in between, and one
// that some of them take as another picture only.
func TestAnUploadIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var platforms []map[string]any
	for _, p := range append([]schema.Platform{schema.Threads, schema.Instagram, schema.GoogleBusiness, schema.LinkedIn, schema.Facebook}, platformsInTests...) { // the first three fetch it by themselves
		platforms = append(platforms, map[string]any{"platform": p.String(), "accountId": w.connect(p, 1)[0].String()})
	}
	picture := w.upload()
	w.kill()
	w.start()
	var answer postAnswer
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "with a picture", "publishNow": true, "platforms": platforms,
		"mediaItems": []map[string]any{{"mediaId": picture}},
	}, &answer)
	w.eventually(2*time.Minute, "the post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	there := w.simulated()
	if len(there) != len(platforms) {
		t.Fatalf("%d posts are there, want one on each platform: %+v", len(there), there)
	}
	for _, post := range there {
		if len(post.Media) != 1 || post.Media[0].Type != "image/jpeg" {
			t.Errorf("%s has %+v, want the picture", post.Platform, post.Media)
		}
	}
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "made to fit", "publishNow": true, "platforms": platforms,
		"mediaItems": []map[string]any{{"mediaId": w.uploadAs("image/png", strip(t)), "fit": "contain"}},
	}, &answer)
	w.eventually(2*time.Minute, "the other post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	fitted := 0
	for _, post := range w.simulated() {
		if post.Text != "made to fit" {
			continue
		}
		fitted++
		want := "image/png"
		if slices.Contains([]string{"instagram", "threads", "telegram", "linkedin"}, post.Platform) {
			want = "image/jpeg"
		}
		if len(post.Media) != 1 || post.Media[0].Type != want {
			t.Errorf("%s has %+v, want %s", post.Platform, post, want)
		}
	}
	if fitted != len(platforms) {
		t.Errorf("%d of %d platforms have the other post: %v", fitted, len(platforms), w.timeline(answer.Post.ID).Attempts)
	}
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "converted unasked", "publishNow": true, "platforms": platforms[1:2],
		"mediaItems": []map[string]any{{"mediaId": w.uploadAs("image/png", encodePNG(t, 400, 320))}},
	}, &answer)
	w.eventually(2*time.Minute, "the PNG is done", func() bool { return w.done([]string{answer.Post.ID}) })
	if !slices.ContainsFunc(w.simulated(), func(post simulated) bool {
		return post.Text == "converted unasked" && len(post.Media) == 1 && post.Media[0].Type == "image/jpeg"
	}) {
		t.Errorf("instagram has no JPEG of a PNG: %v", w.timeline(answer.Post.ID).Attempts)
	}
}

// upload uploads a picture that every platform takes, and returns its id.
func (w *world) upload() string {
	w.Helper()
	return w.uploadAs("image/jpeg", blackField(w.T))
}

func (w *world) uploadAs(mediaType string, content []byte) string {
	w.Helper()
	var uploaded struct{ Media struct{ ID string } }
	// A slice of bytes is base64 in JSON.
	body := map[string]any{"data": content, "mimeType": mediaType, "altText": "a black field"}
	if status := w.call(http.MethodPost, "/media", body, &uploaded); status != http.StatusCreated {
		w.Fatalf("uploading: %d", status)
	}
	return uploaded.Media.ID
}

// blackField is a JPEG.
func blackField(t *testing.T) []byte { return field(t, 400, 320) }

// uprightField is one for platforms that take no other.
func uprightField(t *testing.T) []byte { return field(t, 400, 600) }

func field(t *testing.T, width, height int) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// strip is a PNG that is too wide for some platforms, and too wide by far for telegram.
func strip(t *testing.T) []byte { return encodePNG(t, 7500, 350) }

func encodePNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// smallestMedia is what a post needs besides its text.
func (w *world) smallestMedia(p schema.Platform) []map[string]any {
	w.Helper()
	if !catalog.Constraints(p).Media.Required {
		return []map[string]any{}
	}
	if p == schema.Pinterest {
		if w.upright == "" {
			w.upright = w.uploadAs("image/jpeg", uprightField(w.T))
		}
		return []map[string]any{{"mediaId": w.upright}}
	}
	if !slices.Contains(catalog.Constraints(p).Media.Kinds, schema.Image) {
		if w.video == "" {
			w.video = w.uploadFilm(64)
		}
		return []map[string]any{{"mediaId": w.video}}
	}
	if w.picture == "" {
		w.picture = w.upload()
	}
	return []map[string]any{{"mediaId": w.picture}}
}

// uploadFilm uploads a video of so many bytes.
func (w *world) uploadFilm(size int64) string {
	w.Helper()
	var given struct{ UploadURL, MediaID string }
	if status := w.call(http.MethodPost, "/media/upload-url", nil, &given); status != http.StatusCreated {
		w.Fatalf("asking where to upload: %d", status)
	}
	request, err := http.NewRequestWithContext(w.Context(), http.MethodPut, given.UploadURL, film(size))
	if err != nil {
		w.Fatal(err)
	}
	request.ContentLength = size
	response, err := w.client.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode/100 != 2 {
		w.Fatalf("uploading: %s", response.Status)
	}
	return given.MediaID
}

// smallestSettings is what a post needs besides its text and its media.
func smallestSettings() map[string]any {
	return map[string]any{
		"tiktok":  map[string]string{"privacy": "PUBLIC_TO_EVERYONE"},
		"youtube": map[string]string{"title": "A video"},
	}
}
