package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/compose/embedded/embeddedtest"
	"crier/gateway/gatewaytest"
	"crier/schema/sleep"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// screen is a terminal of which is read what a command wrote.
type screen struct {
	mu       sync.Mutex
	out, err bytes.Buffer
}

type writer struct {
	screen *screen
	to     *bytes.Buffer
}

func (w writer) Write(b []byte) (int, error) {
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	return w.to.Write(b)
}

// stderr is what was written beside the answer.
func (s *screen) stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err.String()
}

func (s *screen) stdout() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const patience = 3 * time.Minute

// soon waits as long as a test has patience for.
func soon(ctx context.Context, _ time.Duration) error { return sleep.For(ctx, 10*time.Millisecond) }

func newScreen(in string) (*screen, *Terminal) {
	s := new(screen)
	return s, &Terminal{In: strings.NewReader(in), Out: writer{s, &s.out}, Err: writer{s, &s.err}, Now: time.Now, Wait: soon}
}

// start executes a command, with a client where it takes one.
func start(ctx context.Context, command any, t *Terminal) error {
	switch command := command.(type) {
	case interface {
		Run(context.Context, *Terminal) error
	}:
		return command.Run(ctx, t)
	case interface {
		Connect(*Terminal) (*client.Client, error)
		Run(context.Context, *Terminal, *client.Client) error
	}:
		c, err := command.Connect(t)
		if err != nil {
			return err
		}
		return command.Run(ctx, t, c)
	default:
		panic(fmt.Sprintf("%T is no command", command))
	}
}

// runs executes a command and returns what it wrote.
func runs(t *testing.T, command any) string {
	t.Helper()
	s, terminal := newScreen("")
	if err := start(t.Context(), command, terminal); err != nil {
		t.Fatal(err)
	}
	return s.stdout()
}

func TestConsole(t *testing.T) {
	server := clienttest.Serve(t, clienttest.WithClickHouse)
	access := Access{URL: server.URL, Key: server.Key}
	t.Run("posts", func(t *testing.T) { testPosts(t, access) })
	t.Run("profiles", func(t *testing.T) { testProfiles(t, server) })
	t.Run("a device", func(t *testing.T) { testDevice(t, server) })
	t.Run("listening", func(t *testing.T) { testListening(t, server, access) })
	t.Run("accounts", func(t *testing.T) {
		if got := runs(t, &AccountsList{Access: access}); !strings.Contains(got, "ann.bsky.test") || strings.Count(got, "connected") != 2 {
			t.Errorf("accounts list shows %q", got)
		}
	})
	t.Run("an account by consent", func(t *testing.T) { testConsent(t, server) })
	t.Run("the inbox", func(t *testing.T) { testInbox(t, server, access) })
	t.Run("figures", func(t *testing.T) { testAnalytics(t, server, access) })
}

