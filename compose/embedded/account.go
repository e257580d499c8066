package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that a part runs as instead of root; nil means that this process is
// not root, and the part runs as the same user.
type account struct {
	name     string
	uid, gid uint32
}

// unprivileged returns the user to run as instead of root.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if _, unknown := errors.AsType[user.UnknownUserError](err); unknown {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking up user %s: %w", name, err)
		}
		return newAccount(u)
	}
	return nil, errors.New("running as root, and neither user postgres nor nobody exists to run PostgreSQL as")
}

func newAccount(u *user.User) (*account, error) {
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("reading user %s: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("reading user %s: %w", u.Username, err)
	}
	return &account{u.Username, uint32(uid), uint32(gid)}, nil
}

func (a *account) credential() *syscall.Credential {
	if a == nil {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// own makes the account the owner of the folders and everything in them, and fails if it
// cannot reach them.
func (a *account) own(dirs ...string) error {
	if a == nil {
		return nil
	}
	for _, dir := range dirs {
		if err := a.chown(dir); err != nil {
			return fmt.Errorf("giving %s to user %s: %w", dir, a.name, err)
		}
		if err := a.canReach(dir); err != nil {
			return err
		}
	}
	return nil
}

// chown changes the whole folder if its top belongs to somebody else, as on the first
// start or when an unprivileged user started crier on it before.
func (a *account) chown(dir string) error {
	top, err := stat(dir)
	if err != nil {
		return err
	}
	if top.Uid == a.uid {
		return nil
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		return os.Lchown(path, int(a.uid), int(a.gid))
	})
	if err != nil {
		return err
	}
	return os.Lchown(dir, int(a.uid), int(a.gid)) // last: it marks the whole as done
}

// canReach returns an error that names the first folder above dir that the account may not
// enter.
func (a *account) canReach(dir string) error {
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := stat(parent)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", parent, err)
		}
		if !a.mayPass(info) {
			return fmt.Errorf("user %s, whom PostgreSQL runs as because it refuses root, cannot enter %s (mode %#o): "+
				"choose another folder or allow it with chmod o+x", a.name, parent, info.Mode&0o777)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

func (a *account) mayPass(info *syscall.Stat_t) bool {
	mode := info.Mode
	switch {
	case info.Uid == a.uid:
		return mode&0o100 != 0
	case info.Gid == a.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

func stat(path string) (*syscall.Stat_t, error) {
	var info syscall.Stat_t
	if err := syscall.Stat(path, &info); err != nil {
		return nil, err
	}
	return &info, nil
}
