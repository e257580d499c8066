package validation

import "crier/schema"

// IsWebAddress reports whether a browser can open an address: it is of http or https, and
// names a host.
func IsWebAddress(text string) bool {
	u, err := schema.ParseURL(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
