package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/schema/wording"
)

// call is one call of a tool: the API as its caller may use it.
type call struct {
	*client.Client
	tool     string
	replayed atomic.Bool // the API answered a creation as it had answered it before
}

// begin returns the call of a tool by whoever sent a message.
func (t *tools) begin(extra *sdk.RequestExtra, tool string) *call {
	var header http.Header
	if extra != nil {
		header = extra.Header
	}
	c := &call{tool: tool}
	c.Client = client.New(t.config.Key(header), client.WithServer(t.config.URL), client.WithUserAgent("crier-mcp"), client.WithRetry(t.config.Retry),
		client.WithHTTPClient(&http.Client{Transport: noting{t.config.Transport, &c.replayed}}))
	return c
}

// noting sees whether an answer is that of an earlier request.
type noting struct {
	http.RoundTripper
	replayed *atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (n noting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := n.RoundTripper.RoundTrip(request)
	if err == nil && response.Header.Get("Idempotency-Replayed") == "true" {
		n.replayed.Store(true)
	}
	return response, err
}

// once names a creation by its tool and its input, so that whoever repeats a call, for whatever
// reason, gets the first answer for a day. An input has a requestId for those who mean it twice.
func (c *call) once(input any) (client.CallOption, error) {
	encoded, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("naming a call: %w", err)
	}
	sum := sha256.Sum256(append([]byte(c.tool+"\n"), encoded...))
	return client.WithIdempotencyKey("mcp-" + hex.EncodeToString(sum[:16])), nil
}

// done is what a creation says of itself.
func (c *call) done(message string) string {
	if c.replayed.Load() {
		return "Nothing new was made: this is the answer to the same call of before. To do it once more on purpose, give another requestId. It was: " + message
	}
	return message
}

// inWords is an error as a model reads it. It has no secret: a key stands in no error of the client.
func inWords(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("crier did not answer within %s. Whether it took effect is not known; the same call again finds out, and does nothing twice", wording.Duration(callLimit))
	}
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%d): %s", cmp.Or(string(refused.Code), "refused"), refused.Status, cmp.Or(refused.Message, "the server gave no reason"))
	for _, d := range refused.Details {
		if !strings.Contains(refused.Message, d.Message) {
			text.WriteString("\n- " + detail(d))
		}
	}
	if refused.RetryAfter > 0 {
		text.WriteString("\nIt may be tried again in " + wording.Duration(refused.RetryAfter) + ".")
	}
	if refused.RequestID != "" {
		text.WriteString("\nrequestId: " + refused.RequestID)
	}
	return errors.New(text.String())
}

// details are what is wrong, or worth a warning, each in a line.
func details(all []client.Detail) (lines []string) {
	for _, d := range all {
		lines = append(lines, detail(d))
	}
	return lines
}

func detail(d client.Detail) string {
	if d.Field == "" {
		return d.Message + " (" + d.Code + ")"
	}
	return d.Field + ": " + d.Message + " (" + d.Code + ")"
}
