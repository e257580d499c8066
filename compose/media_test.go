package compose_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// TestAnUploadIsPublished follows one upload to every platform, over a kill in between.
func TestAnUploadIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var platforms []map[string]any
	for _, p := range append([]schema.Platform{schema.Threads}, platformsInTests...) { // the first fetches it by itself
		platforms = append(platforms, map[string]any{"platform": p.String(), "accountId": w.connect(p, 1)[0].String()})
	}
	var uploaded struct{ Media struct{ ID string } }
	// A slice of bytes is base64 in JSON.
	body := map[string]any{"data": blackField(t), "mimeType": "image/png", "altText": "a black field"}
	if status := w.call(http.MethodPost, "/media", body, &uploaded); status != http.StatusCreated {
		t.Fatalf("uploading: %d", status)
	}
	w.kill()
	w.start()
	var answer postAnswer
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "with a picture", "publishNow": true, "platforms": platforms,
		"mediaItems": []map[string]any{{"mediaId": uploaded.Media.ID}},
	}, &answer)
	w.eventually(60*time.Second, "the post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	there := w.simulated()
	if len(there) != len(platforms) {
		t.Fatalf("%d posts are there, want one on each platform: %+v", len(there), there)
	}
	for _, post := range there {
		if len(post.Media) != 1 || post.Media[0].Type != "image/png" {
			t.Errorf("%s has %+v, want the picture", post.Platform, post.Media)
		}
	}
}

// blackField is a PNG.
func blackField(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewPaletted(image.Rect(0, 0, 400, 320), color.Palette{color.Black})); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}
