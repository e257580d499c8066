package media

import (
	"testing"

	"crier/schema"
)

// A platform that takes JPEG alone gets an uploaded PNG as one, without anybody asking: crier serves the
// file. What it would not take for another reason is refused as it is.
func TestAnUploadOfAnotherFormatIsConverted(t *testing.T) {
	c := demanding(1 << 20)
	c.Media.Converts = true
	l, _ := fittingLibrary(t, c)
	source := l.Fitting(nil, c.Platform)
	for name, tt := range map[string]struct {
		width int
		taken bool
	}{
		"an upload":                      {120, true},
		"an upload that is too wide too": {900, false},
	} {
		t.Run(name, func(t *testing.T) {
			id := l.keep(t, encoded(t, quarters(tt.width, 110), "image/png"))
			item := schema.Media{Kind: schema.Image, MediaID: id, URL: "https://crier.example/media/m/secret.png"}
			facts := schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: tt.width, Height: 110}
			item.Facts = &facts
			got, err := Inspect(t.Context(), source, item, c)
			if (err == nil) != tt.taken {
				t.Fatalf("Inspect = %v", err)
			}
			const address = "https://crier.example/media/m/secret.plain-instagram.png"
			if tt.taken && (got.URL != address || got.Facts.Type != "image/jpeg" || got.Facts.Width != tt.width) {
				t.Errorf("it is %s, %+v", got.URL, got.Facts)
			}
		})
	}
	of, ok := schema.ParseVariant("secret.plain-instagram.png")
	if !ok || of != (schema.Variant{Platform: schema.Instagram}) {
		t.Errorf("its address is of %+v, %t", of, ok)
	}
}
