package schema_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"crier/schema"
)

func TestNewAPIKeyIsOfItsForm(t *testing.T) {
	for name, tt := range map[string]struct {
		sandbox bool
		prefix  string
	}{
		"live": {false, "crier_live_"},
		"test": {true, "crier_test_"},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := schema.NewAPIKey(rand.Reader, tt.sandbox)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(key, tt.prefix) || len(key) != len(tt.prefix)+36 {
				t.Errorf("NewAPIKey = %q", key)
			}
			if err := schema.CheckAPIKey(key); err != nil {
				t.Errorf("CheckAPIKey(%q) = %v", key, err)
			}
		})
	}
}

func TestNewAPIKeySkipsBytesThatWouldFavourDigits(t *testing.T) {
	random := append([]byte{255, 248}, bytes.Repeat([]byte{61}, 30)...)
	key, err := schema.NewAPIKey(bytes.NewReader(random), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := key[len("crier_live_"):][:30]; got != strings.Repeat("z", 30) {
		t.Errorf("digits = %q, want the two biased bytes left out", got)
	}
}

func TestNewAPIKeyNeedsRandomness(t *testing.T) {
	if key, err := schema.NewAPIKey(strings.NewReader("short"), false); err == nil {
		t.Errorf("NewAPIKey = %q without enough randomness", key)
	}
}

func TestCheckAPIKeyRefusesATypo(t *testing.T) {
	key, err := schema.NewAPIKey(rand.Reader, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range key {
		typo := []byte(key)
		if typo[i]++; schema.CheckAPIKey(string(typo)) == nil {
			t.Errorf("a typo at %d passes", i)
		}
	}
	for _, text := range []string{"", "crier_live_", key + "0", key[:len(key)-1], " " + key[1:]} {
		if schema.CheckAPIKey(text) == nil {
			t.Errorf("CheckAPIKey(%q) passes", text)
		}
	}
}
