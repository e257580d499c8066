package compose_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/simulation"
	"crier/pipeline/mail"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/sleep/sleeptest"
)

// childVariable makes this test binary a crier of its own, to be killed: its value is the
// JSON of a childConfig.
const childVariable = "CRIER_TEST_CHILD"

// plainVariable names this test binary as it is without the race detector, which takes half the
// time of a crier under load. Where it is set, simulators and criers are of that binary unless
// childConfig.Raced says otherwise.
const plainVariable = "CRIER_TEST_PLAIN"

// raceExit is the exit code of a process that the race detector has ended.
const raceExit = 66

type childConfig struct {
	Simulate   string // address of the simulators; empty: serve
	Listen     string
	Admin      string
	Data       string
	Postgres   string
	Kafka      []string
	ClickHouse string
	Keyset     string // empty: in the data folder
	Role       string // empty: all
	Bases      map[schema.Platform]string
	Apps       map[schema.Platform]connectors.App
	Allowed    []netip.Prefix // networks that are let through though they are not public

	MaxMedia    int64    // bytes of one file; 0: of the largest that a platform takes
	Connections int      // to PostgreSQL; 0: what the roles want
	Partitions  int      // of topics that are made
	Jetstream   []string // hosts of Bluesky's stream
	OneCore     bool
	HoldOverdue bool
	Late        time.Duration // DeletionLate
	Panics      bool          // connectors panic where a text asks for it
	OwnSandbox  bool          // newWorldWith has test keys lead to the simulators beside crier
	Mail        *mail.Server  // that takes its mail; nil: it sends none
	Sandbox     string        // where simulators of the sandbox are reached without the role
	Raced       bool          // the race detector watches it, and ends it at the first race
}

func TestMain(m *testing.M) {
	embedded.Main() // a child of a child comes first
	if text := os.Getenv(childVariable); text != "" {
		runChild(text)
	}
	embeddedtest.Main(m)
}

func runChild(text string) {
	var c childConfig
	err := json.Unmarshal([]byte(text), &c)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	switch {
	case err != nil:
	case c.Simulate != "":
		err = compose.Simulate(ctx, c.Simulate, logger)
	case c.Panics:
		err = compose.ServeThrough(ctx, c.serve(logger), panicking)
	default:
		err = compose.Serve(ctx, c.serve(logger), nil)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (c childConfig) serve(logger *slog.Logger) compose.Config {
	roles, _ := compose.ParseRoles(cmp.Or(c.Role, "all"))
	return compose.Config{
		Listen: c.Listen, AdminListen: c.Admin, Data: c.Data, Keyset: c.Keyset, Postgres: c.Postgres, Kafka: c.Kafka, ClickHouse: c.ClickHouse, Bases: c.Bases, Apps: c.Apps, Jetstream: c.Jetstream, Roles: roles, HoldOverdue: c.HoldOverdue,
		PostgresConnections: c.Connections, Partitions: c.Partitions,
		Drain: compose.MinDrain, MaxLateness: time.Hour, AllowPrivateWebhooks: true, Lead: time.Millisecond, AllowedNetworks: c.Allowed,
		MaxMedia: c.MaxMedia, DeletionLate: c.Late, SandboxURL: c.Sandbox, Mail: c.Mail,
		Logger: logger, Registerer: prometheus.NewRegistry(),
	}
}

// world is a crier and the simulators, each in a process of its own.
type world struct {
	*testing.T
	config     childConfig
	simulators string
	crier      *exec.Cmd
	workspace  string
	key        string
	client     *http.Client
	picture    string // an upload for posts that need one
	upright    string // one for platforms that take no other
	video      string // one for platforms that take nothing else
}

// newWorld starts the simulators and a crier on a data folder without anything in it but
// the tables.
func newWorld(t *testing.T, kafka []string) *world {
	t.Helper()
	return newWorldWith(t, childConfig{Kafka: kafka})
}

// newWorldWith starts the simulators and a crier beside the parts that are given.
func newWorldWith(t *testing.T, parts childConfig) *world {
	t.Helper()
	simulators := freeAddress(t)
	w := &world{T: t, simulators: "http://" + simulators, workspace: "acme", client: &http.Client{Timeout: 20 * time.Second}}
	w.config = parts
	w.config.Listen, w.config.Admin = freeAddress(t), freeAddress(t)
	if parts.OwnSandbox {
		w.config.Sandbox = w.simulators
	}
	switch {
	case w.config.Data != "":
	case w.config.Postgres != "":
		w.config.Data = filepath.Join(openDir(t), "data")
	default:
		w.config.Data = embeddedtest.DataWith(t, postgres.Migrate)
	}
	w.config.Bases, w.config.Apps = map[schema.Platform]string{}, map[schema.Platform]connectors.App{}
	for _, simulator := range catalog.Simulators() {
		w.config.Bases[simulator.Platform] = w.simulators + "/" + simulator.Platform.String()
		w.config.Apps[simulator.Platform] = connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}
	}
	w.spawn(childConfig{Simulate: simulators})
	w.start()
	w.key = w.createKey(false)
	return w
}

// openDir is a temporary folder that the user PostgreSQL runs as can enter.
func openDir(t *testing.T) string {
	t.Helper()
	return embeddedtest.Dir(t)
}

// givenPorts are those of freeAddress, whether their owners listen yet or not.
var givenPorts sync.Map

// freeAddress is an address that nobody listens on, and that is given to one caller. Its
// port is below those that the kernel gives to outgoing connections, and those that the
// embedded parts choose among: one of them could take it before it is used.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, last = 10_000, 15_000
	for range 100 {
		port := first + rand.IntN(last-first)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue // somebody has it
		}
		l.Close()
		if _, given := givenPorts.LoadOrStore(port, true); !given {
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// spawn starts a child that ends with the test.
func (w *world) spawn(c childConfig) *exec.Cmd {
	w.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		w.Fatal(err)
	}
	binary := os.Args[0]
	if plain := os.Getenv(plainVariable); plain != "" && !c.Raced {
		binary = plain
	}
	child := exec.Command(binary)
	child.Env = append(os.Environ(), childVariable+"="+string(text), "GORACE=halt_on_error=1 atexit_sleep_ms=50")
	if c.OneCore {
		child.Env = append(child.Env, "GOMAXPROCS=1")
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = child.Process.Signal(syscall.SIGTERM) // it may be gone
		ended := make(chan struct{})
		go func() { _ = child.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(45 * time.Second):
			_ = child.Process.Kill()
			<-ended
		}
		if child.ProcessState.ExitCode() == raceExit {
			w.Error("the race detector has ended a crier, and told why on stderr")
		}
	})
	return child
}

