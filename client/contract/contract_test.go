package contract_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/client/clienttest"
	"crier/client/contract"
	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// driver does tasks by a client.
type driver interface {
	do(ctx context.Context, task contract.Task) (contract.Outcome, error)
}

// room is a server with a proxy of one driver before it.
type room struct {
	*clienttest.Server
	proxy *contract.Proxy
	name  string
}

// enter gives each driver a proxy and, for what it makes, a name of its own.
func enter(t *testing.T, server *clienttest.Server, name string) room {
	t.Helper()
	proxy, err := contract.NewProxy(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	return room{server, proxy, name}
}

// TestContract has the Go client keep the contract, and whoever has none fail where the client is what keeps it.
func TestContract(t *testing.T) {
	server := clienttest.Serve(t)
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		keepsAll(t, enter(t, server, "go"), goDriver{})
	})
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		withoutLayer(t, enter(t, server, "bare"))
	})
}

// withoutLayer does every case by what stands in the description alone, and prints what is not kept (with -v). The
// documents say of how many cases that is.
func withoutLayer(t *testing.T, room room) {
	all, failed := cases(t), 0
	for _, c := range all {
		wrong := room.run(t, bare{}, c)
		if (len(wrong) > 0) != c.Layer {
			t.Errorf("%s: without the layer it fails: %v, want %v (%v)", c.Name, len(wrong) > 0, c.Layer, wrong)
		}
		if len(wrong) == 0 {
			t.Logf("kept    %s", c.Name)
			continue
		}
		failed++
		t.Logf("broken  %s: %s", c.Name, strings.Join(wrong, "; "))
	}
	document, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	if sentence := fmt.Sprintf("break %d of the %d cases", failed, len(all)); !strings.Contains(string(document), sentence) {
		t.Errorf("docs/client.md does not say that it %s", sentence)
	}
}

// keepsAll holds a client against every case and every delivery.
func keepsAll(t *testing.T, room room, d driver) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for _, wrong := range room.run(t, d, c) {
				t.Error(wrong)
			}
		})
	}
	t.Run("a tour of the resources", func(t *testing.T) {
		task := contract.Task{Action: "tour", URL: room.URL, Key: room.Key, Input: map[string]any{"name": room.name + ": tour"}}
		if outcome, err := d.do(t.Context(), task); err != nil || outcome.Error != nil || outcome.Value != "round" {
			t.Errorf("the tour ended with %+v, %v", outcome, err)
		}
	})
	for _, delivery := range contract.Deliveries() {
		t.Run("delivery: "+delivery.Name, func(t *testing.T) { receive(t, d, delivery) })
	}
}

