package spelling_test

import (
	"strings"
	"testing"

	"crier/schema/spelling"
)

func TestNearest(t *testing.T) {
	names := []string{"content", "mediaItems", "platforms", "scheduledFor", "visibility", "x"}
	for name, tt := range map[string]struct{ word, want string }{
		"a letter is missing":        {"visiblity", "visibility"},
		"two letters changed places": {"contnet", "content"},
		"another case":               {"ScheduledFor", "scheduledFor"},
		"joined in another way":      {"scheduled_for", "scheduledFor"},
		"singular":                   {"platform", "platforms"},
		"another word":               {"caption", ""},
		"short and another":          {"ab", ""},
		"empty":                      {"", ""},
		"joints alone":               {"__", ""},
		"far too long":               {strings.Repeat("content", 1000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := spelling.Nearest(tt.word, names); got != tt.want {
				t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}
