package importer_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/cmd/crier/importer"
	"crier/compose"
	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"
	"crier/schema"
)

// childVariable makes this test binary an import of its own, to be killed: its value is the
// JSON of a child.
const childVariable = "CRIER_TEST_IMPORT"

type child struct{ File, URL, Key string }

// rowsVariable is how many rows the killed import has, where it is to be another number
// than fits in every run of the tests.
const rowsVariable = "CRIER_TEST_IMPORT_ROWS"

func TestMain(m *testing.M) {
	embedded.Main() // a child of a child comes first
	if text := os.Getenv(childVariable); text != "" {
		runChild(text)
	}
	embeddedtest.Main(m)
}

func runChild(text string) {
	var c child
	atRest, err := memoryOf("VmRSS:")
	if err == nil {
		err = json.Unmarshal([]byte(text), &c)
	}
	if err == nil {
		_, err = importer.Run(context.Background(), importer.Config{
			File: c.File, URL: c.URL, Key: c.Key, Timezone: "UTC", Progress: io.Discard, Now: time.Now,
		})
	}
	if err == nil {
		err = checkMemory(atRest)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// memoryLimit is what an import may take, however long its file is, above what the program
// takes at rest, of which the race detector and all that it is linked with are a part.
const memoryLimit = 48 << 10 // KiB

// checkMemory holds what this process took at most against memoryLimit. The kernel counts
// it from the start of this program; the usage a parent is told counts the parent too.
func checkMemory(atRest int) error {
	maximum, err := memoryOf("VmHWM:")
	if took := maximum - atRest; err == nil && took > memoryLimit {
		err = fmt.Errorf("the import took %d KiB, at most %d are allowed", took, memoryLimit)
	}
	return err
}

// memoryOf returns a figure of this process's memory, in KiB.
func memoryOf(name string) (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, figure, _ := strings.Cut(string(status), name)
	return strconv.Atoi(strings.Fields(figure)[0])
}

// server is a workspace of the crier that all tests of this binary import into, with accounts on simulators of mastodon
// and bluesky.
type server struct {
	*testing.T
	config    compose.Config
	workspace string
	url, key  string
	accounts  []string // on mastodon
}

var (
	running = sync.OnceValues(startCrier)
	started atomic.Int64 // workspaces: a test may run twice
)

func startCrier() (compose.Config, error) {
	roles, err := compose.ParseRoles("all")
	if err != nil {
		return compose.Config{}, err
	}
	simulators, listen, admin := freeAddress(), freeAddress(), freeAddress()
	c := compose.Config{
		Bases: map[schema.Platform]string{
			schema.Mastodon: "http://" + simulators + "/mastodon", schema.Bluesky: "http://" + simulators + "/bluesky",
		},
		Listen: listen, AdminListen: admin, Roles: roles, Drain: compose.MinDrain,
		MaxLateness: time.Hour, Lead: time.Minute, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	}
	err = embeddedtest.Serve(func(ctx context.Context, _ string, ready func()) error {
		ready()
		return compose.Simulate(ctx, simulators, slog.New(slog.DiscardHandler))
	})
	if err != nil {
		return c, err
	}
	err = embeddedtest.Serve(func(ctx context.Context, folder string, ready func()) error {
		c.Data = filepath.Join(folder, "data")
		return compose.Serve(ctx, c, func(context.Context, *compose.Running) error { ready(); return nil })
	})
	return c, err
}

// newServer makes a workspace with n accounts on mastodon.
func newServer(t *testing.T, n int) *server {
	t.Helper()
	c, err := running()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{T: t, config: c, workspace: fmt.Sprintf("%s-%d", strings.ToLower(t.Name()), started.Add(1)), url: "http://" + c.Listen}
	if s.key, err = compose.CreateKey(t.Context(), c, s.workspace, "operator", false); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.accounts = append(s.accounts, s.connect(schema.Mastodon, schema.Credentials{AccessToken: fmt.Sprintf("token-of-%s-%d", s.workspace, i)}))
	}
	s.connect(schema.Bluesky, schema.Credentials{Identifier: s.workspace + ".bsky.test", Password: "abcd-efgh-ijkl-mnop"})
	return s
}

func (s *server) connect(p schema.Platform, credentials schema.Credentials) string {
	s.Helper()
	account, err := compose.AddAccount(s.Context(), s.config, compose.AccountToAdd{
		Workspace: s.workspace, Platform: p.String(), Server: s.config.Bases[p], Credentials: credentials,
	})
	if err != nil {
		s.Fatal(err)
	}
	return account.ID.String()
}

func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // this machine has no port left
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *server) run(file string, change func(*importer.Config)) (importer.Summary, error) {
	s.Helper()
	c := importer.Config{File: file, URL: s.url, Key: s.key, Timezone: "UTC", Progress: io.Discard, Now: time.Now}
	change(&c)
	return importer.Run(s.Context(), c)
}