func cases(t *testing.T) []contract.Case {
	t.Helper()
	all, err := contract.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// run does one case and says what is not as it must be.
func (r room) run(t *testing.T, d driver, c contract.Case) []string {
	t.Helper()
	name := r.name + ": " + c.Name
	task := contract.Task{Action: c.Do, URL: r.proxy.URL, Key: r.Key, Input: r.input(t, c, name), Patience: c.Patience.Seconds(), Abort: c.Abort.Seconds()}
	if key, ok := c.With["key"].(string); ok {
		task.Key = key
	}
	if c.With["nowhere"] != nil {
		task.URL = nowhere(t)
	}
	r.proxy.Begin(c)
	outcome, err := d.do(t.Context(), task)
	if err != nil {
		return []string{err.Error()}
	}
	keys := r.proxy.Keys()
	r.proxy.Begin(contract.Case{})
	w := &wrongs{}
	w.count("posts", c.Must.Posts, func() int {
		return r.count(t, "/posts?limit=100&externalId="+url.QueryEscape(name), "posts", "externalId", name)
	})
	w.count("brands", c.Must.Brands, func() int { return r.count(t, "/brands", "brands", "name", name) })
	w.count("requests", c.Must.Requests, func() int { return len(keys) })
	w.count("keys", c.Must.Keys, func() int { return distinct(keys) })
	w.count("items", c.Must.Items, func() int { return distinct(outcome.Items) })
	if c.Must.Items != nil && distinct(outcome.Items) != len(outcome.Items) && c.Do == "list" {
		w.add("items were read twice: %v", outcome.Items)
	}
	if c.Must.Value != "" && outcome.Value != c.Must.Value {
		w.add("the value is %q, want %q", outcome.Value, c.Must.Value)
	}
	w.waits(outcome.Waits, c.Must.Waits)
	w.failure(outcome.Error, c.Must.Error)
	if c.Must.Progress {
		w.progress(outcome.Progress)
	}
	return w.messages
}

// nowhere is an address at which nobody listens any more.
func nowhere(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// input is what the driver is told of a case.
func (r room) input(t *testing.T, c contract.Case, name string) map[string]any {
	t.Helper()
	input := map[string]any{"name": name}
	for key, value := range c.With {
		if key != "name" && key != "key" && key != "nowhere" {
			input[key] = value
		}
	}
	if c.With["name"] == true {
		input["idempotencyKey"] = name
	}
	switch c.Do {
	case "upload":
		content := film(2*clienttest.PartBytes + 1000)
		if c.With["text"] != nil {
			content = []byte("text")
		}
		input["content"] = base64.StdEncoding.EncodeToString(content)
	case "cancel":
		input["id"] = r.post(t, name, map[string]any{"scheduledFor": time.Now().Add(time.Hour)})
	case "change", "read":
		input["id"] = r.post(t, name, map[string]any{"status": "draft"})
	case "list", "first of a list":
		for range 5 {
			r.post(t, name, map[string]any{"status": "draft"})
		}
	}
	return input
}

// post makes a post without any client.
func (r room) post(t *testing.T, name string, post map[string]any) string {
	t.Helper()
	post["content"], post["platforms"], post["externalId"] = "Before", []string{"mastodon"}, name
	post["metadata"] = map[string]string{"kept": "yes"}
	body, err := json.Marshal(post)
	if err != nil {
		t.Fatal(err)
	}
	var response struct{ Post struct{ ID string } }
	r.ask(t, http.MethodPost, "/posts", string(body), &response)
	return response.Post.ID
}

// count counts what crier lists under a name.
func (r room) count(t *testing.T, path, list, field, name string) int {
	t.Helper()
	var response map[string]json.RawMessage
	r.ask(t, http.MethodGet, path, "", &response)
	var all []map[string]any
	if err := json.Unmarshal(response[list], &all); err != nil {
		t.Fatal(err)
	}
	return len(slices.DeleteFunc(all, func(call map[string]any) bool { return call[field] != name }))
}

// ask calls crier itself, not by the proxy.
func (r room) ask(t *testing.T, method, path, body string, answer any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+r.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
}

// receive has a client verify a delivery.
func receive(t *testing.T, d driver, delivery contract.Forged) {
	outcome, err := d.do(t.Context(), contract.Task{Action: "verify", Input: map[string]any{
		"headers": delivery.Header, "body": delivery.Body, "secret": delivery.Secret, "now": delivery.Now.Unix(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	why := ""
	if outcome.Error != nil {
		why = outcome.Error.Kind
	}
	if outcome.Value != delivery.Want || why != delivery.Why {
		t.Errorf("received %q, refused for %q, want %q and %q: %+v", outcome.Value, why, delivery.Want, delivery.Why, outcome.Error)
	}
}

// wrongs is what is not as it must be.
type wrongs struct{ messages []string }

func (w *wrongs) add(format string, args ...any) {
	w.messages = append(w.messages, fmt.Sprintf(format, args...))
}

func (w *wrongs) count(what string, want *int, count func() int) {
	if want == nil {
		return
	}
	if n := count(); n != *want {
		w.add("%d %s, want %d", n, what, *want)
	}
}

// waits compares waits, which are spread by a quarter unless the server named them.
func (w *wrongs) waits(got, want []float64) {
	if want == nil {
		return
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= b/4+0.1 }
	if !slices.EqualFunc(got, want, near) {
		w.add("the waits are %v s, want %v", got, want)
	}
}

func (w *wrongs) failure(got, want *contract.Failure) {
	if got == nil || want == nil {
		if got != nil || want != nil {
			w.add("the error is %+v, want %+v", got, want)
		}
		return
	}
	if strings.Contains(got.Message, "/uploads/") || strings.Contains(got.Message, "crier_") {
		w.add("the error tells a secret: %s", got.Message)
	}
	rest := *got
	rest.Message = ""
	if want.Details == 0 {
		rest.Details = 0
	}
	if rest != *want {
		w.add("the error is %+v, want %+v", *got, *want)
	}
}

// progress may begin again where a part does, never beyond the whole.
func (w *wrongs) progress(reports []int64) {
	const whole = 2*clienttest.PartBytes + 1000
	if len(reports) < 3 || reports[len(reports)-1] != whole || slices.Max(reports) > whole || slices.Min(reports) < 0 {
		w.add("told was %v, want an end at %d", reports, whole)
	}
}

func distinct(all []string) int {
	seen := map[string]bool{}
	for _, message := range all {
		seen[message] = true
	}
	return len(seen)
}

// film is an MP4 without a track, of so many bytes.
func film(size int) []byte {
	box := func(size int, kind string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(size)), kind...)
	}
	head := append(append(box(20, "ftyp"), "isom\x00\x00\x02\x00mp42"...), box(8, "moov")...)
	head = append(head, box(size-len(head), "mdat")...)
	return append(head, make([]byte, size-len(head))...)
}
