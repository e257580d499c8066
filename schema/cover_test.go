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