// A person opens the page that the command shows, and allows what it asks for.
func testConsent(t *testing.T, server *clienttest.Server) {
	key, err := client.New(server.Key, client.WithServer(server.URL)).Keys.Create(t.Context(), client.NewKey{Name: "test", Permission: client.Admin, Test: true})
	if err != nil {
		t.Fatal(err)
	}
	s, terminal := newScreen("")
	ctx, interrupt := context.WithTimeout(t.Context(), patience)
	defer interrupt()
	ended := make(chan error, 1)
	go func() {
		ended <- start(ctx, &AccountsConnect{Access: Access{URL: server.URL, Key: key.Secret}, Platform: "twitter"}, terminal)
	}()
	page := regexp.MustCompile(`\n  (http://\S+)\n`)
	var names []string
	for names == nil {
		select {
		case err := <-ended:
			t.Fatalf("it ended before anybody consented: %v", err)
		case <-time.After(10 * time.Millisecond):
			names = page.FindStringSubmatch(s.stderr())
		}
	}
	browser := gatewaytest.Browser{TB: t}
	consented := browser.Submit(browser.Open(names[1]), url.Values{"crier_name": {"alice"}, "crier_answer": {"allow"}})
	if done := browser.Submit(consented, url.Values{"decision": {"attach"}}); done.Status != http.StatusOK {
		t.Fatalf("%s answers %d %s", done.URL, done.Status, done.Body)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := s.stdout(); !strings.Contains(got, "acc_") || !strings.Contains(got, "  twitter   @") {
		t.Errorf("accounts connect shows %q", got)
	}
}

func testPosts(t *testing.T, access Access) {
	picture := filepath.Join(t.TempDir(), "dot.gif")
	if err := os.WriteFile(picture, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), 0o600); err != nil {
		t.Fatal(err)
	}
	uploaded := runs(t, &MediaUpload{Access: access, Files: []string{picture}})
	if !strings.Contains(uploaded, "image/gif") || !strings.Contains(uploaded, "dot.gif") {
		t.Fatalf("media upload shows %q", uploaded)
	}
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, terminal := newScreen("")
	err := start(t.Context(), &MediaUpload{Access: access, Files: []string{text, picture}}, terminal)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 files were not uploaded") || !strings.Contains(err.Error(), "notes.txt") || !strings.Contains(s.stdout(), "dot.gif") {
		t.Errorf("of a file that is none: %v, and %q", err, s.stdout())
	}
	create := &PostsCreate{
		Access: access, Shape: Shape{JSON: true}, Text: "-", To: []string{"mastodon", "bluesky"}, At: time.Now().AddDate(0, 0, 2).Format("2006-01-02") + " 18:00",
		Timezone: "America/New_York", Media: []string{"media_" + uploaded[strings.Index(uploaded, "media_")+6:][:26]}, FirstComment: "First!", Once: "the same", Fit: "cover",
		Setting: []string{"mastodon.visibility=unlisted", "mastodon.sensitive=true", "mastodon.spoilerText=2026", `bluesky.langs=["en"]`},
	}
	var posts [2]client.Post
	for i := range posts { // under one name
		s, terminal := newScreen("From standard input\n")
		if err := start(t.Context(), create, terminal); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(s.stdout()), &posts[i]); err != nil {
			t.Fatal(err)
		}
	}
	post := posts[0]
	if post.ID != posts[1].ID || post.Content != "From standard input" || len(post.MediaItems) != 1 || post.MediaItems[0].Fit != "cover" || post.Timezone != "America/New_York" || post.ScheduledFor.UTC().Hour() < 22 {
		t.Errorf("the posts are %+v", posts)
	}
	if is := post.PlatformSettings; is.Mastodon.Visibility != "unlisted" || is.Mastodon.Sensitive == nil || is.Mastodon.SpoilerText != "2026" || len(is.Bluesky.Langs) != 1 {
		t.Errorf("the settings are %+v", is)
	}
	for _, wrong := range []string{"visibility=private", "mastodon.visiblity=private", "mastadon.visibility=private", "mastodon.sensitive=perhaps", "mastodon.visibility"} {
		if _, err := settings([]string{wrong}); err == nil {
			t.Errorf("%s is taken for a setting", wrong)
		}
	}
	for text, command := range map[string]any{
		post.ID + "  scheduled":  &PostsList{Access: access, Limit: 5, Status: "scheduled"},
		"pending":                &PostsGet{Access: access, Post: post.ID},
		"created":                &PostsGet{Access: access, Post: post.ID, Attempts: true},
		`"id":"` + post.ID + `"`: &PostsList{Access: access, Limit: 5, Shape: Shape{JSON: true}},
	} {
		if got := runs(t, command); !strings.Contains(got, text) {
			t.Errorf("%T shows %q, want %q in it", command, got, text)
		}
	}
	if got := runs(t, &PostsCancel{Access: access, Posts: []string{post.ID}}); got != post.ID+" cancelled\n" {
		t.Errorf("posts cancel shows %q", got)
	}
	_, terminal = newScreen("")
	c, err := access.Connect(terminal)
	if err != nil {
		t.Fatal(err)
	}
	post.Warnings = []client.Detail{{Field: "mediaItems[0]", Message: "it stands still"}}
	if settled, err := create.settled(t.Context(), terminal, c, &post); err != nil || settled.Status != client.PostCancelled || len(settled.Warnings) != 1 {
		t.Errorf("--wait ends with %+v, %v", settled, err)
	}
	if err := start(t.Context(), &PostsRetry{Access: access, Post: post.ID}, terminal); err == nil || !strings.Contains(err.Error(), "invalid_state") {
		t.Errorf("posts retry of one that is cancelled: %v", err)
	}
}

// Somebody who is signed in elsewhere reads the code that the command shows, and decides.
func testDevice(t *testing.T, server *clienttest.Server) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, approved := range []bool{false, true} {
		s, terminal := newScreen("")
		ended := make(chan error, 1)
		go func() {
			ended <- (&Login{Profile: "laptop", URL: server.URL, Device: true, Scope: "read"}).Run(t.Context(), terminal)
		}()
		var names []string
		for pattern := regexp.MustCompile(`/device\?code=(\S+)\n`); names == nil; {
			select {
			case err := <-ended:
				t.Fatalf("it ended before anybody decided: %v", err)
			case <-time.After(10 * time.Millisecond):
				names = pattern.FindStringSubmatch(s.stderr())
			}
		}
		server.Decide(names[1], approved)
		err := <-ended
		if approved != (err == nil) || !approved && !strings.Contains(err.Error(), "it was refused") {
			t.Errorf("approved %v: %v", approved, err)
		}
	}
	profile, err := (Access{Profile: "laptop"}).Server()
	if err != nil {
		t.Fatal(err)
	}
	if err := start(t.Context(), &AccountsList{Access: Access{URL: profile.URL, Key: profile.Key}}, &Terminal{Out: io.Discard, Err: io.Discard}); err != nil {
		t.Errorf("with the key that was kept: %v", err)
	}
}

