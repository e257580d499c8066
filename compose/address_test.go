package compose

import "testing"

func TestEveryAddressOfAMachineIsReachedOnLoopback(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"crier:8080":     "http://crier:8080",
		":8080":          "http://127.0.0.1:8080",
		"0.0.0.0:8080":   "http://127.0.0.1:8080",
		"[::]:8080":      "http://127.0.0.1:8080",
		"[::1]:8080":     "http://[::1]:8080",
	} {
		if got := reachedAt(address); got != want {
			t.Errorf("reachedAt(%s) = %s, want %s", address, got, want)
		}
	}
}
