package compose

import "testing"

// TestPlatformsReachPublicAddressesAlone has what --public-url may be.
func TestPlatformsReachPublicAddressesAlone(t *testing.T) {
	for address, want := range map[string]string{
		"":                            "",
		"http://127.0.0.1:8080":       "",
		"http://10.1.2.3":             "",
		"http://[::1]:8080":           "",
		"http://localhost:8080":       "",
		"https://crier":               "",
		"https://crier.internal":      "",
		"https://crier.example.com":   "https://crier.example.com/api/v1/files/",
		"https://crier.example.com/":  "https://crier.example.com/api/v1/files/",
		"https://8.8.8.8":             "https://8.8.8.8/api/v1/files/",
		"http://[2600:1901::1]:8080/": "http://[2600:1901::1]:8080/api/v1/files/",
	} {
		if got := (Config{PublicURL: address}).servedFiles(); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
