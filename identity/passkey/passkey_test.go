package passkey

import "testing"

func TestNewKnowsWhereBrowsersTakePasskeys(t *testing.T) {
	for url, want := range map[string]string{
		"https://crier.example.com":      "crier.example.com",
		"https://Crier.example.com:8443": "crier.example.com",
		"http://localhost:8080":          "localhost",
		"http://crier.localhost":         "crier.localhost",
		"http://crier.example.com":       "",
		"http://127.0.0.1:8080":          "",
		"https://192.0.2.1":              "",
		"https://[2001:db8::1]":          "",
		"https://crier":                  "",
		"":                               "",
	} {
		v, err := New(url)
		switch {
		case err != nil:
			t.Errorf("%s: %v", url, err)
		case v == nil && want != "":
			t.Errorf("%s: no passkeys", url)
		case v != nil && v.relyingParty.Config.RPID != want:
			t.Errorf("%s: passkeys of %s, want %q", url, v.relyingParty.Config.RPID, want)
		}
	}
}
