package schema

import "testing"

func TestUnixLines(t *testing.T) {
	for text, want := range map[string]string{"a\r\nb": "a\nb", "a\rb": "a\nb", "a\n\r\nb\r": "a\n\nb\n", "a\nb": "a\nb"} {
		if got := UnixLines(text); got != want {
			t.Errorf("UnixLines(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestATextOfInvisibleSignsIsBlank(t *testing.T) {
	for text, want := range map[string]bool{
		"":                    true,
		" \n\t\u00a0\u3000":   true,
		"\u200b\u200d\ufeff":  true,
		"\u2066\u2069 \u00ad": true,
		"\u3164\u115f\u2800":  true,
		"\ufe0f":              true,
		"a\u200b":             false,
		"\u0600":              false, // ARABIC NUMBER SIGN is seen
		"👩\u200d👩":            false,
	} {
		if got := IsBlank(text); got != want {
			t.Errorf("IsBlank(%+q) = %t, want %t", text, got, want)
		}
	}
}

func TestWithoutInvisible(t *testing.T) {
	for text, want := range map[string]string{
		"\u2066acme6.bsky.social\u2069":  "acme6.bsky.social",
		"\u202a@acme.bsky.social\u202c.": "@acme.bsky.social.",
		"plain":                          "plain",
	} {
		if got := WithoutInvisible(text); got != want {
			t.Errorf("WithoutInvisible(%+q) = %+q, want %+q", text, got, want)
		}
	}
}
