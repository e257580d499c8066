package bluesky

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Whatever call of the chain loses its answer, or never arrives, there is one record, and it is
// known as such. A read is sent again by net/http itself, so that two are lost.
func TestALostAnswerOfEachCall(t *testing.T) {
	for name, tt := range map[string]struct {
		operation string
		isRead    bool
		items     []schema.Media
		film      bool
	}{
		"the login":                  {createSession, false, nil, false},
		"an image":                   {uploadBlob, false, picked("one.png"), false},
		"the token of the service":   {getServiceAuth, true, []schema.Media{film}, true},
		"a video":                    {uploadVideo, false, []schema.Media{film}, true},
		"the look at its processing": {getJobStatus, true, []schema.Media{film}, true},
		"the record":                 {putRecord, false, nil, false},
		"the record with an image":   {putRecord, false, picked("one.png"), false},
		"the look for the record":    {getRecord, true, nil, false},
	} {
		for how, fault := range map[string]simulation.Fault{
			"answer lost": {Lose: true}, "never arrived": {Refuse: true},
			"no body": {Shape: simulation.Empty}, "an empty document": {Shape: simulation.Smaller}, "more than is known": {Shape: simulation.Larger},
			"fails afterwards": {Status: http.StatusInternalServerError, After: true},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := newStage(t)
				if tt.film {
					s = newFilmStage(t)
				}
				if fault.Operation = tt.operation; tt.isRead {
					fault.Times = 2
				}
				s.inject(t, fault)
				if tt.operation == getRecord { // nobody looks unless the record's answer is lost
					s.inject(t, simulation.Fault{Operation: putRecord, Lose: true})
				}
				receipt, met := s.persist(t, s.delivery("look", tt.items...))
				if post := s.wantPosts(t, 1)[0]; receipt.NativeID != post.ID {
					t.Errorf("receipt %+v of %+v", receipt, post)
				}
				if (fault.Lose || fault.Refuse) && met == 0 {
					t.Error("no call met the fault")
				}
			})
		}
	}
}

// persist publishes as the pipeline does: it comes again with what was kept, and looks for the
// record before it makes another. It returns how many calls failed.
func (s *stage) persist(t *testing.T, d schema.Delivery) (receipt schema.Receipt, met int) {
	t.Helper()
	ready := len(d.Media) == 0
	for range 10 {
		if !ready {
			p, err := s.connector.Prepare(t.Context(), d)
			d.Progress, ready = p.State, p.Ready
			if err != nil {
				met++
				ready = false
			}
			s.advance(p.RetryIn)
			continue
		}
		receipt, err := s.connector.Publish(t.Context(), d)
		if err == nil {
			return receipt, met
		}
		met++
		if schema.KindOf(err) != schema.Unknown {
			connectortest.WantKind(t, err, schema.Retryable)
			continue
		}
		for range 3 {
			s.advance(schema.Lease)
			receipt, verdict, err := s.connector.Find(t.Context(), d)
			if err != nil {
				connectortest.WantKind(t, err, schema.Retryable)
				continue
			}
			if verdict == schema.Found {
				return receipt, met
			}
		}
	}
	t.Fatal("it was never published")
	return schema.Receipt{}, met
}