// start starts crier and waits until every role consumes.
func (w *world) start() {
	w.Helper()
	w.crier = w.spawn(w.config)
	w.awaitReady(w.config)
}

// awaitReady waits until a crier does all that its roles are for.
func (w *world) awaitReady(c childConfig) {
	w.Helper()
	var last string
	defer func() {
		if w.Failed() {
			w.Logf("the last answer of %s: %s", c.Admin, last)
		}
	}()
	w.eventually(60*time.Second, c.Listen+" is ready", func() bool {
		response, err := w.client.Get("http://" + c.Admin + "/readyz")
		if err != nil {
			last = err.Error()
			return false
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		last = fmt.Sprintf("%s %s %v", response.Status, answer, err)
		return response.StatusCode == http.StatusOK
	})
}

// kill ends crier as a power cut would.
func (w *world) kill() {
	w.Helper()
	if err := w.crier.Process.Kill(); err != nil {
		w.Fatal(err)
	}
	_ = w.crier.Wait() // it was killed
}

func (w *world) operator() compose.Config {
	c := w.config.serve(slog.New(slog.DiscardHandler))
	return c
}

func (w *world) createKey(test bool) string {
	w.Helper()
	key, err := compose.CreateKey(w.Context(), w.operator(), w.workspace, "operator", test)
	if err != nil {
		w.Fatal(err)
	}
	return key
}

// in returns the same world as another workspace sees it.
func (w *world) in(workspace string) *world {
	w.Helper()
	other := *w
	other.workspace = workspace
	other.key = other.createKey(false)
	return &other
}

// connect connects n accounts of a platform and returns their ids; the first ones are the
// same each time.
func (w *world) connect(p schema.Platform, n int) []schema.AccountID {
	w.Helper()
	var ids []schema.AccountID
	for i := range n {
		path, login := "/connect/"+p.String(), map[string]any{"accessToken": fmt.Sprintf("token-of-user-%d", i)}
		switch p {
		case schema.Bluesky:
			path, login = "/connect/bluesky", map[string]any{"identifier": fmt.Sprintf("user%d.bsky.test", i), "password": "abcd-efgh-ijkl-mnop"}
		case schema.Facebook:
			path, login = "/connect/facebook", map[string]any{"accessToken": fmt.Sprintf("token-of-page-%d", i)}
		case schema.LinkedIn:
			token := fmt.Sprintf("token-of-user-%d", i)
			path, login = "/connect/linkedin", map[string]any{"accessToken": token, "entityId": linkedin.Organizations(token)[0]}
		case schema.GoogleBusiness:
			token := fmt.Sprintf("token-of-user-%d", i)
			path, login = "/connect/google-business", map[string]any{"accessToken": token, "entityId": googlebusiness.Locations(token)[0]}
		case schema.Pinterest:
			token := fmt.Sprintf("token-of-user-%d", i)
			path, login = "/connect/pinterest", map[string]any{"accessToken": token, "entityId": pinterest.Boards(token)[0]}
		case schema.Telegram:
			path, login = "/connect/telegram/channels", map[string]any{"botToken": fmt.Sprintf("%d:%035d", 1000+i, i), "chatId": fmt.Sprintf("@channel%d", i)}
		}
		ids = append(ids, w.connectOne(path, login))
	}
	return ids
}

func (w *world) connectOne(path string, login map[string]any) schema.AccountID {
	w.Helper()
	type account struct{ ID string }
	var answer struct {
		Account  account
		Accounts []account // of telegram
	}
	if status := w.call(http.MethodPost, path, login, &answer); status != http.StatusCreated && status != http.StatusOK {
		w.Fatalf("connecting at %s: %d", path, status)
	}
	for _, a := range append(answer.Accounts, answer.Account) {
		if id, err := schema.ParseID[schema.AccountID](a.ID); err == nil {
			return id
		}
	}
	w.Fatalf("connecting at %s: no id in %+v", path, answer)
	return schema.AccountID{}
}

// call makes a request to the API and decodes its answer; it returns the status.
func (w *world) call(method, path string, body, answer any) int {
	w.Helper()
	status, err := w.tryCall(method, path, body, answer)
	if err != nil && method == http.MethodGet { // once more: the machine may have stood still meanwhile
		status, err = w.tryCall(method, path, body, answer)
	}
	if err != nil {
		w.Fatal(err)
	}
	return status
}

func (w *world) tryCall(method, path string, body, answer any) (int, error) {
	return w.tryRequest(method, path, "", body, answer)
}

// tryKeyed makes a post under an Idempotency-Key.
func (w *world) tryKeyed(key string, body, answer any) (int, error) {
	return w.tryRequest(http.MethodPost, "/posts", key, body, answer)
}

func (w *world) tryRequest(method, path, key string, body, answer any) (int, error) {
	var content io.Reader
	if body != nil {
		document, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(document)
	}
	request, err := http.NewRequest(method, "http://"+w.config.Listen+"/api/v1"+path, content)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if answer == nil {
		return response.StatusCode, nil
	}
	if err := json.Unmarshal(document, answer); err != nil {
		return response.StatusCode, fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, document)
	}
	return response.StatusCode, nil
}

