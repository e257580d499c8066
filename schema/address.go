package schema

import (
	"net/url"
	"strings"
)

// ParseURL reads an address as browsers do: a "%" that begins no escape stands for itself
// (url.spec.whatwg.org), as in https://example.com/100%-off.
func ParseURL(address string) (*url.URL, error) { return url.Parse(EscapePercent(address)) }

// EscapePercent returns an address in which each "%" begins an escape.
func EscapePercent(address string) string {
	if !strings.Contains(address, "%") {
		return address
	}
	var escaped strings.Builder
	for i := range len(address) {
		escaped.WriteByte(address[i])
		if address[i] == '%' && !isEscape(address[i:]) {
			escaped.WriteString("25")
		}
	}
	return escaped.String()
}

// isEscape reports whether a text begins with an escape of a URI (RFC 3986, 2.1).
func isEscape(text string) bool {
	return len(text) > 2 && isHex(text[1]) && isHex(text[2])
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}
