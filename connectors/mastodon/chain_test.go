package mastodon

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Whatever call of the chain loses its answer, or never arrives, there is one status, with its
// media, and it is known as such. A read is sent again by net/http itself, so that two are lost.
func TestALostAnswerOfEachCall(t *testing.T) {
	for _, operation := range []string{opUploadMedia, opMediaProcessed, opCreateStatus, opListStatuses} {
		for name, fault := range map[string]simulation.Fault{
			"answer lost": {Lose: true}, "never arrived": {Refuse: true},
			"no body": {Shape: simulation.Empty}, "an empty document": {Shape: simulation.Smaller}, "more than is known": {Shape: simulation.Larger},
			"fails afterwards": {Status: http.StatusInternalServerError, After: true},
		} {
			t.Run(operation+" "+name, func(t *testing.T) {
				r := newRig(t)
				fault.Operation = operation
				if strings.HasPrefix(operation, "GET ") {
					fault.Times = 2
				}
				r.Inject(t, fault)
				if operation == opListStatuses { // nobody looks unless the status's answer is lost
					r.Inject(t, simulation.Fault{Operation: opCreateStatus, Lose: true})
				}
				d := r.delivery("look")
				d.Media = items(smallVideo)
				receipt, met := r.persist(t, d)
				posts := r.World.Posts()
				if len(posts) != 1 || posts[0].ID != receipt.NativeID || len(posts[0].Media) != 1 {
					t.Errorf("receipt %+v of %+v", receipt, posts)
				}
				if fault.Times == 0 {
					fault.Times = 1
				}
				if calls := r.World.Calls(operation); (fault.Lose || fault.Refuse) && (met == 0 || calls < fault.Times) {
					t.Errorf("%d calls, of which %d failed: nothing was lost", calls, met)
				}
			})
		}
	}
}

// persist publishes as the pipeline does: it comes again with what was kept, and looks for the
// status before it makes another. It returns how many calls failed.
func (r *rig) persist(t *testing.T, d schema.Delivery) (receipt schema.Receipt, met int) {
	t.Helper()
	for range 10 {
		p, err := r.Prepare(t.Context(), d)
		if d.Progress = p.State; err != nil {
			connectortest.WantKind(t, err, schema.Retryable)
			met++
			continue
		}
		if !p.Ready {
			r.Pass(time.Second)
			continue
		}
		receipt, err := r.Publish(t.Context(), d)
		if err == nil {
			return receipt, met
		}
		connectortest.WantKind(t, err, schema.Unknown)
		met++
		for range 3 {
			r.Pass(schema.Lease)
			receipt, verdict, err := r.Find(t.Context(), d)
			if err != nil {
				connectortest.WantKind(t, err, schema.Retryable)
				continue
			}
			if verdict == schema.Found {
				return receipt, met
			}
			if verdict != schema.NotThere {
				t.Fatalf("Find = %v", verdict)
			}
		}
	}
	t.Fatal("it was never published")
	return schema.Receipt{}, met
}
