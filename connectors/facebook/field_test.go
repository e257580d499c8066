package facebook

import (
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const denied = `{"error":{"message":"Application does not have permission for this action","code":10}}`

// A publish was answered 500 with the code of a missing permission while the post went up (threads-go
// http_client.go, fia-f1-docs-bot #52).
func TestAFailedAnswerToAPostThatWorked(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: "POST /{version}/{page}/feed", After: true, Status: 500, Body: denied})
	last := graphtest.Run(t, r.Rig, r.Connector, r.delivery("there"))
	if r.WantPosts(t, 1); last.State != schema.TargetPosted || !last.Found {
		t.Errorf("it is %v, %+v", last.State, last.Error)
	}
}

// In an incident of that code on all reads too the post stays open, and is found once that is over.
func TestAnIncidentOfACodeFailsNoLivePost(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: "POST /{version}/{page}/feed", After: true, Status: 500, Body: denied})
	r.Inject(t, simulation.Fault{Operation: "GET /{version}/{page}/published_posts", Status: 403, Times: 30, Body: denied})
	last := graphtest.Run(t, r.Rig, r.Connector, r.delivery("there"))
	if r.WantPosts(t, 1); last.State != schema.TargetPosted || !last.Found {
		t.Errorf("it is %v, %+v", last.State, last.Error)
	}
}

// Posting too fast is waited for (gitroomhq/postiz-app facebook.provider.ts).
func TestAPageThatPostsTooFastWaits(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: "POST /{version}/{page}/feed", Status: 400,
		Body: `{"error":{"message":"m","code":368,"error_subcode":1390008,"error_user_msg":"You are posting too fast"}}`,
	})
	began := r.Clock()
	last := graphtest.Run(t, r.Rig, r.Connector, r.delivery("later"))
	if waited := r.Clock().Sub(began); last.State != schema.TargetPosted || waited < fastWait || last.Attempts != 0 {
		t.Errorf("it is %v after %v, %+v", last.State, waited, last.Error)
	}
}

// The code of a missing permission ends an account only where its token says that the permission is missing.
func TestTheTokenTellsWhetherThePermissionIsMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		end    simulation.End
		answer *simulation.Fault
		kind   schema.ErrorKind // Internal: it works
		found  schema.End
	}{
		"it is there":          {simulation.Alive, nil, schema.Internal, schema.NotEnded},
		"it was taken back":    {simulation.ScopeWithdrawn, nil, schema.TokenDead, schema.EndScope},
		"nobody is told":       {simulation.ScopeWithdrawn, &simulation.Fault{Operation: "GET /{version}/debug_token", Status: 400, Body: denied}, schema.Internal, schema.NotEnded},
		"an incident of a day": {simulation.Alive, &simulation.Fault{Operation: "GET /{version}/me", Status: 403, Body: denied}, schema.RateLimited, schema.NotEnded},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("x")
			if err := r.World.End(d.Account.NativeID, tt.end); err != nil {
				t.Fatal(err)
			}
			if tt.answer != nil {
				r.Inject(t, *tt.answer)
			}
			_, err := r.Check(t.Context(), d.Account, d.Credentials)
			if tt.kind == schema.Internal {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e := connectortest.WantKind(t, err, tt.kind); e.End != tt.found || e.RetryAfter > time.Minute {
				t.Errorf("Check = %+v", e)
			}
		})
	}
}
