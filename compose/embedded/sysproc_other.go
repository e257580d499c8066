//go:build unix && !linux

package embedded

import (
	"os"
	"syscall"
)

// self is this binary.
func self() (string, error) { return os.Executable() }

// attributes are those of a child: a group of its own, since Ctrl-C in a terminal is
// meant for crier, which stops its parts after its work, and a user, if given. Only
// Linux has a signal for the parent's death; elsewhere the end of the pipe must do.
func attributes(user *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: user}
}
