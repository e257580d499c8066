package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/gofrs/flock"
)

// provision downloads PostgreSQL and makes the database cluster, each if it is not
// there. Both are made under another name and renamed when whole, so that what exists
// is complete. The library does both in one go and leaves a server running, which is
// stopped again: from then on postgres is our own child.
func (r *postgresRunner) provision() error {
	unlock, err := r.lockMissingBinaries()
	if err != nil {
		return err
	}
	defer unlock()
	binaries, fetched, err := unfinished(r.binaries())
	if err != nil {
		return err
	}
	cluster, isUnfinished, err := unfinished(r.cluster())
	if err != nil {
		return err
	}
	if fetched && isUnfinished {
		return nil
	}
	if err := r.runOnce(binaries, cluster); err != nil {
		return err
	}
	for from, to := range map[string]string{binaries: r.binaries(), cluster: r.cluster()} {
		if from == to {
			continue
		}
		if err := os.Rename(from, to); err != nil {
			return fmt.Errorf("putting it in place: %w", err)
		}
	}
	return nil
}

// lockMissingBinaries keeps processes that share the cache from downloading at once.
func (r *postgresRunner) lockMissingBinaries() (unlock func(), err error) {
	if _, err := os.Stat(r.binaries()); err == nil {
		return func() {}, nil
	}
	lock := flock.New(r.binaries() + ".lock")
	if err := lock.Lock(); err != nil {
		return nil, fmt.Errorf("locking cache: %w", err)
	}
	return func() { _ = lock.Close() }, nil // the end of the process would do as well
}

// unfinished returns path if it exists, else where to make it, empty.
func unfinished(path string) (where string, exists bool, err error) {
	if _, err := os.Stat(path); err == nil {
		return path, true, nil
	}
	where = path + ".unfinished"
	if err := takeOver(where); err != nil {
		return "", false, fmt.Errorf("ending what an interrupted start left: %w", err)
	}
	if err := os.RemoveAll(where); err != nil {
		return "", false, fmt.Errorf("removing what an interrupted start left: %w", err)
	}
	return where, false, nil
}

func (r *postgresRunner) runOnce(binaries, cluster string) error {
	ended := context.AfterFunc(r.parent, func() {
		// The library cannot be interrupted: end its server and go.
		_ = takeOver(cluster)
		os.Exit(1)
	})
	defer ended()
	// The library leaves its logs where temporary files go.
	scratch := filepath.Join(r.Dir, "scratch")
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return fmt.Errorf("making scratch folder: %w", err)
	}
	if err := os.Setenv("TMPDIR", scratch); err != nil {
		return fmt.Errorf("setting scratch folder: %w", err)
	}
	library := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(postgresVersion).
		Port(uint32(r.Port)).
		Username(postgresName).Password(r.Password).Database(postgresName).
		Locale("C").Encoding("UTF8").
		CachePath(r.Cache).
		BinariesPath(binaries).
		DataPath(cluster).
		RuntimePath(filepath.Join(scratch, "runtime")).
		StartParameters(map[string]string{"unix_socket_directories": ""}).
		StartTimeout(readyTimeout).
		Logger(os.Stderr))
	if err := library.Start(); err != nil {
		return err
	}
	return library.Stop()
}
