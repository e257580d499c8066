package graphtest

import (
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/schema"
)

// maxSteps ends a delivery that does not end by itself.
const maxSteps = 200

// Run makes the steps of a delivery as the pipeline does until it has ended, and returns how. The clock moves
// on by what each step waits for.
func Run(t *testing.T, r *connectortest.Rig, c connectors.Connector, d schema.Delivery) (last schema.Result) {
	t.Helper()
	d.Tries, d.DueAt, d.Until = schema.DefaultTries, r.Clock(), r.Clock().Add(24*time.Hour)
	for range maxSteps {
		if last = Step(t, r, c, &d); last.Terminal() {
			return last
		}
	}
	t.Fatalf("it does not end: %v in step %d, %+v", last.State, last.Step, last.Error)
	return last
}

// Step makes the next step of a delivery, and returns what it came to.
func Step(t *testing.T, r *connectortest.Rig, c connectors.Connector, d *schema.Delivery) schema.Result {
	t.Helper()
	var o schema.Outcome
	var err error
	switch d.Step {
	case schema.StepPrepare:
		o.Progress, err = c.Prepare(t.Context(), *d)
	case schema.StepFind:
		o.Receipt, o.Verdict, err = c.Find(t.Context(), *d)
	default:
		o.Receipt, err = c.Publish(t.Context(), *d)
	}
	if err != nil {
		o.Err = connectortest.WantKind(t, err, schema.KindOf(err))
	}
	result := d.After(o, r.Clock(), 0)
	d.Step, d.Progress, d.Attempts, d.FindAttempts, d.Error = result.Step, result.Progress, result.Attempts, result.FindAttempts, result.Error
	d.Receipts = result.Receipts
	r.Pass(result.NextIn)
	return result
}
