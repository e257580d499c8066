package compose_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/schema/documenttest"
)

// assistant calls tools with one key, and writes down what both sides say.
type assistant struct {
	*world

	session    *sdk.ClientSession
	transcript *strings.Builder
}

// keyed sends a key with each request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

func (w *world) converse(key string, transcript *strings.Builder) assistant {
	w.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(w.Context(), &sdk.StreamableClientTransport{
		Endpoint: "http://" + w.config.Listen + "/mcp", HTTPClient: &http.Client{Transport: keyed(key)},
	}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { session.Close() })
	return assistant{w, session, transcript}
}

// call calls a tool that does what it is asked for.
func (a assistant) call(tool string, arguments map[string]any) (result assisted) {
	a.Helper()
	text, isError := a.ask(tool, arguments)
	if err := json.Unmarshal([]byte(text), &result); err != nil || isError {
		a.Fatalf("%s: %s", tool, text)
	}
	a.note("← " + spaced(a, []byte(text)))
	return result
}

// confirm calls a tool, and again with the plan that it answers, which it puts into the arguments.
func (a assistant) confirm(tool string, arguments map[string]any) (plan assisted) {
	a.Helper()
	plan = a.call(tool, arguments)
	arguments["confirm"] = plan.Plan
	if done := a.call(tool, arguments); plan.Done || !done.Done {
		a.Errorf("%s: done is %t without confirm and %t with it", tool, plan.Done, done.Done)
	}
	return plan
}

// refused calls a tool that says why it does not do what it is asked for.
func (a assistant) refused(tool string, arguments map[string]any, want string) {
	a.Helper()
	text, isError := a.ask(tool, arguments)
	if !isError || !strings.Contains(text, want) {
		a.Errorf("%s: %s, want an error that says %q", tool, text, want)
	}
	a.note("← error: " + shorten(strings.ReplaceAll(text, "\n", `\n`)))
}

func (a assistant) ask(tool string, arguments map[string]any) (text string, isError bool) {
	a.Helper()
	sent, err := json.Marshal(arguments)
	if err != nil {
		a.Fatal(err)
	}
	a.note("→ " + tool + " " + spaced(a, sent))
	result, err := a.session.CallTool(a.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatal(err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// note adds a line to the transcript, which is broken where it is long.
func (a assistant) note(line string) {
	const width = 150
	length := 0
	for i, word := range strings.Fields(line) {
		if n := len([]rune(word)) + 1; i > 0 && length+n > width {
			a.transcript.WriteString("\n   ")
			length = n + 3
		} else {
			length += n
		}
		if i > 0 {
			a.transcript.WriteByte(' ')
		}
		a.transcript.WriteString(word)
	}
	a.transcript.WriteByte('\n')
}

// spaced is JSON in one line, with spaces at which it can be broken.
func spaced(a assistant, text []byte) string {
	a.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", ""); err != nil {
		a.Fatal(err)
	}
	return shorten(strings.NewReplacer("{\n", "{", "\n}", "}", "[\n", "[", "\n]", "]", "\n", " ").Replace(indented.String()))
}

// shorten leaves of ids what tells them apart, and names the simulator as a platform.
func shorten(text string) string {
	for _, part := range [][2]string{
		{`\b([a-z]+_[0-9a-z]{4})[0-9a-z]{10,}`, "$1…"}, {`http://127\.0\.0\.1:\d+/mastodon`, "https://mastodon.example"}, {`127\.0\.0\.1:\d+`, "mastodon.example"},
		{`\breq_\w+`, "req_…"}, {`user\d+`, "harbour"}, {`person\d+`, "ann"}, {`\.\d+Z`, "Z"},
	} {
		text = regexp.MustCompile(part[0]).ReplaceAllString(text, part[1])
	}
	return text
}

// isInTheDocument compares a conversation with that of docs/mcp.md but for ids and times; -update writes it
// where it differs.
func (w *world) isInTheDocument(transcript string) {
	w.Helper()
	documenttest.Hold(w, "../docs/mcp.md", documenttest.Part{
		Begin: "<!-- conversation: a test's -->\n```\n", End: "```\n<!-- end of the conversation -->", Text: transcript,
		Same: func(written, text string) bool { return sameEachTime(written) == sameEachTime(text) },
	})
}

// sameEachTime is a conversation without what differs between two.
func sameEachTime(transcript string) string {
	transcript = strings.Join(strings.Fields(transcript), " ") // lines break elsewhere with another day's name
	for _, part := range []string{
		`_[0-9a-z]{4}…`, `\d{4}-\d\d-\d\dT[\d:.]+Z`, `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`, `[A-Z][a-z]+day \d+ [A-Z][a-z]+ \d{4} \d\d:\d\d`, `\d{5,}`,
	} {
		transcript = regexp.MustCompile(part).ReplaceAllString(transcript, "·")
	}
	return transcript
}
