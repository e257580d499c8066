package compose

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"
)

// readiness is the answer of /readyz: what this process does not do, and why.
type readiness struct {
	Ready    bool              `json:"ready"`
	Roles    map[string]string `json:"roles"` // "ready", or why not
	Postgres string            `json:"postgres"`
	Disk     string            `json:"disk"` // of the data folder
	// ClickHouse does not count for readiness: without it only what is read from it stops.
	ClickHouse string `json:"clickhouse,omitempty"`
}

const (
	isReady        = "ready"
	doesNotAnswer  = "does not answer"
	readinessLimit = 1500 * time.Millisecond // for all parts: they are asked at the same time
)

// minFree is what a disk must have left, in bytes, not to count as full: PostgreSQL writes ahead in
// files of this size.
const minFree = 16 << 20

// probes ask the parts of a process whether they are there, each once at a time: one that hangs is not
// asked again before it has answered, however often /readyz is.
type probes struct {
	group singleflight.Group
	limit time.Duration
}

// ask returns at once a function that waits for the answer of a part, until the limit is over.
func (p *probes) ask(ctx context.Context, part string, probe func(context.Context) error) (answer func() error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.limit) // others wait for it too
	answered := p.group.DoChan(part, func() (any, error) { return nil, probe(ctx) })
	return func() error {
		defer cancel()
		select {
		case result := <-answered:
			return result.Err
		case <-ctx.Done():
		}
		select {
		case result := <-answered: // while others were waited for
			return result.Err
		default:
			return ctx.Err()
		}
	}
}

func (b *base) answerReady(w http.ResponseWriter, r *http.Request, stages []stage) {
	ctx := r.Context()
	postgres, disk := b.probes.ask(ctx, "PostgreSQL", b.store.Ping), b.probes.ask(ctx, "the data folder", b.checkDisk)
	clickhouse := func() error { return nil }
	if b.analytics != nil {
		clickhouse = b.probes.ask(ctx, "ClickHouse", b.analytics.Ping)
	}
	state := readiness{Ready: true, Roles: map[string]string{}, Postgres: isReady, Disk: isReady}
	for _, role := range b.config.Roles {
		state.Roles[role] = isReady
	}
	for _, s := range stages {
		if err := s.ready(); err != nil {
			state.Ready, state.Roles[s.role] = false, err.Error()
		}
	}
	if err := postgres(); err != nil {
		b.config.Logger.WarnContext(ctx, "not ready: PostgreSQL does not answer", "err", err)
		state.Ready, state.Postgres = false, doesNotAnswer
	}
	if err := disk(); err != nil {
		b.config.Logger.WarnContext(ctx, "not ready: the data folder cannot be written to", "err", err)
		state.Ready, state.Disk = false, diskTrouble(err)
	}
	if b.analytics != nil {
		state.ClickHouse = isReady
	}
	if err := clickhouse(); err != nil {
		b.config.Logger.WarnContext(ctx, "ClickHouse does not answer", "err", err)
		state.ClickHouse = doesNotAnswer
	}
	status := http.StatusOK
	if !state.Ready {
		status = http.StatusServiceUnavailable
	}
	answerJSON(w, status, state)
}

var errDiskFull = errors.New("full")

// checkDisk fails where a disk below the data folder is full: each part may have one of its own.
func (b *base) checkDisk(context.Context) error {
	for _, name := range []string{"", "postgres", "log", "clickhouse", "media"} {
		if err := checkFree(b.parts.data.Path(name)); err != nil {
			return err
		}
	}
	return nil
}

func checkFree(folder string) error {
	var disk syscall.Statfs_t
	err := syscall.Statfs(folder, &disk)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the part is not in this process
	case err != nil:
		return fmt.Errorf("asking about the disk of %s: %w", folder, err)
	case freeOf(&disk) < minFree:
		return fmt.Errorf("the disk of %s is %w: %.0f bytes are left", folder, errDiskFull, freeOf(&disk))
	case disk.Files > 0 && disk.Ffree == 0:
		return fmt.Errorf("the disk of %s is %w: it has no room for more files", folder, errDiskFull)
	}
	return nil
}

func diskTrouble(err error) string {
	if errors.Is(err, errDiskFull) {
		return errDiskFull.Error()
	}
	return doesNotAnswer
}
