package compose_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded"
)

// nowhere is a port of loopback that nothing listens on.
func nowhere(t *testing.T) string { return freeAddress(t) }

func TestAPartThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  func(*compose.Config)
		says string
	}{
		"PostgreSQL": {func(c *compose.Config) { c.Postgres = "postgres://crier:s3cret@" + nowhere(t) + "/crier" }, "nothing listens at the port that --postgres names"},
		"Kafka":      {func(c *compose.Config) { c.Kafka = []string{nowhere(t)} }, "nothing listens at the port that --kafka names"},
		"ClickHouse": {func(c *compose.Config) { c.ClickHouse = "http://crier:s3cret@" + nowhere(t) + "/crier" }, "nothing listens at the port that --clickhouse names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startConfig(t)
			tt.set(&c)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			err := compose.Serve(ctx, c, nil)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("Serve = %v, want an error that says %q", err, tt.says)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestADataFolderInUseIsNamed(t *testing.T) {
	c := startConfig(t)
	data, err := embedded.OpenData(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	err = compose.Serve(t.Context(), c, nil)
	want := "data folder " + c.Data + " is in use by another process: stop it, or give another --data"
	if err == nil || err.Error() != want {
		t.Errorf("Serve = %v, want %s", err, want)
	}
}

func TestAPortInUseIsAnErrorAndStopsEverything(t *testing.T) {
	t.Parallel()
	c := startConfig(t)
	c.AdminListen = c.Listen
	err := compose.Serve(t.Context(), c, nil)
	if err == nil || !strings.Contains(err.Error(), c.Listen) || !strings.Contains(err.Error(), "give another --admin-listen") && !strings.Contains(err.Error(), "give another --listen") {
		t.Errorf("Serve = %v, want an error that names %s and its flag", err, c.Listen)
	}
	if _, err := embedded.Neighbour(c.Data); !errors.Is(err, embedded.ErrNotRunning) {
		t.Errorf("parts are left running: %v", err)
	}
}

func TestServeStopsWhenItIsTold(t *testing.T) {
	t.Parallel()
	c := startConfig(t)
	ctx, stop := context.WithCancel(t.Context())
	started := false
	err := compose.Serve(ctx, c, func(context.Context, *compose.Running) error {
		started = true
		stop()
		return nil
	})
	if err != nil || !started {
		t.Errorf("Serve = %v, started %t", err, started)
	}
}

func TestRolesAreChecked(t *testing.T) {
	if _, err := compose.ParseRoles("gateway,publsh"); err == nil || !strings.Contains(err.Error(), "publsh") {
		t.Errorf("ParseRoles = %v, want an error that names the typo", err)
	}
	if roles, err := compose.ParseRoles("gateway,delay"); err != nil || len(roles) != 2 {
		t.Errorf("ParseRoles = %v, %v", roles, err)
	}
}

func startConfig(t *testing.T) compose.Config {
	t.Helper()
	roles, err := compose.ParseRoles("all")
	if err != nil {
		t.Fatal(err)
	}
	return compose.Config{
		Listen: freeAddress(t), AdminListen: freeAddress(t), Data: filepath.Join(openDir(t), "data"), Roles: roles,
		Drain: compose.MinDrain, MaxLateness: time.Hour, Lead: time.Millisecond,
		Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	}
}