func testProfiles(t *testing.T, server *clienttest.Server) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if _, err := (Access{}).Server(); err == nil || !strings.Contains(err.Error(), "crier login") {
		t.Errorf("without any profile: %v", err)
	}
	_, terminal := newScreen("crier_live_nonsense\n")
	if err := (&Login{Profile: "prod", URL: server.URL}).Run(t.Context(), terminal); err == nil || !strings.Contains(err.Error(), "unauthorized") {
		t.Errorf("with a key that is none: %v", err)
	}
	_, terminal = newScreen(server.Key + "\n")
	if err := (&Login{Profile: "prod", URL: server.URL + "/"}).Run(t.Context(), terminal); err != nil {
		t.Fatal(err)
	}
	want := Profile{URL: server.URL, Key: server.Key}
	for name, tt := range map[string]struct {
		access Access
		want   Profile
		err    string
	}{
		"the current one":                {Access{}, want, ""},
		"by name":                        {Access{Profile: "prod"}, want, ""},
		"by its server":                  {Access{URL: server.URL + "/"}, want, ""},
		"another name":                   {Access{Profile: "test"}, Profile{}, "there are prod"},
		"a key of its own":               {Access{Key: "k"}, Profile{URL: client.DefaultServer, Key: "k"}, ""},
		"a kept key for another server":  {Access{URL: "https://other.example"}, Profile{}, "no key of https://other.example"},
		"a kept server with another key": {Access{Profile: "prod", Key: "k"}, Profile{}, "name one of them"},
	} {
		got, err := tt.access.Server()
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	file, err := profilesFile()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Access{}).Server(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("with a file for all to read: %v", err)
	}
}

func testListening(t *testing.T, server *clienttest.Server, access Access) {
	c := client.New(server.Key, client.WithServer(server.URL))
	s, terminal := newScreen("")
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- start(ctx, &WebhooksListen{Access: access, Listen: "127.0.0.1:0"}, terminal) }()
	var hooks []client.Webhook
	for deadline := time.Now().Add(patience); len(hooks) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var err error
		if hooks, err = c.Webhooks.List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for result := new(client.WebhookTest); result.ResponseCode != http.StatusNoContent; { // its secret is known a moment later
		var err error
		if result, err = c.Webhooks.Test(t.Context(), hooks[0].ID, client.EventPostPublished); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.Post(hooks[0].URL, "application/json", strings.NewReader(`{"event": "post.published"}`)) //nolint:gosec // of this test
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("what is not signed is answered %v, %v", response.StatusCode, err)
	}
	if got := s.stdout(); strings.Count(got, "verified") != 1 || !strings.Contains(got, "post.published") || !strings.Contains(got, "(test)") {
		t.Errorf("it shows %q", got)
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if hooks, err := c.Webhooks.List(t.Context()); err != nil || len(hooks) > 0 {
		t.Errorf("after its end there are %+v, %v", hooks, err)
	}
}

// What status reads is what docs/operating/metrics.md says there is, which another test holds against a process.
func TestStatusReadsTheMetricsThatThereAre(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/operating/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(docs)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`crier_") {
			continue
		}
		var labels []string
		for label := range strings.SplitSeq(strings.TrimSpace(cells[2]), ", ") {
			if label != "" {
				labels = append(labels, label+`="crier-x"`)
			}
		}
		name, set := strings.Trim(cells[1], " `"), strings.Join(labels, ",")
		if name != "crier_lateness_seconds" {
			text.WriteString(name + "{" + set + "} 2\n")
			continue
		}
		text.WriteString("# TYPE " + name + " histogram\n")
		for _, bucket := range []string{`"0.1"} 5`, `"0.5"} 9`, `"+Inf"} 10`} {
			text.WriteString(name + "_bucket{" + set + ",le=" + bucket + "\n")
		}
		text.WriteString(name + "_count{" + set + "} 10\n" + name + "_sum{" + set + "} 3\n")
	}
	h := Health{Ready: true, Postgres: "ready", Disk: "full"}
	if err := h.measure(strings.NewReader(text.String())); err != nil {
		t.Fatal(err)
	}
	if h.Overdue != 2 || h.OldestOverdue != 2 || h.Held != 2 || h.OverdueAge != 2 || h.OldestInOutbox != 2 || h.Breakers["crier-x"] != 2 || h.Outcomes["crier-x"] != 2 ||
		h.Deliveries["crier-x"] != 2 || !h.Behind["crier-x"] || h.Lateness["crier-x"] != (Lateness{10, 0.1, 0.5}) {
		t.Errorf("it reads %+v", h)
	}
	if waits, lags := h.Stages["crier-x"], h.Stages["x"]; waits == nil || waits.Queued != 2 || waits.DeadLetters != 2 || lags == nil || lags.Lag != 2 {
		t.Errorf("stages are %+v", h.Stages)
	}
	for age, want := range map[float64]string{2: "held 2; oldest", 40: "held 2, as of 40s ago; oldest"} {
		var output strings.Builder
		h.OverdueAge = age
		if err := h.show(&Terminal{Out: &output}); err != nil || !strings.Contains(output.String(), want) || !strings.Contains(output.String(), "disk of the data folder full") {
			t.Errorf("with figures %v s old it shows %q, %v; want %q in it", age, output.String(), err, want)
		}
	}
}
