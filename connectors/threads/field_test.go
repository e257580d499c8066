package threads

import (
	"testing"
	"time"

	"crier/connectors/graph"
	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// gitroomhq/postiz-app #2047: 210 of 584 unknown errors in 45 days; TryPost #280.
func TestAContainerThatPublishNeverKnowsIsMadeAnew(t *testing.T) {
	r := newRig(t)
	last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("once [crier:container-unknown]"))
	if last.State != schema.TargetPosted {
		t.Fatalf("it is %v, %+v", last.State, last.Error)
	}
	r.WantPosts(t, 1)
	if created, published := r.World.Calls(simCreate), r.World.Calls(simPublish); created != 2 || published != 3 {
		t.Errorf("%d containers were made, and published %d times, want 2 and 3", created, published)
	}
}

// While its list shows what may be the post no other container is made.
func TestAnUnknownContainerWhosePostIsThereIsNotMadeAnew(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: simPublish, After: true, Status: 400,
		Body: `{"error":{"message":"The requested resource does not exist","code":24,"error_subcode":4279009}}`,
	})
	d := r.Prepared(t, r.Delivery("there"))
	r.Inject(t, simulation.Fault{Operation: simShow, Times: 3, Status: 200, Body: `{"id":"1","status":"FINISHED"}`}) // of a cache
	d.Step = schema.StepPublish
	last := graphtest.Run(t, r.Rig, r.Connector, d)
	if posts := r.WantPosts(t, 1); last.State != schema.TargetPosted || last.Receipts[0].NativeID != posts[0].ID {
		t.Errorf("it is %v, %+v", last.State, last.Error)
	}
}

// In May 2026 reads of containers were refused for days, as without permission or as not there
// (geoff-maddock/events-tracker #1900, gitroomhq/postiz-app #1562).
func TestAContainerThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"soon [crier:container-unread]", "soon [crier:container-unsaid]"} {
		t.Run(text, func(t *testing.T) { // for a minute
			r := newRig(t)
			last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery(text))
			if last.State != schema.TargetPosted || last.Attempts != 0 {
				t.Errorf("it is %v after %d tries, %+v", last.State, last.Attempts, last.Error)
			}
		})
	}
	for name, answer := range map[string]simulation.Fault{
		"for hours, as without permission": {Status: 400, Body: `{"error":{"message":"Application does not have permission for this action","code":10}}`},
		"for hours, as not there":          {Status: 400, Body: `{"error":{"message":"Unsupported get request","code":100,"error_subcode":33}}`},
		// which trypost-it/trypost (0277643, ThreadsPublisher.php) reads on
		"for hours, without a status": {Status: 200, Body: `{"id":"1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			began := r.Clock()
			answer.Operation, answer.Times = simShow, -1
			r.Inject(t, answer)
			last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("late"))
			if waited := r.Clock().Sub(began); last.State != schema.TargetPosted || waited < graph.MaxWork || waited > graph.MaxWork+time.Minute {
				t.Errorf("it is %v after %v, %+v", last.State, waited, last.Error)
			}
			r.WantPosts(t, 1)
		})
	}
}

// Where reads of containers are refused, a lost publish is not repeated by another container: the list may
// never show it.
func TestALostPublishIsNoneOfAnotherContainer(t *testing.T) {
	r := newRig(t)
	d := r.Prepared(t, r.Delivery("once [crier:list-hidden]"))
	r.Inject(t, simulation.Fault{Operation: simShow, Times: -1, Status: 400, Body: `{"error":{"message":"Unsupported get request","code":100,"error_subcode":33}}`})
	r.Inject(t, simulation.Fault{Operation: simPublish, Lose: true})
	d.Step = schema.StepPublish
	last := graphtest.Run(t, r.Rig, r.Connector, d)
	if r.WantPosts(t, 1); last.State != schema.TargetFailed || r.World.Calls(simCreate) != 1 {
		t.Errorf("it is %v after %d containers, %+v", last.State, r.World.Calls(simCreate), last.Error)
	}
}

// A publish was answered 500 with the code of a missing permission while the post went up (threads-go
// http_client.go, fia-f1-docs-bot #52), and refused while one did (gitroomhq/postiz-app #1681).
func TestAPublishThatWorkedInSpiteOfItsAnswer(t *testing.T) {
	graphtest.RunWorked(t, subject, simPublish, 0)
}

// Threads asks for media once, and says so where it came to nothing.
func TestMediaThatCouldNotBeFetchedIsAskedForAgain(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: simCreate, Status: 400, Body: `{"error":{"message":"m","code":9004,"error_subcode":2207052}}`})
	last := graphtest.Run(t, r.Rig, r.Connector, r.Delivery("look", r.Picture("")))
	if r.WantPosts(t, 1); last.State != schema.TargetPosted {
		t.Errorf("it is %v, %+v", last.State, last.Error)
	}
}

// A reply with a video is at the top level where it is published too soon (gitroomhq/postiz-app #1441).
func TestAVideoReplyRestsBeforeItIsPublished(t *testing.T) {
	r := newRig(t)
	first := r.Published(t, r.Delivery("the first"))
	for name, tt := range map[string]struct {
		item schema.Media
		rest time.Duration
	}{"with a video": {r.Film("b"), 30 * time.Second}, "with a picture": {r.Picture("a"), 0}} {
		t.Run(name, func(t *testing.T) {
			d := r.Delivery("a reply "+name, tt.item)
			d.Entry, d.Entries, d.Receipts = 1, 2, []schema.Receipt{first}
			d.Tries = schema.DefaultTries
			var longest time.Duration
			for d.Step = schema.StepPrepare; d.Step == schema.StepPrepare; {
				longest = max(longest, graphtest.Step(t, r.Rig, r.Connector, &d).NextIn)
			}
			if tt.rest > 0 && longest != tt.rest || tt.rest == 0 && longest >= 30*time.Second {
				t.Errorf("it rested %v, want %v", longest, tt.rest)
			}
		})
	}
}
