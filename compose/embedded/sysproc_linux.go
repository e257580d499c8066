package embedded

import "syscall"

// self is this binary. The link can be executed by a user that cannot reach the file
// by its path, and still means this build after the file was replaced.
func self() (string, error) { return "/proc/self/exe", nil }

// attributes are those of a child: a group of its own, since Ctrl-C in a terminal is
// meant for crier, which stops its parts after its work; a user, if given; and the
// signal that the kernel sends it when its parent dies.
func attributes(user *syscall.Credential, parentDied syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: user, Pdeathsig: parentDied}
}
