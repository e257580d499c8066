package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"
	"crier/schema/sleep/sleeptest"
)

func TestMain(m *testing.M) {
	embedded.Main()
	if part := os.Getenv(victimVariable); part != "" {
		beVictim(part, os.Getenv(victimVariable+"_DIR"))
	}
	embeddedtest.Main(m)
}

// victimVariable makes this test binary a process that starts one part, says where it
// is and waits to be killed.
const victimVariable = "CRIER_TEST_VICTIM"

// report is what a victim says of its part, as one line of JSON.
type report struct {
	Address string
	PID     int
}

func beVictim(part, dir string) {
	data, err := embedded.OpenData(dir)
	if err != nil {
		die(err)
	}
	r := report{PID: os.Getpid()}
	switch part {
	case "postgres":
		p, err := embedded.StartPostgres(context.Background(), data, slog.Default())
		if err != nil {
			die(err)
		}
		r = report{p.URL(), p.PID()}
	case "clickhouse":
		c, err := embedded.StartClickHouse(context.Background(), data, os.Getenv(victimVariable+"_LIB"), slog.Default())
		if err != nil {
			die(err)
		}
		r = report{c.URL(), c.PID()}
	case "log":
		l, err := embedded.StartLog(data, slog.Default())
		if err != nil {
			die(err)
		}
		r.Address = l.Addr()
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		die(err)
	}
	select {}
}

func die(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// victim is a process that holds a data folder and one part of it.
type victim struct {
	report
	cmd *exec.Cmd
}

func startVictim(t *testing.T, part, dir string) *victim {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+part, victimVariable+"_DIR="+dir)
	if part == "clickhouse" {
		cmd.Env = append(cmd.Env, victimVariable+"_LIB="+libchdb(t))
	}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	v := &victim{cmd: cmd}
	t.Cleanup(v.kill)
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("starting victim: %v", err)
	}
	if err := json.Unmarshal(line, &v.report); err != nil {
		t.Fatal(err)
	}
	return v
}

// kill ends the process as kill -9 does.
func (v *victim) kill() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
}

func openData(t *testing.T, dir string) *embedded.Data {
	t.Helper()
	data, err := embedded.OpenData(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := data.Close(); err != nil {
			t.Error(err)
		}
	})
	return data
}

func libchdb(t *testing.T) string {
	t.Helper()
	lib, err := embedded.LibPath()
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func testLogger(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// eventually waits until done reports true, for as long as the machine runs.
func eventually(t *testing.T, within time.Duration, what string, done func() bool) {
	t.Helper()
	ran, stop := sleeptest.Start()
	defer stop()
	for ; ran() < within; time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("after %v still not: %s", within, what)
}

// gone reports whether no process pid runs; one that nobody has collected yet is gone.
func gone(pid int) bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(pid)).Output()
	s := strings.TrimSpace(string(state))
	return s == "" || strings.HasPrefix(s, "Z")
}

func stopIn(t *testing.T, stop func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
}
