package schema_test

import (
	"testing"

	"crier/schema"
)

// TestCoversAreFetchedWithoutMetadata has addresses that settings name: of an upload, and of others.
func TestCoversAreFetchedWithoutMetadata(t *testing.T) {
	const files = "https://crier.example/api/v1/files/media_01k9sr4h2mf8a9c3n6p0q5r7s1/"
	const secret = "0123456789abcdef0123456789abcdef"
	plain := schema.Variant{Platform: schema.Instagram}
	for address, want := range map[string]string{
		files + secret + ".jpg":             files + secret + ".plain-instagram.jpg",
		"https://example.com/a.jpg":         "https://example.com/a.jpg",
		"https://example.com/files/a/b.jpg": "https://example.com/files/a/b.jpg",
		files + "short.jpg":                 files + "short.jpg",
		"https://example.com":               "https://example.com",
	} {
		if got := plain.Cover(address); got != want {
			t.Errorf("%s is fetched at %s, want %s", address, got, want)
		}
	}
	if of, ok := schema.ParseVariant(secret + ".plain-instagram.jpg"); !ok || of != plain {
		t.Errorf("the address names %+v", of)
	}
}

// What fits the platform's own limits is another file, at another address.
func TestVariantsOfEachSetOfLimits(t *testing.T) {
	var id schema.MediaID
	ids := map[schema.MediaID]bool{}
	for want, of := range map[string]schema.Variant{
		"s.cover-google-business.jpg":     {Platform: schema.GoogleBusiness, Fit: schema.FitCover},
		"s.cover-google-business-own.jpg": {Platform: schema.GoogleBusiness, Fit: schema.FitCover, Limits: schema.PlatformLimits},
		"s.plain-threads.jpg":             {Platform: schema.Threads},
		"s.plain-threads-own.jpg":         {Platform: schema.Threads, Limits: schema.PlatformLimits},
	} {
		if got := of.In("s.jpg"); got != want {
			t.Errorf("%+v is at %s, want %s", of, got, want)
		}
		if got, ok := schema.ParseVariant(want); !ok || got != of {
			t.Errorf("%s names %+v, want %+v", want, got, of)
		}
		ids[of.Of(id)] = true
	}
	if len(ids) != 4 {
		t.Errorf("four variants are kept under %d ids", len(ids))
	}
}
