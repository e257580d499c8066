package connectortest

import (
	"errors"
	"slices"
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

// WantDetails checks what a platform says to the settings of an entry with media: "field code" of each.
func WantDetails(t *testing.T, c schema.Constraints, media []schema.Media, settings string, want ...string) {
	t.Helper()
	var got []string
	for _, d := range append(c.Settings([]byte(settings)), c.Together(schema.Entry{Media: media}, []byte(settings))...) {
		got = append(got, d.Field+" "+d.Code)
	}
	if !slices.Equal(got, want) {
		t.Errorf("details %q, want %q", got, want)
	}
}

// Prepared makes a delivery ready, through errors that pass, on a connector that restart makes
// again each time. pass moves the clock of both sides.
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

// Published publishes a delivery that is ready, which must succeed.
func Published(t *testing.T, c connectors.Connector, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := c.Publish(t.Context(), d)
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

// Settle looks for what a call made whose answer was lost, as the pipeline does, until it is found
// or may be called again: found is false then. pass moves the clock of both sides.
func Settle(t *testing.T, d schema.Delivery, look func() (schema.Receipt, schema.Verdict, error), pass func(time.Duration)) (found bool) {
	t.Helper()
	at := d.Since
	d.Step, d.Entries, d.Tries, d.DueAt, d.Until = schema.StepFind, 1, schema.DefaultTries, at, at.Add(24*time.Hour)
	for range 20 {
		receipt, verdict, err := look()
		o := schema.Outcome{Receipt: receipt, Verdict: verdict}
		if err != nil {
			o.Err = WantKind(t, err, schema.KindOf(err))
		}
		switch r := d.After(o, at, 0); {
		case r.Receipt != nil: // open, too: it is there
			return true
		case r.State != schema.TargetPending || r.Step != schema.StepFind:
			return false
		default:
			d.FindAttempts, at = r.FindAttempts, at.Add(r.NextIn)
			pass(r.NextIn)
		}
	}
	t.Fatal("it is never settled")
	return false
}