// posts counts the posts that the workspace has, and the external ids among them.
func (s *server) posts() (posts, distinct int) {
	s.Helper()
	beside, err := embedded.Neighbour(s.config.Data)
	if err != nil {
		s.Fatal(err)
	}
	conn, err := pgx.Connect(s.Context(), beside.Postgres)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(s.Context())
	err = conn.QueryRow(s.Context(), `
		select count(*), count(distinct content ->> 'externalId') from posts p join workspaces w on w.id = p.workspace_id where w.name = $1`, s.workspace).Scan(&posts, &distinct)
	if err != nil {
		s.Fatal(err)
	}
	return posts, distinct
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rowsPerAccount is how many posts an account takes within 80 days: 40 a day, of the
// platform's 50.
const rowsPerAccount = 80 * 40

// calendar is a table of posts over the accounts and the next 80 days.
func (s *server) calendar(rows int) string {
	var b strings.Builder
	b.WriteString("text,platforms,account,date,time,reference\n")
	from := time.Now().UTC().AddDate(0, 0, 2)
	for i := range rows {
		fmt.Fprintf(&b, "Row number %d of the calendar,mastodon,%s,%s,%02d:%02d,row-%d\n", i,
			s.accounts[i/80%len(s.accounts)], from.AddDate(0, 0, i%80).Format("2006-01-02"), i%24, i%60, i)
	}
	return b.String()
}

func readResults(t *testing.T, name string) map[int][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int][]string{}
	for i, record := range records[1:] {
		row, err := strconv.Atoi(record[0])
		if err != nil || row < i+1 || lines[row] != nil {
			t.Fatalf("line %d of the results is of row %q", i, record[0])
		}
		lines[row] = record
	}
	return lines
}

