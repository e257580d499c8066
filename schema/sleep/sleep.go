// Package sleep is the one way to wait for a time.
package sleep

import (
	"context"
	"time"
)

// For waits for d, or returns the error of ctx if that ends first.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
