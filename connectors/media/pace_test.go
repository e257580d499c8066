package media

import (
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestContentHasToKeepUp sends content at a rate over a line of its own, and looks when it
// is given up.
func TestContentHasToKeepUp(t *testing.T) {
	errGivenUp := errors.New("given up")
	for name, tt := range map[string]struct {
		rate, seconds int // bytes a second, for so long
		min, max      time.Duration
		whole         bool
	}{
		"nothing":                  {0, 300, 20 * time.Second, 21 * time.Second, false},
		"a byte a second":          {1, 300, 20 * time.Second, 21 * time.Second, false},
		"half of the slowest line": {8 << 10, 300, 38 * time.Second, 42 * time.Second, false},
		"a line a little above it": {20 << 10, 300, 299 * time.Second, 301 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line, sender := io.Pipe()
				var sending sync.WaitGroup
				sending.Go(func() {
					for range tt.seconds {
						time.Sleep(time.Second)
						if _, err := sender.Write(make([]byte, tt.rate)); err != nil {
							return
						}
					}
					sender.Close()
				})
				defer sending.Wait()
				content := newPaced(line, func() { line.CloseWithError(errGivenUp) })
				defer content.stop()
				began := time.Now()
				_, err := io.Copy(io.Discard, content)
				if took := time.Since(began); took < tt.min || took > tt.max {
					t.Errorf("it took %v, want %v to %v", took, tt.min, tt.max)
				}
				if whole := err == nil; whole != tt.whole {
					t.Errorf("error = %v, want it whole: %t", err, tt.whole)
				}
			})
		})
	}
}
