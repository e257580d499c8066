package media_test

import (
	"bytes"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/media/mediatest"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// TestPhotosOfPhonesOverREST uploads a photo in every format: what a post of it is told, what its owner
// gets back, and what a platform fetches.
func TestPhotosOfPhonesOverREST(t *testing.T) {
	a, _ := newMediaAPI(t)
	for _, p := range []schema.Platform{schema.Bluesky, schema.Instagram, schema.TikTok} {
		a.AddAccount(a.Workspace, p, p.String())
	}
	validate := func(item map[string]any, platforms ...string) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts/validate", map[string]any{
			"content": "x", "platforms": platforms, "scheduledFor": a.In(time.Hour), "mediaItems": []any{item},
		})
	}
	for format, mediaType := range map[string]string{"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "heic": "image/heic", "avif": "image/avif"} {
		photo := a.Upload(mediatest.Photo(format))
		if photo.At("mimeType").Text() != mediaType || photo.At("width").Value != float64(mediatest.Width) || photo.At("height").Value != float64(mediatest.Height) {
			t.Errorf("%s: %v", format, photo)
		}
		item := map[string]any{"mediaId": photo.At("id").Text(), "fit": "cover"}
		validate(item, "bluesky", "instagram").Want(http.StatusOK)
		address := photo.At("url").Text()
		if response := a.Fetch(http.MethodGet, address); !bytes.Equal(response.Body, mediatest.Photo(format)) {
			t.Errorf("%s: its owner gets another file", format)
		}
		response := a.Fetch(http.MethodGet, schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover}.In(address))
		picture, kind, err := image.DecodeConfig(bytes.NewReader(response.Body))
		if err != nil || kind != "jpeg" || mediatest.Says(response.Body) || response.Status != http.StatusOK {
			t.Errorf("%s: instagram fetches %s of %d × %d: %v", format, kind, picture.Width, picture.Height, err)
		}
		if response = a.Fetch(http.MethodGet, schema.Variant{Platform: schema.Instagram}.In(address)); response.Status != http.StatusOK || mediatest.Says(response.Body) {
			t.Errorf("%s: as it is: %d, with its position: %t", format, response.Status, mediatest.Says(response.Body))
		}
	}
	heic := a.Upload(mediatest.Photo("heic"))
	converted := validate(map[string]any{"mediaId": heic.At("id").Text()}, "bluesky").Want(http.StatusOK)
	if d := converted.At("validation", "warnings", 0); d.At("code").Text() != "media_resized" || !strings.Contains(d.At("message").Text(), "image/heic") {
		t.Errorf("a HEIC without fit: %v", converted)
	}
	post := a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"bluesky"}, "scheduledFor": a.In(time.Hour),
		"mediaItems": []any{map[string]any{"mediaId": heic.At("id").Text(), "keepMetadata": true}},
	}).Want(http.StatusCreated)
	if keeps, _ := post.At("post", "mediaItems", 0, "keepMetadata").Value.(bool); !keeps {
		t.Errorf("keepMetadata is not shown: %v", post)
	}
	// This server is reached from outside: instagram gets its copy.
	byURL := validate(map[string]any{"type": "image", "url": "https://media.example/a.jpg"}, "instagram").Want(http.StatusOK)
	if warnings := byURL.At("validation", "warnings"); warnings.Len() != 0 {
		t.Errorf("a url that instagram fetches: %v", warnings)
	}
}
