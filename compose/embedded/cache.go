package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"crier/compose/embedded/chdb"
)

// chdbVersion is the release of libchdb that `make libchdb` installs; it must be
// that of scripts/libchdb.sh.
const chdbVersion = "26.7.3-stable.1"

const cacheVariable = "CRIER_CACHE"

// CacheDir is where downloaded binaries are kept: CRIER_CACHE if set, /var/cache/crier
// for root (whose own cache the user PostgreSQL runs as cannot enter), else the user's
// cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		return "/var/cache/crier", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding cache folder: %w", err)
	}
	return filepath.Join(dir, "crier"), nil
}

// LibPath returns the path of libchdb, ClickHouse's engine as a library. If it is not
// installed, the error says which command installs it; if this build cannot load it, what to
// do instead.
func LibPath() (string, error) {
	if !chdb.Loads {
		return "", errors.New("this build of crier embeds no ClickHouse: name one by --clickhouse")
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "libchdb-"+chdbVersion, "libchdb.so")
	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("libchdb is not installed in %s for %s/%s: run `make libchdb`",
			cache, runtime.GOOS, runtime.GOARCH)
	}
	if err != nil {
		return "", fmt.Errorf("looking for libchdb: %w", err)
	}
	return path, nil
}