func TestImport(t *testing.T) {
	s := newServer(t, 1)
	day := time.Now().UTC().AddDate(0, 0, 3).Format("2006-01-02")
	table := "content,platforms,when,metadata.campaign\n" +
		"Fine,mastodon," + day + " 09:00,spring\n" +
		"No platform,myspace," + day + " 09:00,\n" +
		"Too late,mastodon,2099-01-01 09:00,\n" +
		strings.Repeat("x", 501) + ",mastodon," + day + " 09:00,\n" +
		"Also fine,mastodon bluesky," + day + "T10:00:00+02:00,\n"
	t.Run("a dry run makes nothing and says the same", func(t *testing.T) {
		file := write(t, "posts.csv", table)
		summary, err := s.run(file, func(c *importer.Config) { c.DryRun = true })
		if err != nil || summary.Created != 2 || summary.Failed != 3 {
			t.Fatalf("Run = %+v, %v", summary, err)
		}
		if posts, _ := s.posts(); posts != 0 {
			t.Errorf("there are %d posts", posts)
		}
		if got, want := summary.Counts(true), "2 to create, 3 failed"; got != want {
			t.Errorf("the counts are %q, want %q", got, want)
		}
		if want := "in UTC (--timezone): " + day + "T09:00:00 of row 1 is " + day + "T09:00:00Z."; !strings.HasSuffix(summary.Zone, want) {
			t.Errorf("the zone is %q, want %q", summary.Zone, want)
		}
		if line := readResults(t, summary.Results)[1]; line[1] != "to_create" || line[2] != "" || line[3] != day+"T09:00:00Z" {
			t.Errorf("row 1 is %q", line)
		}
	})
	t.Run("each row has its result", func(t *testing.T) {
		summary, err := s.run(write(t, "posts.csv", table), func(*importer.Config) {})
		if err != nil || summary.Created != 2 || summary.Failed != 3 {
			t.Fatalf("Run = %+v, %v", summary, err)
		}
		lines := readResults(t, summary.Results)
		for row, want := range map[int]string{1: "created", 2: "myspace", 3: "90 days", 4: "500", 5: "created"} {
			if line := strings.Join(lines[row], " "); !strings.Contains(line, want) {
				t.Errorf("row %d is %q, want it to say %q", row, line, want)
			}
		}
		sent := strings.SplitAfter(table, "\n")
		want := sent[0] + strings.Join(sent[2:5], "")
		if rest, err := os.ReadFile(summary.FailedRows); err != nil || string(rest) != want || filepath.Base(summary.FailedRows) != "posts.failed.csv" {
			t.Errorf("%s holds %q, %v, want %q", summary.FailedRows, rest, err, want)
		}
	})
	t.Run("a row of a table without a time is told of the flag", func(t *testing.T) {
		summary, err := s.run(write(t, "posts.csv", "content,platforms\nNo time,mastodon\n"), func(c *importer.Config) { c.DryRun = true })
		if err != nil || summary.Failed != 1 {
			t.Fatalf("Run = %+v, %v", summary, err)
		}
		if line := strings.Join(readResults(t, summary.Results)[1], " "); !strings.Contains(line, "status draft is required; --queue puts") {
			t.Errorf("the row is %q", line)
		}
	})
	t.Run("lines of JSON", func(t *testing.T) {
		const timeless = `{"content": "No time", "platforms": ["mastodon"]}` + "\n"
		file := write(t, "posts.jsonl", `{"content": "Of a line", "platforms": ["mastodon"], "status": "draft", "metadata": {"a": "b"}}`+"\n\nnonsense\n"+timeless)
		summary, err := s.run(file, func(*importer.Config) {})
		if err != nil || summary.Created != 1 || summary.Failed != 2 {
			t.Fatalf("Run = %+v, %v", summary, err)
		}
		if line := strings.Join(readResults(t, summary.Results)[4], " "); !strings.Contains(line, "status draft is required") || strings.Contains(line, "--queue") {
			t.Errorf("a line without a time is %q, want it without the flag that only tables take", line)
		}
		if rest, err := os.ReadFile(summary.FailedRows); err != nil || string(rest) != "\nnonsense\n"+timeless { // with the empty line before it
			t.Errorf("the rows that failed are %q, %v", rest, err)
		}
	})
	t.Run("a row that the server cannot read holds up no other", func(t *testing.T) {
		good := `{"content": "%s", "platforms": ["mastodon"], "status": "draft"}` + "\n"
		file := write(t, "posts.jsonl", fmt.Sprintf(good, "before")+fmt.Sprintf(good, `cut \ud83d`)+fmt.Sprintf(good, `twice", "content": "x`)+
			"nonsense\n"+fmt.Sprintf(good, "after"))
		for _, dryRun := range []bool{true, false} {
			summary, err := s.run(file, func(c *importer.Config) { c.DryRun = dryRun })
			if err != nil || summary.Created != 2 || summary.Failed != 3 {
				t.Fatalf("Run = %+v, %v", summary, err)
			}
			lines := readResults(t, summary.Results)
			for row, want := range map[int]string{2: "surrogate", 3: "occurs twice", 4: "not a JSON object"} {
				if line := strings.Join(lines[row], " "); !strings.Contains(line, "invalid_row") || !strings.Contains(line, want) {
					t.Errorf("row %d is %q, want it to say %q", row, line, want)
				}
			}
		}
	})
	t.Run("an import that is done is not begun again by mistake", func(t *testing.T) {
		file := write(t, "posts.csv", table)
		if _, err := s.run(file, func(*importer.Config) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.run(file, func(*importer.Config) {}); err == nil || !strings.Contains(err.Error(), "5 rows of the file without an id or externalId would make new posts") || !strings.Contains(err.Error(), "posts.failed.csv, correct them") {
			t.Errorf("Run = %v", err)
		}
	})
	t.Run("what is refused before anything is made stands in no later import's way", func(t *testing.T) {
		for name, tt := range map[string]struct {
			change func(*importer.Config)
			want   string
		}{
			"a key that is not valid":       {func(c *importer.Config) { c.Key = "crier_live_nonsense" }, "unauthorized"},
			"a zone that is none":           {func(c *importer.Config) { c.Timezone = "Europe/Berln" }, "imezone"},
			"an address without its scheme": {func(c *importer.Config) { c.URL = "localhost:8080" }, "write it like"},
			"a server that is not there":    {func(c *importer.Config) { c.URL, c.Now = "http://127.0.0.1:1", impatient() }, "no server answers at http://127.0.0.1:1"},
		} {
			t.Run(name, func(t *testing.T) {
				file := write(t, "posts.csv", table)
				summary, err := s.run(file, tt.change)
				if err == nil || !strings.Contains(err.Error(), tt.want) || summary.Results != "" {
					t.Errorf("Run = %+v, %v, want an error with %q", summary, err, tt.want)
				}
				if summary, err := s.run(file, func(*importer.Config) {}); err != nil || summary.Created != 2 {
					t.Errorf("then Run = %+v, %v", summary, err)
				}
			})
		}
	})
	t.Run("an import goes on with its own file, key and zone only", func(t *testing.T) {
		for name, change := range map[string]func(*importer.Config){
			"another key":  func(c *importer.Config) { c.Key = "another" },
			"another zone": func(c *importer.Config) { c.Timezone = "Europe/Berlin" },
			"another file": func(c *importer.Config) {
				if err := os.WriteFile(c.File, []byte(table+table), 0o600); err != nil {
					t.Fatal(err)
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				file := write(t, "posts.csv", table)
				away := unavailable(t)
				if _, err := s.run(file, func(c *importer.Config) { c.URL, c.Now = away, impatient() }); err == nil {
					t.Fatal("a server that answers nothing took the rows")
				}
				before, _ := s.posts()
				_, err := s.run(file, func(c *importer.Config) { c.URL = away; change(c) })
				if after, _ := s.posts(); err == nil || !strings.Contains(err.Error(), "begin anew") || before != after {
					t.Errorf("Run = %v; %d posts, then %d", err, before, after)
				}
			})
		}
	})
	t.Run("rows that were on their way a day ago are not sent again", func(t *testing.T) {
		file := write(t, "posts.csv", table)
		away := unavailable(t)
		if _, err := s.run(file, func(c *importer.Config) { c.URL, c.Now = away, impatient() }); err == nil {
			t.Fatal("a server that answers nothing took the rows")
		}
		setURL(t, file, away, s.url)
		before, _ := s.posts()
		summary, err := s.run(file, func(c *importer.Config) {
			c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
		})
		if after, _ := s.posts(); err != nil || summary.Unknown != 4 || summary.Failed != 1 || before != after {
			t.Errorf("Run = %+v, %v; %d posts, then %d", summary, err, before, after)
		}
	})
}

func TestAnUntrustedServerIsAskedOnce(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	var said strings.Builder
	c := importer.Config{File: write(t, "posts.csv", "content,platforms\nHello,mastodon\n"), URL: server.URL, Timezone: "UTC", Progress: &said, Now: time.Now}
	if _, err := importer.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "no server answers") {
		t.Errorf("Run = %v", err)
	}
	if strings.Contains(said.String(), "Trying again") {
		t.Errorf("it was tried again: %s", &said)
	}
}

