package compose

import (
	"testing"

	"crier/compose/embedded"
)

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

func TestTheSandboxKeepsItsAddress(t *testing.T) {
	folder := t.TempDir()
	start := func() string {
		data, err := embedded.OpenData(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		b := &base{config: Config{Roles: []string{roleSandbox}}, parts: &parts{data: data}}
		if err := b.listenForSandbox(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer b.sandbox.Close()
		return b.simulated
	}
	if first, second := start(), start(); first != second {
		t.Errorf("the sandbox is at %s, after a restart at %s", first, second)
	}
}
