package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// socketPrefix begins the names of PostgreSQL's sockets in a folder, and of their locks
// (postgresql.org/docs/18/runtime-config-connection.html).
const socketPrefix = ".s.PGSQL."

// trySocket does in a folder what PostgreSQL does for its socket, and returns why it could not. It
// would not start: the path may be too long, and folders shared with a virtual machine, for example,
// may hold no sockets or not let their rights be changed.
func trySocket(dir string) error {
	if strings.ContainsAny(dir, `,"`) {
		return errors.New("its path has a comma or a quote, and PostgreSQL takes a list of folders")
	}
	path := filepath.Join(dir, ".s.trial.65535") // as long as the longest name of PostgreSQL's
	if err := removeIfThere(path); err != nil {
		return err
	}
	listener, err := net.Listen("unix", path) //nolint:noctx // it waits for nothing
	if err != nil {
		return err
	}
	chmod := os.Chmod(path, 0o700)
	if err := errors.Join(chmod, listener.Close()); err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be removed", path)
	}
	return nil
}

// removeSockets removes what a server that was killed has left. The pid in a lock may belong to an
// unrelated process by now, which postgres would take for a running server.
func removeSockets(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), socketPrefix) {
			continue
		}
		if err := removeIfThere(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
