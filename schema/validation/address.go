package validation

import "net/url"

// IsWebAddress reports whether a browser can open an address: it is of http or https, and
// names a host.
func IsWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
