//go:build static

package chdb

import "errors"

// Loads says whether this build can load libchdb: a binary without libc loads no library.
const Loads = false

// Load loads nothing.
func Load(string) (*Library, error) {
	return nil, errors.New("this build of crier loads no libchdb")
}
