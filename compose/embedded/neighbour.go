package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// The names of the parts in the data folder.
const (
	partPostgres   = "postgres"
	partLog        = "log"
	partClickHouse = "clickhouse"
	partServing    = "serving"
)

// Addresses are those of the parts of a running process. One is empty if the process does not
// run the part itself.
type Addresses struct {
	Postgres   string // URL
	Log        string // host:port
	ClickHouse string // URL
	Serving    string // what the process says of itself
}

// ErrNotRunning means that no process holds the data folder.
var ErrNotRunning = errors.New("no crier is running with this data folder")

// Neighbour returns the addresses of the parts started by the process that holds the
// data folder, for commands that work beside it; ErrNotRunning if there is none.
func Neighbour(path string) (Addresses, error) {
	lock := flock.New(lockPath(path), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return Addresses{}, ErrNotRunning
	}
	if err != nil {
		return Addresses{}, fmt.Errorf("looking for a running crier: %w", err)
	}
	if err := lock.Close(); err != nil {
		return Addresses{}, fmt.Errorf("looking for a running crier: %w", err)
	}
	if free {
		return Addresses{}, ErrNotRunning
	}
	var a Addresses
	for part, address := range map[string]*string{
		partPostgres: &a.Postgres, partLog: &a.Log, partClickHouse: &a.ClickHouse, partServing: &a.Serving,
	} {
		content, err := os.ReadFile(filepath.Join(path, addressFile(part)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Addresses{}, fmt.Errorf("reading address of %s: %w", part, err)
		}
		*address = string(content)
	}
	return a, nil
}

// HoldsPostgres reports whether a PostgreSQL was ever embedded in a data folder.
func HoldsPostgres(path string) bool {
	_, err := os.Stat(filepath.Join(path, partPostgres))
	return err == nil
}

// AnnounceServing stores what a process says of itself for commands beside it.
func (d *Data) AnnounceServing(what string) error { return d.announce(partServing, what) }

// announce stores the address of a part for neighbours. It contains the part's password.
func (d *Data) announce(part, address string) error {
	file := d.Path(addressFile(part))
	if err := os.WriteFile(file+".new", []byte(address), 0o600); err != nil {
		return fmt.Errorf("announcing %s: %w", part, err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("announcing %s: %w", part, err)
	}
	return nil
}

// withdraw removes an address that announce has stored.
func (d *Data) withdraw(part string) error {
	if err := removeIfThere(d.Path(addressFile(part))); err != nil {
		return fmt.Errorf("withdrawing address of %s: %w", part, err)
	}
	return nil
}

func addressFile(part string) string { return part + ".address" }