func TestResultsThatAreGoneAreMissedOnceTheyMatter(t *testing.T) {
	s := newServer(t, 1)
	file := write(t, "posts.csv", s.calendar(30))
	away := unavailable(t)
	if _, err := s.run(file, func(c *importer.Config) { c.URL, c.Now = away, impatient() }); err == nil {
		t.Fatal("a server that answers nothing took the rows")
	}
	setURL(t, file, away, s.url)
	if err := os.Remove(file + ".results.csv"); err != nil {
		t.Fatal(err)
	}
	tomorrow := func(c *importer.Config) { c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) } }
	if _, err := s.run(file, tomorrow); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("Run = %v", err)
	}
	if posts, _ := s.posts(); posts != 0 {
		t.Errorf("%d rows were sent under keys that crier may have forgotten", posts)
	}
	if summary, err := s.run(file, func(*importer.Config) {}); err != nil || summary.Created != 30 {
		t.Errorf("within the day: Run = %+v, %v", summary, err)
	}
}

// impatient is a clock on which a quarter of an hour is over soon.
func impatient() func() time.Time {
	begun := time.Now()
	return func() time.Time { return begun.Add(time.Since(begun) * 600) }
}

// unavailable is a server of which nobody knows what it has done with a request.
func unavailable(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// setURL makes an import's state one of another server.
func setURL(t *testing.T, file, from, to string) {
	t.Helper()
	name := file + ".results.csv.state"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(text), from, to)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAKilledImportLosesAndRepeatsNothing(t *testing.T) {
	rows := 4000
	if text := os.Getenv(rowsVariable); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	s := newServer(t, rows/rowsPerAccount+1)
	file := write(t, "calendar.csv", s.calendar(rows))
	text, err := json.Marshal(child{file, s.url, s.key})
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := 0
	for begun := time.Now(); ; {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), childVariable+"="+string(text))
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 5 {
			at := rows * (2*kills + 1 + random.IntN(2)) / 12
			for wrote := 0; wrote < at && command.ProcessState == nil; wrote = lines(file + ".results.csv") {
				time.Sleep(time.Millisecond)
			}
			if err := command.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			kills++
		}
		err := command.Wait()
		if err == nil {
			t.Logf("%d rows in %v with %d kills", rows, time.Since(begun).Round(time.Millisecond), kills)
			break
		}
		if !strings.Contains(err.Error(), "killed") {
			t.Fatal(err)
		}
	}
	if kills != 5 {
		t.Errorf("the import was done after %d kills", kills)
	}
	posts, distinct := s.posts()
	if posts != rows || distinct != rows {
		t.Errorf("there are %d posts of %d rows, %d rows are there", posts, rows, distinct)
	}
	results := readResults(t, file+".results.csv")
	for row := 1; row <= rows; row++ {
		if line := results[row]; line == nil || line[1] != "created" || line[2] == "" {
			t.Fatalf("row %d is %q", row, line)
		}
	}
}

