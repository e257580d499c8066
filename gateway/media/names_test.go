package media_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"crier/gateway/gatewaytest"
)

// Names and texts of files come in bytes that nobody has looked at: PostgreSQL takes
// neither U+0000 nor what is no UTF-8.
func TestUploadsWithNamesThatAreNoText(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 8, 8)
	form := func(fileName, altText string) (body, contentType string) {
		body, contentType = gatewaytest.MediaForm(t, dot, "alt_text", altText)
		return strings.Replace(body, `filename="dot.png"`, fileName, 1), contentType
	}
	for name, fileName := range map[string]string{
		"U+0000": `filename*=UTF-8''a%00b.png`, "no UTF-8": `filename="a` + "\xff" + `b.png"`,
		"more bytes than are kept": `filename="` + strings.Repeat("é", 200) + `.png"`,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			body, contentType := form(fileName, "x")
			got := a.Request(http.MethodPost, "/media", body, "Content-Type", contentType).Want(http.StatusCreated).At("media", "fileName").Text()
			if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\uFFFD") || len(got) < 2 || len(got) > 255 {
				t.Errorf("fileName = %q", got)
			}
		})
	}
	for name, altText := range map[string]string{"U+0000": "a\x00b", "no UTF-8": "a\xffb"} {
		t.Run("an alternative text with "+name, func(t *testing.T) {
			a.Under(t)
			body, contentType := form(`filename="dot.png"`, altText)
			e := a.Request(http.MethodPost, "/media", body, "Content-Type", contentType).WantError(http.StatusBadRequest, "validation_error")
			if got := e.At("details", 0, "field").Text(); got != "alt_text" {
				t.Errorf("details = %v", e.At("details"))
			}
		})
	}
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(dot) }))
	t.Cleanup(source.Close)
	for _, path := range []string{"/a%00b.png", "/a%ffb.png", "/" + strings.Repeat("%C3%A9", 200) + ".png"} {
		a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL + path}).Want(http.StatusCreated)
	}
}
