package simulation

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Fault is what happens to the next calls of an operation instead of, or on top of,
// their effect. Without Status, Shape, Lose and Refuse it only delays the answer.
type Fault struct {
	Platform  string            `json:"platform"`
	Operation string            `json:"operation"` // the platform's own name for it; empty: any
	Times     int               `json:"times"`     // how many calls; 0: one; -1: all, until it is healed
	Status    int               `json:"status"`    // answer this without any effect
	After     bool              `json:"after"`     // with Status: after the effect
	Shape     Shape             `json:"shape"`     // take effect, and answer in this shape
	Header    map[string]string `json:"header"`
	Body      string            `json:"body"`   // empty: as the platform words the status
	Lose      bool              `json:"lose"`   // take effect, then cut the connection
	Refuse    bool              `json:"refuse"` // cut the connection before any effect
	Delay     int               `json:"delay"`  // milliseconds before the answer, after any effect
}

// maxDelay keeps a mistyped delay from holding connections for good.
const maxDelay = 10 * time.Minute

// Check says what is wrong with a fault.
func (f Fault) Check() error {
	outcomes := 0
	for _, chosen := range []bool{f.Status != 0, f.Shape != Whole, f.Lose, f.Refuse} {
		if chosen {
			outcomes++
		}
	}
	switch {
	case outcomes > 1:
		return errors.New("only one of status, shape, lose and refuse can be set")
	case outcomes == 0 && f.Delay == 0:
		return errors.New("one of status, shape, lose, refuse and delay must be set")
	case !f.Shape.isKnown():
		return fmt.Errorf("shape %q is none of empty, smaller, larger, nulls and texts", f.Shape)
	case f.After && f.Status == 0:
		return errors.New("after needs a status")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status == 0 && (f.Body != "" || len(f.Header) > 0):
		return errors.New("body and header need a status")
	case f.Times < always:
		return errors.New("times must be -1, for all calls, or more")
	case f.Delay < 0 || time.Duration(f.Delay)*time.Millisecond > maxDelay:
		return fmt.Errorf("delay must be between 0 and %d ms", maxDelay.Milliseconds())
	}
	return nil
}

// Inject makes the next calls of the fault's operation suffer it. Faults of one
// operation are suffered in the order they came.
func (w *World) Inject(f Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	if f.Times == 0 {
		f.Times = 1
	}
	w.faults.add(f)
	return nil
}

// Heal takes back the faults that still wait for a call.
func (w *World) Heal() { w.faults.clear() }

// faults are those that wait for a call.
type faults struct {
	mu      sync.Mutex
	waiting []Fault
}

func (f *faults) add(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, fault)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = nil
}

// take uses up one time of the first fault for an operation.
func (f *faults) take(operation string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.waiting {
		fault := &f.waiting[i]
		if fault.Operation != "" && fault.Operation != operation {
			continue
		}
		taken := *fault
		if fault.Times == always {
			return taken, true
		}
		if fault.Times--; fault.Times == 0 {
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
		}
		return taken, true
	}
	return Fault{}, false
}
