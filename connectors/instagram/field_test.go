package instagram

import (
	"fmt"
	"testing"
	"time"

	"crier/connectors/graph"
	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const denied = `{"error":{"message":"Application does not have permission for this action","code":10}}`

// Failures of a container that another one may not meet (the platform's error codes; of 2207077, 2207082 and
// 2207085 gitroomhq/postiz-app instagram.provider.ts).
func TestAContainerThatFailedInPassingIsMadeAnew(t *testing.T) {
	for _, code := range []int{2207001, 2207003, 2207053, 2207077, 2207082, 2207085} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: simShow, Status: 200, Body: fmt.Sprintf(`{"id":"1","status_code":"ERROR","status":"Error: Media upload has failed with error code %d"}`, code)})
			last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("again", r.Picture("a")))
			if r.WantPosts(t, 1); last.State != schema.TargetPosted || r.World.Calls(simCreate) != 2 {
				t.Errorf("it is %v after %d containers, %+v", last.State, r.World.Calls(simCreate), last.Error)
			}
		})
	}
}

// From 23 May 2026 reads of containers were answered #10 or 100/33 for days, and what was ready could be
// published (geoff-maddock/events-tracker #1900, gitroomhq/postiz-app #1562). Answers without a status end
// no post in what publishes in production (trypost-it/trypost InstagramPublisher.php, getopenpost/openpost
// instagram.go).
func TestAReadOfAContainerThatIsRefusedEndsNoAccount(t *testing.T) {
	for name, tt := range map[string]struct {
		status, times int
		body          string
	}{
		"once":                      {400, 1, denied},
		"for days":                  {400, -1, denied},
		"for days, as missing":      {400, -1, `{"error":{"message":"Authorization Error","code":100,"error_subcode":33}}`},
		"without a status":          {200, 1, `{"id":"1"}`},
		"for days without a status": {200, -1, `{"id":"1","status_code":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			began := r.Clock()
			r.Inject(t, simulation.Fault{Operation: simShow, Status: tt.status, Times: tt.times, Body: tt.body})
			last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("soon", r.Picture("a")))
			waited := r.Clock().Sub(began)
			if r.WantPosts(t, 1); last.State != schema.TargetPosted || last.Attempts != 0 || waited > graph.MaxWork+2*time.Minute {
				t.Errorf("it is %v after %v, %+v", last.State, waited, last.Error)
			}
		})
	}
}

func TestAContainerThatPublishNeverKnowsIsMadeAnew(t *testing.T) {
	r := newRig(t)
	last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("once [crier:container-unknown]", r.Picture("a")))
	if r.WantPosts(t, 1); last.State != schema.TargetPosted {
		t.Errorf("it is %v, %+v", last.State, last.Error)
	}
}

func TestAContainerThatDoesNotSayHowItStandsIsWaitedFor(t *testing.T) {
	r := newRig(t)
	last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("soon [crier:container-unsaid]", r.Picture("a")))
	if r.WantPosts(t, 1); last.State != schema.TargetPosted || last.Attempts != 0 {
		t.Errorf("it is %v after %d tries, %+v", last.State, last.Attempts, last.Error)
	}
}

// A post was published, and its publish refused as spam (gitroomhq/postiz-app #1681): its owner published it
// once more.
func TestAPublishThatWorkedInSpiteOfItsAnswer(t *testing.T) {
	graphtest.RunWorked(t, subject, simPublish, 1)
}
