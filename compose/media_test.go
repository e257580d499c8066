package compose_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"net/http"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
)

// TestAnUploadIsPublished follows one upload to every platform, over a kill in between.
func TestAnUploadIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var platforms []map[string]any
	for _, p := range append([]schema.Platform{schema.Threads, schema.Instagram, schema.LinkedIn, schema.Facebook}, platformsInTests...) { // the first two fetch it by themselves
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
	w.eventually(60*time.Second, "the post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	there := w.simulated()
	if len(there) != len(platforms) {
		t.Fatalf("%d posts are there, want one on each platform: %+v", len(there), there)
	}
	for _, post := range there {
		if len(post.Media) != 1 || post.Media[0].Type != "image/jpeg" {
			t.Errorf("%s has %+v, want the picture", post.Platform, post.Media)
		}
	}
}

// upload uploads a picture that every platform takes, and returns its id.
func (w *world) upload() string {
	w.Helper()
	var uploaded struct{ Media struct{ ID string } }
	// A slice of bytes is base64 in JSON.
	body := map[string]any{"data": blackField(w.T), "mimeType": "image/jpeg", "altText": "a black field"}
	if status := w.call(http.MethodPost, "/media", body, &uploaded); status != http.StatusCreated {
		w.Fatalf("uploading: %d", status)
	}
	return uploaded.Media.ID
}

// blackField is a JPEG.
func blackField(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, 400, 320)), nil); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// leastMedia is what a post needs besides its text.
func (w *world) leastMedia(p schema.Platform) []map[string]any {
	w.Helper()
	if !catalog.Constraints(p).Media.Required {
		return []map[string]any{}
	}
	if w.picture == "" {
		w.picture = w.upload()
	}
	return []map[string]any{{"mediaId": w.picture}}
}
