package compose_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// visitor is a person at a browser.
type visitor interface {
	open(address string)
	// submit fills in the page's form, by the names of its fields, and presses the button that
	// is named, or the first.
	submit(filled ...[2]string)
	current() (address, page string)
}

// plainVisitor is one whose browser has no scripts and shows nothing.
type plainVisitor struct {
	gatewaytest.Browser
	page gatewaytest.Page
}

func (v *plainVisitor) open(address string) { v.page = v.Open(address) }

func (v *plainVisitor) submit(filled ...[2]string) {
	values := url.Values{}
	for _, f := range filled {
		values.Add(f[0], f[1])
	}
	v.page = v.Submit(v.page, values)
}

func (v *plainVisitor) current() (address, page string) { return v.page.URL.String(), v.page.Body }

// journey is a person who connects an account, loses it and connects it again.
type journey struct {
	*world
	visitor
	platform schema.Platform
	kind     string // of what they choose; empty: nothing is to be chosen
}

// journeys are those of the platforms whose pages of consent differ most.
func (w *world) journeys(v visitor) []*journey {
	return []*journey{
		{w, v, schema.Mastodon, ""},
		{w, v, schema.Twitter, ""},
		{w, v, schema.Facebook, "page"},
		{w, v, schema.LinkedIn, "organization"},
	}
}

func (j *journey) begin() {
	j.Helper()
	var begun struct{ AuthURL string }
	if status := j.call(http.MethodGet, "/connect/"+j.platform.String(), nil, &begun); status != http.StatusOK {
		j.Fatalf("beginning to connect %s: %d", j.platform, status)
	}
	j.open(begun.AuthURL)
}

func (j *journey) allow() {
	j.submit([2]string{"crier_name", "alice"}, [2]string{"crier_answer", "allow"})
}

func (j *journey) attach() { j.submit([2]string{"decision", "attach"}) }

// sees fails the test unless the page shows all of these.
func (j *journey) sees(texts ...string) {
	j.Helper()
	address, page := j.current()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			j.Fatalf("%s: %s does not show %q: %s", j.platform, address, text, page)
		}
	}
}

// choices are the boxes of a page, with what each is.
var choices = regexp.MustCompile(`name="entity" value="([^"]+)".*<span class="small muted">([^<]*)</span>`)

func (j *journey) choose() {
	j.Helper()
	_, page := j.current()
	boxes := choices.FindAllStringSubmatch(page, -1)
	at := slices.IndexFunc(boxes, func(box []string) bool { return box[2] == j.kind })
	if at < 0 || len(boxes) < 2 {
		j.Fatalf("%s: nothing to choose from: %s", j.platform, page)
	}
	j.submit([2]string{"entity", boxes[at][1]})
}

// connected returns the account that is listed of the platform, if there is one.
func (j *journey) connected() (a struct {
	ID, Name, NativeID string
	IsConnected        bool
}, found bool) {
	j.Helper()
	var listed struct {
		Accounts []struct {
			ID, Name, NativeID string
			IsConnected        bool
		}
	}
	j.call(http.MethodGet, "/accounts?platform="+j.platform.String(), nil, &listed)
	if len(listed.Accounts) == 0 {
		return a, false
	}
	return listed.Accounts[0], true
}

func (j *journey) publishes(text string) {
	j.Helper()
	account, _ := j.connected()
	j.awaitPosted(j.platform, account.ID, text)
}

// awaitPosted publishes a text and waits until the platform has it.
func (w *world) awaitPosted(p schema.Platform, account, text string) {
	w.Helper()
	var answer postAnswer
	body := map[string]any{"content": text, "publishNow": true, "platforms": []any{map[string]any{"platform": p, "accountId": account}}}
	if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
		w.Fatalf("creating a post: %d", status)
	}
	w.eventually(time.Minute, "the post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	if w.posted(answer.Post.ID) == "" || !slices.ContainsFunc(w.simulated(), func(s simulated) bool { return s.Text == text }) {
		w.Fatalf("%s has no %q", p, text)
	}
}

// tokenCalls trade refresh tokens, where consent gives one.
var tokenCalls = map[schema.Platform]string{schema.Twitter: "POST /2/oauth2/token", schema.LinkedIn: "POST /oauth/v2/accessToken"}

func (j *journey) run() {
	j.Helper()
	j.begin()
	j.sees(j.platform.String())
	j.submit([2]string{"crier_answer", "deny"})
	j.sees("Not connected", "You did not allow it")
	if account, found := j.connected(); found {
		j.Fatalf("%+v was connected without consent", account)
	}
	j.begin()
	j.allow()
	j.sees("will be connected to the workspace", j.workspace)
	j.attach()
	if j.kind != "" {
		j.choose()
	}
	account, found := j.connected()
	if !found || !account.IsConnected {
		j.Fatalf("%s: %+v is listed", j.platform, account)
	}
	j.sees("Connected to "+j.workspace, account.Name)
	j.publishes(fmt.Sprintf("first of %s", j.platform))

	lost := &endedAccount{platform: j.platform, id: parsedAccount(j.world, account.ID)}
	j.end(lost, "revoked")
	if operation, ok := tokenCalls[j.platform]; ok { // its refresh token has ended, too
		j.inject(map[string]any{"platform": j.platform.String(), "operation": operation, "status": http.StatusBadRequest, "body": `{"error": "invalid_grant"}`})
	}
	var checked struct {
		Health struct{ Status, ReconnectURL string }
	}
	j.call(http.MethodGet, "/accounts/"+account.ID+"/health", nil, &checked)
	if checked.Health.Status != "expired" {
		j.Fatalf("%s: health %+v", j.platform, checked.Health)
	}
	j.end(lost, "") // for new tokens
	j.open(checked.Health.ReconnectURL)
	j.allow()
	j.attach()
	j.sees("Connected again", account.Name)
	if address, _ := j.current(); !strings.HasPrefix(address, strings.Split(checked.Health.ReconnectURL, "?")[0]) {
		j.Errorf("%s: reconnecting ends at %s", j.platform, address)
	}
	if again, _ := j.connected(); again.ID != account.ID || !again.IsConnected {
		j.Fatalf("%s: %+v is listed, want %s", j.platform, again, account.ID)
	}
	j.publishes(fmt.Sprintf("second of %s", j.platform))
}

func parsedAccount(w *world, text string) schema.AccountID {
	w.Helper()
	id, err := schema.ParseID[schema.AccountID](text)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

// sandboxed connects an account with a test key, which leads to the simulators by itself.
func (w *world) sandboxed(v visitor) {
	w.Helper()
	key := w.key
	defer func() { w.key = key }()
	w.key = w.createKey(true)
	j := &journey{w, v, schema.Twitter, ""}
	before, _ := j.connected()
	j.begin()
	j.allow()
	j.sees("(sandbox)")
	j.attach()
	j.sees("Connected")
	if address, _ := v.current(); strings.HasPrefix(address, w.simulators) {
		w.Errorf("it ends at %s", address)
	}
	var listed struct{ Accounts []struct{ ID string } }
	w.call(http.MethodGet, "/accounts?platform=twitter", nil, &listed)
	if len(listed.Accounts) != 2 || before.ID == "" {
		w.Errorf("accounts of the sandbox: %+v", listed)
	}
}

func TestPersonsConnectAccountsAndPublish(t *testing.T) {
	besideOthers(t)
	w := newWorld(t, testKafka(t))
	v := &plainVisitor{Browser: gatewaytest.Browser{TB: t}}
	for _, j := range w.journeys(v) {
		j.run()
	}
	w.sandboxed(v)
}
