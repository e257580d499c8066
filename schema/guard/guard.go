// Package guard keeps a panic from ending the process. One message, row or event must not: the
// process would start again and meet the same.
package guard

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic as an error.
type PanicError struct {
	Fault any    // what it was called with
	Stack []byte // of where it was
}

// Error tells of the fault and the stack.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Fault, p.Stack) }

// Do does work, and turns a panic of it into a *PanicError.
func Do(work func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &PanicError{fault, debug.Stack()}
		}
	}()
	return work()
}
