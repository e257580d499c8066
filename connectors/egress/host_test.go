package egress

import (
	"strings"
	"testing"
)

func TestASCIIHost(t *testing.T) {
	for host, want := range map[string]string{
		"Example.COM":               "example.com",
		"my_shop.example.com":       "my_shop.example.com",
		"r3---sn-abc.example.com":   "r3---sn-abc.example.com",
		"bücher.example":            "xn--bcher-kva.example",
		"mein_laden.Bücher.example": "mein_laden.xn--bcher-kva.example",
		"例え。テスト":                    "xn--r8jz45g.xn--zckzah",
		"example.com.":              "example.com.",
		"2001:db8::1":               "2001:db8::1",
		"192.0.2.1":                 "192.0.2.1",
	} {
		if got, err := ASCIIHost(host); err != nil || got != want {
			t.Errorf("ASCIIHost(%q) = %q, %v; want %q", host, got, err, want)
		}
	}
	for name, host := range map[string]string{
		"an empty label": "a..example", "a space": "a b.example", "a slash": "a/b", "an at": "me@example.com", "nothing": "",
		"a long label": strings.Repeat("a", 64) + ".example", "a long name": strings.Repeat("abc.", 70) + "example",
		"a sign that is no letter": "a☃\u2028.example",
	} {
		if got, err := ASCIIHost(host); err == nil {
			t.Errorf("%s: ASCIIHost(%q) = %q", name, host, got)
		}
	}
}