// eventually asks until it is there, the more rarely the longer that takes: other tests wait for
// the same processors. It gives up once the machine has run for so long.
func (w *world) eventually(within time.Duration, what string, there func() bool) {
	w.Helper()
	ran, stop := sleeptest.Start()
	defer stop()
	for ; ran() < within; time.Sleep(min(max(ran()/20, 50*time.Millisecond), time.Second)) {
		if there() {
			return
		}
	}
	w.Fatalf("not within %v: %s", within, what)
}

// simulated is a post as the simulators have it.
type simulated struct {
	Platform string `json:"platform"`
	Account  string `json:"account"`
	ID       string `json:"id"`
	Text     string `json:"text"`
	ReplyTo  string `json:"replyTo"`
	Media    []struct {
		Type string `json:"type"` // such as image/png
		Size int64  `json:"size"`
	} `json:"media"`

	CreatedAt time.Time `json:"createdAt"`
}

func (w *world) simulated() []simulated {
	w.Helper()
	response, err := http.Get(w.simulators + "/_control/posts") // for as long as that takes
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Posts []simulated `json:"posts"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		w.Fatal(err)
	}
	return answer.Posts
}

// receiver is a webhook's receiver that counts what came, by event id.
type receiver struct {
	mu     sync.Mutex
	events map[string]int               // deliveries of an event id
	posts  map[string]map[string]string // event id of a post, by type
}

func (w *world) receive(events ...string) *receiver {
	w.Helper()
	r := &receiver{events: map[string]int{}, posts: map[string]map[string]string{}}
	w.receiveBy(r, events...)
	return r
}

// receiveBy has a handler receive events.
func (w *world) receiveBy(handler http.Handler, events ...string) {
	w.Helper()
	server := httptest.NewServer(handler)
	w.Cleanup(server.Close)
	w.subscribe(server.URL, events...)
}

func (w *world) subscribe(address string, events ...string) {
	w.Helper()
	if status := w.call(http.MethodPost, "/webhooks", map[string]any{"url": address, "events": events}, nil); status != http.StatusCreated {
		w.Fatalf("creating the webhook: %d", status)
	}
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	var payload struct {
		ID, Event string
		Data      struct{ Post struct{ ID string } }
	}
	if json.NewDecoder(request.Body).Decode(&payload) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events[payload.ID]++
	post := payload.Data.Post.ID
	if r.posts[post] == nil {
		r.posts[post] = map[string]string{}
	}
	if before := r.posts[post][payload.Event]; before != "" && before != payload.ID {
		r.posts[post][payload.Event] = "two ids"
		return
	}
	r.posts[post][payload.Event] = payload.ID
}

func (r *receiver) has(post, event string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posts[post][event]
}
