package threads

import (
	"net/http"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestFindByTheContainer(t *testing.T) {
	answer := func(body string) *simulation.Fault {
		return &simulation.Fault{Operation: simShow, Status: http.StatusOK, Body: body}
	}
	for name, tt := range map[string]struct {
		publish bool
		after   time.Duration
		faults  []*simulation.Fault
		want    schema.Verdict
		later   bool // to be asked again
	}{
		"nothing was published":        {false, time.Minute, nil, schema.NotMade, false},
		"nothing was, and it expired":  {false, 25 * time.Hour, nil, schema.NotMade, false},
		"published":                    {true, time.Minute, nil, schema.Found, false},
		"published long ago":           {true, 25 * time.Hour, nil, schema.Found, false},
		"published and not listed yet": {true, time.Minute, []*simulation.Fault{{Operation: simPosts, Status: http.StatusOK, Body: `{"data":[]}`}}, schema.CannotTell, true},
		"being published":              {false, time.Minute, []*simulation.Fault{answer(`{"id":"1","status":"IN_PROGRESS"}`)}, schema.CannotTell, true},
		"the container is gone":        {true, time.Minute, []*simulation.Fault{{Operation: simShow, Status: http.StatusBadRequest, Body: `{"error":{"message":"m","code":24,"error_subcode":4279009}}`}}, schema.Found, false},
		"a list that may not be read":  {true, time.Minute, []*simulation.Fault{{Operation: simPosts, Status: http.StatusForbidden, Body: `{"error":{"message":"m","code":10}}`}}, schema.CannotTell, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Prepared(t, r.Delivery("hello #world"))
			var posted schema.Receipt
			if tt.publish {
				var err error
				if posted, err = r.Publish(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			r.Pass(tt.after)
			for _, fault := range tt.faults {
				r.Inject(t, *fault)
			}
			found, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.want || (err != nil) != tt.later || verdict == schema.Found && found.NativeID != posted.NativeID {
				t.Errorf("Find = %+v, %v, %v", found, verdict, err)
			}
			if kind := schema.KindOf(err); kind == schema.TokenDead {
				t.Error("an account that publishes is ended by a look")
			}
		})
	}
}

// On a profile that another account publishes to as well, a young post may be what that
// account's call made.
func TestAYoungPostOfASharedProfileIsLeft(t *testing.T) {
	r := newRig(t)
	d := r.Prepared(t, r.Delivery("hello"))
	d.Shared = true
	if _, err := r.Publish(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	_, verdict, err := r.Find(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); verdict != schema.CannotTell || e.RetryAfter != schema.CallDeadline+schema.SettleTime {
		t.Errorf("Find = %v, %v", verdict, err)
	}
	r.Pass(schema.CallDeadline + schema.SettleTime)
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.Found {
		t.Errorf("Find once it is old enough = %v, %v", verdict, err)
	}
}

// A comment has no container that is kept: a like reply right before its claim leaves doubt.
func TestALikeReplyBeforeTheClaim(t *testing.T) {
	r := newRig(t)
	d := r.Delivery("the entry")
	entry := r.Published(t, d)
	if _, _, err := r.World.Add(simulation.Post{Account: r.Account(), Text: "a comment", ReplyTo: entry.NativeID, Fields: []byte(`{"kind":"TEXT"}`)}); err != nil {
		t.Fatal(err)
	}
	r.Pass(30 * time.Second)
	d.Comment, d.Receipts, d.Since = &schema.Comment{Text: "a comment"}, []schema.Receipt{entry}, r.Clock()
	_, verdict, err := r.Find(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	r.Pass(10 * time.Minute)
	if _, later, err := r.Find(t.Context(), d); verdict != schema.CannotTell || later != schema.CannotTell || err != nil {
		t.Errorf("Find = %v, then %v, %v", verdict, later, err)
	}
	d.Since = r.Clock()
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
		t.Errorf("Find of a later claim = %v, %v", verdict, err)
	}
	d.Since = r.Clock().Add(time.Hour)
	if _, _, err := r.Find(t.Context(), d); err == nil {
		t.Error("a claim in the future shows that nothing is there")
	}
}
