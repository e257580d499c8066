package connectortest

import (
	"errors"
	"testing"
	"time"

	"crier/connectors"
	"crier/schema"
)

// WantKind returns an error as a schema.Error, and ends the test where it is not of a kind.
func WantKind(t *testing.T, err error, kind schema.ErrorKind) *schema.Error {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("error = %v, want kind %d", err, kind)
	}
	return e
}

// Prepared makes a delivery ready, through errors that pass, on a connector that restart makes
// anew each time. pass moves the clock of both sides.
func Prepared(t *testing.T, d schema.Delivery, restart func() connectors.Connector, pass func(time.Duration)) schema.Delivery {
	t.Helper()
	for range 20 {
		p, err := restart().Prepare(t.Context(), d)
		if err != nil && schema.KindOf(err) != schema.Retryable {
			t.Fatalf("Prepare: %v", err)
		}
		if p.State != nil {
			d.Progress = p.State
		}
		if p.Ready {
			return d
		}
		pass(max(p.RetryIn, time.Second))
	}
	t.Fatal("Prepare is never ready")
	return d
}

// Ready makes a delivery ready where nothing fails. pass moves the clock of both sides.
func Ready(t *testing.T, c connectors.Connector, d schema.Delivery, pass func(time.Duration)) schema.Delivery {
	t.Helper()
	for range 20 {
		progress, err := c.Prepare(t.Context(), d)
		if err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if d.Progress = progress.State; progress.Ready {
			return d
		}
		pass(progress.RetryIn)
	}
	t.Fatal("Prepare is never ready")
	return d
}