// lines counts the lines of a file that grows.
func lines(name string) int {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

func TestAnImportKeepsWithinTheRateLimit(t *testing.T) {
	s := newServer(t, 1)
	var refused atomic.Int64
	proxy := limited(t, s.url, &refused)
	summary, err := s.run(write(t, "calendar.csv", s.calendar(200)), func(c *importer.Config) { c.URL = proxy })
	if err != nil || summary.Created != 200 {
		t.Errorf("Run = %+v, %v", summary, err)
	}
	if refused.Load() == 0 {
		t.Error("no request was refused: the limit was not met")
	}
}

// before stands before a server: handle answers a request itself, or has the server do it.
func before(t *testing.T, target string, handle func(w http.ResponseWriter, r *http.Request, server http.Handler)) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	server := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, server) }))
	t.Cleanup(front.Close)
	return front.URL
}

// limited stands before a server and refuses every third request, as the rate limit would.
func limited(t *testing.T, target string, refused *atomic.Int64) string {
	t.Helper()
	var requests atomic.Int64
	return before(t, target, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if requests.Add(1)%3 != 0 {
			server.ServeHTTP(w, r)
			return
		}
		refused.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"success": false, "error": {"code": "rate_limit_exceeded", "message": "slower"}}`)
	})
}

// losing stands before a server and loses its answer to the first change of a post, after what follows from it.
func losing(t *testing.T, target string, follows func()) string {
	t.Helper()
	var isLost atomic.Bool
	return before(t, target, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method != http.MethodPatch || isLost.Swap(true) {
			server.ServeHTTP(w, r)
			return
		}
		server.ServeHTTP(httptest.NewRecorder(), r)
		follows()
		panic(http.ErrAbortHandler)
	})
}
