package main

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/schema"
)

func TestAnAssistantNeedsATestKeyOrLive(t *testing.T) {
	crier := filepath.Join(t.TempDir(), "crier")
	if err := os.Link(os.Args[0], crier); err != nil {
		t.Fatal(err)
	}
	keys := map[bool]string{}
	for _, test := range []bool{true, false} {
		key, err := schema.NewAPIKey(rand.Reader, test)
		if err != nil {
			t.Fatal(err)
		}
		keys[test] = key
	}
	_, stderr, code := asCrier(t, []string{"CRIER_KEY=" + keys[false]}, "mcp")
	if code != exitFailure || !strings.Contains(stderr, "say --live") || strings.Contains(stderr, keys[false]) {
		t.Errorf("with a live key: exit code %d, standard error:\n%s", code, stderr)
	}
	document, err := os.ReadFile("../../docs/mcp.md")
	if err != nil || !strings.Contains(string(document), "$ crier mcp\n"+stderr) {
		t.Errorf("docs/mcp.md does not show: %s (%v)", stderr, err)
	}
	for key, arguments := range map[string][]string{keys[true]: {"mcp"}, keys[false]: {"mcp", "--live"}} {
		command := exec.CommandContext(t.Context(), crier, arguments...)
		command.Env = append(os.Environ(), "CRIER_KEY="+key, "CRIER_URL=http://127.0.0.1:1")
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
		if err != nil {
			t.Fatalf("%v: %v", arguments, err)
		}
		if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
			t.Errorf("%v: %+v, %v", arguments, tools, err)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%v ends with %v", arguments, err)
		}
	}
}
