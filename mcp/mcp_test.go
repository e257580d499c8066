package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/client/clienttest"
	"crier/compose/embedded/embeddedtest"
	"crier/mcp"
)

// stdioVariable makes this test binary a server on standard input and output, of the API at this
// address with the key beside it.
const stdioVariable, stdioKeyVariable = "CRIER_TEST_MCP_URL", "CRIER_TEST_MCP_KEY"

func TestMain(m *testing.M) {
	if url := os.Getenv(stdioVariable); url != "" {
		key := os.Getenv(stdioKeyVariable)
		err := mcp.Run(context.Background(), mcp.Config{URL: url, Key: func(http.Header) string { return key }, Transport: http.DefaultTransport, Logger: slog.Default()})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	embeddedtest.Main(m)
}

// assistant is a client of the protocol, by the SDK, with one key.
type assistant struct {
	*testing.T
	session *sdk.ClientSession
}

func connect(t *testing.T, transport sdk.Transport) *assistant {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &assistant{t, session}
}

// overHTTP is an assistant that calls a running server.
func overHTTP(t *testing.T, url, key string) *assistant {
	t.Helper()
	return connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: authorized{key}}})
}

// authorized sends a key with each request.
type authorized struct{ key string }

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.key)
	return http.DefaultTransport.RoundTrip(r)
}

// overStdio is an assistant that starts a process of its own.
func overStdio(t *testing.T, url, key string) *assistant {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), stdioVariable+"="+url, stdioKeyVariable+"="+key)
	return connect(t, &sdk.CommandTransport{Command: command})
}

// answer is what tools of all kinds say, as far as a test looks at it.
type response struct {
	text    string // all of it, or the error
	refused bool

	Done       bool
	Message    string
	Plan       string
	PostID     string
	Status     string
	ReplyID    string
	Valid      bool
	Story      []string
	NextCursor string
	Accounts   []struct{ ID, Platform, Name, Problem string }
	Posts      []struct{ ID, Text string }
	Items      []struct{ ItemID, Text, Author string }
}

// ask calls a tool and returns what it says.
func (a *assistant) ask(tool string, arguments map[string]any) (text string, refused bool) {
	a.Helper()
	result, err := a.session.CallTool(a.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

func (a *assistant) call(tool string, arguments map[string]any) (got response) {
	a.Helper()
	if got.text, got.refused = a.ask(tool, arguments); got.refused {
		return got
	}
	if err := json.Unmarshal([]byte(got.text), &got); err != nil {
		a.Fatalf("%s answers %s: %v", tool, got.text, err)
	}
	return got
}

func with(arguments map[string]any, name string, value any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, arguments)
	all[name] = value
	return all
}

// wants checks that a text says all of these.
func (a *assistant) wants(text string, parts ...string) {
	a.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			a.Errorf("%q does not say %q", text, part)
		}
	}
}

func TestAssistants(t *testing.T) {
	server := clienttest.Serve(t, clienttest.WithClickHouse)
	api := client.New(server.Key, client.WithServer(server.URL))
	for name, reach := range map[string]func(t *testing.T, url, key string) *assistant{"streamable HTTP": overHTTP, "stdio": overStdio} {
		t.Run(name, func(t *testing.T) {
			a := reach(t, server.URL, server.Key)
			t.Run("a draft is checked, scheduled and has a story", func(t *testing.T) { (&assistant{t, a.session}).schedulesADraft(name) })
			t.Run("what is published is published once", func(t *testing.T) { (&assistant{t, a.session}).publishesOnce(api, name) })
			t.Run("a comment is answered", func(t *testing.T) { (&assistant{t, a.session}).replies(server, name) })
			t.Run("a draft and a post are taken back", func(t *testing.T) { (&assistant{t, a.session}).cancels(name) })
		})
	}
	a := overHTTP(t, server.URL, server.Key)
	t.Run("a thread is left to people", func(t *testing.T) { (&assistant{t, a.session}).leavesThreads(api) })
	t.Run("all that is public is shown before", func(t *testing.T) { (&assistant{t, a.session}).showsAll(api) })
	t.Run("a confirmation holds for what was planned", func(t *testing.T) { (&assistant{t, a.session}).holdsToPlans(api) })
	t.Run("a draft gets a slot", func(t *testing.T) { (&assistant{t, a.session}).queues(api) })
	t.Run("lists have pages and cut texts", func(t *testing.T) { (&assistant{t, a.session}).pages() })
	t.Run("figures", func(t *testing.T) { (&assistant{t, a.session}).figures(server) })
	t.Run("limits are resources", func(t *testing.T) { (&assistant{t, a.session}).limits() })
	t.Run("wrong input is refused in words", func(t *testing.T) { (&assistant{t, a.session}).wrongInput() })
	t.Run("a key may what it may", func(t *testing.T) { mayAsItsKey(t, server, api) })
	t.Run("messages that are none", func(t *testing.T) { wrongMessages(t, server) })
	t.Run("tools are documented", func(t *testing.T) { documented(t, a) })
}
