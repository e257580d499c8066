package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
)

// TestMain lets the test binary be a worker too: it is given the role as crier is.
func TestMain(m *testing.M) {
	if role, isWorker := strings.CutPrefix(os.Args[len(os.Args)-1], "--worker="); isWorker {
		if err := Work(context.Background(), role, os.Stdin, os.Stdout, slog.New(slog.DiscardHandler)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	embeddedtest.Main(m)
}

func newSession(t *testing.T) *session {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &session{config: Config{Executable: executable, Figures: io.Discard, Progress: t.Output()}, began: time.Now()}
}

func TestChoose(t *testing.T) {
	chosen, err := choose([]string{"lateness", "create"})
	if err != nil || len(chosen) != 2 || chosen[0].Name != "lateness" || chosen[1].Name != "create" {
		t.Errorf("choose = %v, %v", chosen, err)
	}
	if _, err := choose([]string{"create", "speed"}); err == nil || !strings.Contains(err.Error(), `"speed"`) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("err = %v, want one that names what there is", err)
	}
}

func TestWorkerIsAProcessOfItsOwn(t *testing.T) {
	_, plan := startRecorder(t, created)
	plan.Posts = 10
	var result loadResult
	if err := newSession(t).do(t.Context(), roleLoad, plan, &result); err != nil || result.Created != 10 {
		t.Errorf("do = %+v, %v", result, err)
	}
}

func TestWorkerThatFails(t *testing.T) {
	var result loadResult
	err := newSession(t).do(t.Context(), roleLoad, loadPlan{URL: "ftp://nowhere"}, &result)
	if err == nil || !strings.Contains(err.Error(), roleLoad) {
		t.Errorf("err = %v, want one that names the worker", err)
	}
}

func TestWorkerEndsWithItsParentsContext(t *testing.T) {
	_, plan := startRecorder(t, created)
	plan.Measured = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	c, err := newSession(t).start(ctx, roleLoad, plan)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := c.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestPacerIsSeenByTheSimulators(t *testing.T) {
	s := newSession(t)
	address, simulators, err := s.startSimulators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := simulators.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	var paced arrivals
	if err := s.pace(t.Context(), address, &paced); err != nil {
		t.Fatal(err)
	}
	if paced.errors != 0 || len(paced.late) != pacedPosts || slices.Min(paced.late) < 0 {
		t.Errorf("%d arrivals, %d errors, the first %v late", len(paced.late), paced.errors, slices.Min(paced.late))
	}
}

// A server of a benchmark takes its load, and leaves nothing behind.
func TestServer(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	on, err := s.startServer(t.Context(), serverConfig{Lead: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := on.createPlan(t.Context())
	if err != nil {
		t.Error(err)
	}
	plan.Connections, plan.Posts = 8, 200
	var result loadResult
	if err := s.do(t.Context(), roleLoad, plan, &result); err != nil || result.Created != 200 || result.Errors != 0 {
		t.Errorf("load = %+v, %v", result, err)
	}
	if posts := count(t, on.Postgres, "select count(*) from posts"); posts != 200 {
		t.Errorf("%d posts are stored", posts)
	}
	if accounts := count(t, on.Postgres, "select count(*) from accounts"); accounts != accountsEach*len(platforms()) {
		t.Errorf("%d accounts are connected", accounts)
	}
	if err := on.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if _, err := os.Stat(on.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder is still there: %v", err)
	}
}

func TestReportEndsWhenNobodyReads(t *testing.T) {
	in, out := io.Pipe()
	in.Close()
	s := &session{config: Config{Figures: out}}
	if err := s.report(Figure{Name: "x"}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("report = %v", err)
	}
}

func TestWorkerReadsItsConfiguration(t *testing.T) {
	var out bytes.Buffer
	_, plan := startRecorder(t, created)
	plan.Posts = 1
	config, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	reader, writer := io.Pipe() // stays open, as a parent's
	defer writer.Close()
	go writer.Write(append(config, '\n'))
	if err := Work(t.Context(), roleLoad, reader, &out, logger); err != nil || !strings.Contains(out.String(), `"Created":1`) {
		t.Errorf("Work = %v, %s", err, out.String())
	}
	for name, input := range map[string]string{"no configuration": "", "no JSON": "nonsense\n"} {
		if err := Work(t.Context(), roleLoad, strings.NewReader(input), &out, logger); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := Work(t.Context(), "poet", strings.NewReader("{}\n"), &out, logger); err == nil {
		t.Error("an unknown role was taken")
	}
}

func count(t *testing.T, url, query string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
