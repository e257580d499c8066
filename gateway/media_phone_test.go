package gateway_test

import (
	"bytes"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/media/mediatest"
	"crier/schema"
)

// TestPhotosOfPhonesOverREST uploads a photo in every format: what a post of it is told, what its owner
// gets back, and what a platform fetches.
func TestPhotosOfPhonesOverREST(t *testing.T) {
	a, _ := newMediaAPI(t)
	for _, p := range []schema.Platform{schema.Bluesky, schema.Instagram, schema.TikTok} {
		a.connect(a.workspace, p, p.String())
	}
	validate := func(item map[string]any, platforms ...string) *answer {
		return a.call(http.MethodPost, "/posts/validate", map[string]any{
			"content": "x", "platforms": platforms, "scheduledFor": a.in(time.Hour), "mediaItems": []any{item},
		})
	}
	for format, mediaType := range map[string]string{"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "heic": "image/heic", "avif": "image/avif"} {
		photo := a.upload(mediatest.Photo(format))
		if photo.at("mimeType").text() != mediaType || photo.at("width").value != float64(mediatest.Width) || photo.at("height").value != float64(mediatest.Height) {
			t.Errorf("%s: %v", format, photo)
		}
		item := map[string]any{"mediaId": photo.at("id").text(), "fit": "cover"}
		validate(item, "bluesky", "instagram").want(http.StatusOK)
		address := photo.at("url").text()
		if _, content := a.fetch(http.MethodGet, address); !bytes.Equal(content, mediatest.Photo(format)) {
			t.Errorf("%s: its owner gets another file", format)
		}
		response, content := a.fetch(http.MethodGet, schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover}.In(address))
		shown, kind, err := image.DecodeConfig(bytes.NewReader(content))
		if err != nil || kind != "jpeg" || mediatest.Says(content) || response.StatusCode != http.StatusOK {
			t.Errorf("%s: instagram fetches %s of %d × %d: %v", format, kind, shown.Width, shown.Height, err)
		}
		if response, content = a.fetch(http.MethodGet, schema.Variant{Platform: schema.Instagram}.In(address)); response.StatusCode != http.StatusOK || mediatest.Says(content) {
			t.Errorf("%s: as it is: %d, with its position: %t", format, response.StatusCode, mediatest.Says(content))
		}
	}
	heic := a.upload(mediatest.Photo("heic"))
	converted := validate(map[string]any{"mediaId": heic.at("id").text()}, "bluesky").want(http.StatusOK)
	if d := converted.at("validation", "warnings", 0); d.at("code").text() != "media_resized" || !strings.Contains(d.at("message").text(), "image/heic") {
		t.Errorf("a HEIC without fit: %v", converted)
	}
	post := a.call(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"bluesky"}, "scheduledFor": a.in(time.Hour),
		"mediaItems": []any{map[string]any{"mediaId": heic.at("id").text(), "keepMetadata": true}},
	}).want(http.StatusCreated)
	if kept, _ := post.at("post", "mediaItems", 0, "keepMetadata").value.(bool); !kept {
		t.Errorf("keepMetadata is not shown: %v", post)
	}
	// This server is reached from outside: instagram gets its copy.
	byURL := validate(map[string]any{"type": "image", "url": "https://media.example/a.jpg"}, "instagram").want(http.StatusOK)
	if warnings := byURL.at("validation", "warnings"); warnings.size() != 0 {
		t.Errorf("a url that instagram fetches: %v", warnings)
	}
}
