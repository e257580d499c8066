package schema

import "testing"

func TestAPercentSignThatBeginsNoEscapeStandsForItself(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/100%-off":    "https://example.com/100%25-off",
		"https://example.com/a%20b":       "https://example.com/a%20b",
		"https://example.com/%":           "https://example.com/%25",
		"https://example.com/?q=5%25&r=%": "https://example.com/?q=5%25&r=%25",
	} {
		u, err := ParseURL(address)
		if err != nil || u.String() != want {
			t.Errorf("ParseURL(%q) = %v, %v; want %s", address, u, err, want)
		}
	}
}
