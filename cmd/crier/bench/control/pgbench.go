package control

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// pgbenchDriver runs the control with PostgreSQL's own tool.
type pgbenchDriver struct {
	path   string
	server *pgx.ConnConfig
}

func (d pgbenchDriver) name(clients int) string {
	return fmt.Sprintf("pgbench create4 %d client%s", clients, plural(clients))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// tps is pgbench's result.
var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

func (d pgbenchDriver) rate(ctx context.Context, clients int, limit time.Duration) (float64, error) {
	folder, err := os.MkdirTemp("", "crier-control-")
	if err != nil {
		return 0, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	out, err := d.run(ctx, folder, clients, limit)
	if err != nil {
		return 0, err
	}
	found := tps.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("pgbench says no rate: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

func (d pgbenchDriver) times(ctx context.Context, limit time.Duration) ([]time.Duration, error) {
	folder, err := os.MkdirTemp("", "crier-control-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	prefix := filepath.Join(folder, "log")
	if _, err := d.run(ctx, folder, 1, limit, "--log", "--log-prefix="+prefix); err != nil {
		return nil, err
	}
	logs, err := filepath.Glob(prefix + ".*")
	if err != nil || len(logs) != 1 {
		return nil, errors.Join(fmt.Errorf("pgbench left %d logs", len(logs)), err)
	}
	log, err := os.Open(logs[0])
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return readTimes(log)
}

// run runs the transaction for a time of whole seconds.
func (d pgbenchDriver) run(ctx context.Context, folder string, clients int, limit time.Duration, more ...string) ([]byte, error) {
	script := filepath.Join(folder, "create4.sql")
	random := fmt.Sprintf("\\set tenant random(0, %d)\n\\set high random(0, %d)\n\\set low random(0, %d)\n", tenants-1, highEnd-1, lowEnd-1)
	if err := os.WriteFile(script, []byte(random+createSQL), 0o600); err != nil {
		return nil, fmt.Errorf("writing pgbench's script: %w", err)
	}
	threads := min(clients, 2)
	arguments := append([]string{
		"--no-vacuum", "--protocol=prepared", "--client=" + strconv.Itoa(clients), "--jobs=" + strconv.Itoa(threads),
		"--time=" + strconv.Itoa(int(limit/time.Second)), "--file=" + script,
	}, more...)
	command := exec.CommandContext(ctx, d.path, arguments...)
	command.Env = append(os.Environ(), d.environment()...)
	var output bytes.Buffer
	command.Stderr = &output
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("running pgbench: %w: %s", err, output.Bytes())
	}
	return out, nil
}

// environment names the server to libpq; on the command line others could read the
// password.
func (d pgbenchDriver) environment() []string {
	return []string{
		"PGHOST=" + d.server.Host, "PGPORT=" + strconv.Itoa(int(d.server.Port)), "PGDATABASE=" + d.server.Database,
		"PGUSER=" + d.server.User, "PGPASSWORD=" + d.server.Password,
	}
}

// readTimes reads pgbench's log of transactions: client, number, microseconds, ….
func readTimes(log io.Reader) ([]time.Duration, error) {
	var times []time.Duration
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return nil, fmt.Errorf("%q is no line of pgbench's log", lines.Text())
		}
		micros, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading pgbench's log: %w", err)
		}
		times = append(times, time.Duration(micros)*time.Microsecond)
	}
	return times, lines.Err()
}
