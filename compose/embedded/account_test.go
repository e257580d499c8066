package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAccountTellsWhichFolderItCannotEnter(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	between := filepath.Join(top, "between")
	target := filepath.Join(between, "target")
	if err := os.MkdirAll(target, 0o755); err != nil {
		t.Fatal(err)
	}
	uid, gid := uint32(os.Getuid()), uint32(os.Getgid())
	for name, tt := range map[string]struct {
		mode    os.FileMode
		account account
		enters  bool
	}{
		"open to all":             {0o711, account{"other", uid + 1, gid + 1}, true},
		"closed to others":        {0o700, account{"other", uid + 1, gid + 1}, false},
		"open to its group":       {0o710, account{"member", uid + 1, gid}, true},
		"closed to its group":     {0o701, account{"member", uid + 1, gid}, false},
		"its owner":               {0o700, account{"owner", uid, gid}, true},
		"closed to its own owner": {0o011, account{"owner", uid, gid}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.Chmod(between, tt.mode); err != nil {
				t.Fatal(err)
			}
			info := syscall.Stat_t{}
			if err := syscall.Stat(between, &info); err != nil {
				t.Fatal(err)
			}
			if got := tt.account.mayPass(&info); got != tt.enters {
				t.Errorf("mayPass = %t, want %t", got, tt.enters)
			}
		})
	}
	if err := os.Chmod(between, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{top, filepath.Dir(top)} {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	other := account{"other", uid + 1, gid + 1}
	if err := other.canReach(target); err == nil || !strings.Contains(err.Error(), between+" ") {
		t.Errorf("canReach = %v, want an error that names %s", err, between)
	}
}
