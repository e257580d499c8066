package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Data is the data folder of this machine, held by one process at a time.
type Data struct {
	path string // absolute, free of symbolic links
	lock *flock.Flock
}

// OpenData creates the folder if need be and locks it until Close or the end of the
// process, whichever comes first. An error names the folder.
func OpenData(path string) (*Data, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("creating data folder %s: %w", path, err)
	}
	given := path
	path, err := realPath(path)
	if err != nil {
		return nil, fmt.Errorf("resolving data folder %s: %w", given, err)
	}
	lock := flock.New(lockPath(path), flock.SetPermissions(0o600))
	// Neighbour holds the lock for a moment to see whether anybody does, so one try may fail
	// although the folder is free.
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	held, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("data folder %s is in use by another process: stop it, or give another --data", path)
	}
	if err != nil || !held {
		return nil, fmt.Errorf("locking data folder %s: %w", path, err)
	}
	d := &Data{path, lock}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing data folder %s: %w", path, err), d.Close())
	}
	return d, nil
}

// prepare removes the addresses of the parts of an earlier process and, for root, lets the
// user that PostgreSQL runs as pass through the folder to its own.
func (d *Data) prepare() error {
	for _, part := range []string{partPostgres, partLog, partClickHouse, partServing} {
		if err := d.withdraw(part); err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chmod(d.path, 0o711)
}

// Path returns the path of name inside the folder.
func (d *Data) Path(name string) string { return filepath.Join(d.path, name) }

// Close unlocks the folder.
func (d *Data) Close() error {
	if err := d.lock.Close(); err != nil {
		return fmt.Errorf("unlocking data folder: %w", err)
	}
	return nil
}

// port returns the port that part had last time if it is free, else another, and stores it,
// so that clients find a part again after a restart.
func (d *Data) port(part string) (int, error) {
	file := d.Path(part + ".port")
	if old, err := os.ReadFile(file); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(old))); err == nil && portFree(port) {
			return port, nil
		}
	}
	port, err := freePort()
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(file, fmt.Appendln(nil, port), 0o600); err != nil {
		return 0, fmt.Errorf("remembering port: %w", err)
	}
	return port, nil
}

// onPort starts a part on its port. Where the start fails and another process listens on the port by
// then, it was taken between the look and the start: the part gets another.
func (d *Data) onPort(part string, start func(port int) error) error {
	const tries = 5
	for try := 1; ; try++ {
		port, err := d.port(part)
		if err == nil {
			err = start(port)
		}
		if err == nil || try == tries || portFree(port) {
			return err
		}
	}
}

// SandboxPort returns the port of the sandbox: addresses of what was published there name it.
func (d *Data) SandboxPort() (int, error) { return d.port("sandbox") }

// secret returns the secret stored under name, which is drawn at random the first time.
func (d *Data) secret(name string) (string, error) {
	file := d.Path(name)
	old, err := os.ReadFile(file)
	if err == nil && len(old) > 0 {
		return string(old), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading secret: %w", err)
	}
	secret := rand.Text()
	// The rename makes it appear all at once: half a password would lock everybody out.
	if err := os.WriteFile(file+".new", []byte(secret), 0o600); err != nil {
		return "", fmt.Errorf("keeping secret: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return "", fmt.Errorf("keeping secret: %w", err)
	}
	return secret, nil
}

// removeIfThere removes a file; none is no error.
func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func lockPath(folder string) string { return filepath.Join(folder, "lock") }

func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
