package mastodon

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier/connectors/listing"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// claims are deliveries of one text whose answers were lost, and what each has settled on.
type claims struct {
	*rig
	all    []schema.Delivery
	looked []int
	own    map[string]int // status, by the claim that has it
}

// settle takes one claim a step on, as the state machine does.
func (c *claims) settle(t *testing.T, n int) {
	t.Helper()
	d := c.all[n]
	for id, owner := range c.own {
		if owner != n {
			d.Known = append(d.Known, id)
		}
	}
	receipt, verdict, err := c.Find(t.Context(), d)
	if e, ok := errors.AsType[*schema.Error](err); ok {
		if e.Kind != schema.Retryable || e.RetryAfter <= 0 {
			t.Fatalf("Find: %v", err)
		}
		c.Pass(e.RetryAfter)
		return
	}
	switch verdict {
	case schema.Found:
	case schema.NotThere:
		if c.looked[n]++; c.looked[n] < 2 {
			c.Pass(schema.SettleTime)
			return
		}
		receipt = mustPublish(t, c.rig, d)
	case schema.SafeToRepeat:
		receipt = mustPublish(t, c.rig, d)
	default:
		t.Fatalf("claim %d: Find cannot tell", n)
	}
	if owner, taken := c.own[receipt.NativeID]; taken {
		t.Fatalf("claim %d settled on status %s of claim %d", n, receipt.NativeID, owner)
	}
	c.own[receipt.NativeID] = n
}

func (c *claims) isOpen(n int) bool {
	for _, owner := range c.own {
		if owner == n {
			return false
		}
	}
	return true
}

// Ten identical texts of one account are ten statuses, whichever of their calls arrived and
// in whatever order they are looked for, whether or not the server sees their keys.
func TestIdenticalTextsSettleByCount(t *testing.T) {
	const texts = 10
	withoutKeys := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			r.Header.Del("Idempotency-Key")
			next.ServeHTTP(rw, r)
		})
	}
	for name, proxy := range map[string]func(http.Handler) http.Handler{
		"key honoured": func(h http.Handler) http.Handler { return h },
		"key stripped": withoutKeys,
	} {
		for seed := range uint64(25) {
			t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				c := &claims{rig: newRigBehind(t, proxy), looked: make([]int, texts), own: map[string]int{}}
				pause := []time.Duration{0, time.Second, 6 * time.Second, 20 * time.Second}[random.IntN(4)]
				for n := range texts {
					d := c.delivery("every day")
					d.Key = fmt.Sprintf("key-of-claim-%d", n)
					c.all = append(c.all, d)
					if random.IntN(3) > 0 { // or crier was killed before the call, not after
						mustPublish(t, c.rig, d)
					}
					c.Pass(pause)
				}
				c.Pass(schema.Lease)
				for range 40 {
					for _, n := range random.Perm(texts) {
						if c.isOpen(n) {
							c.settle(t, n)
						}
					}
				}
				if posts := len(c.World.Posts()); len(c.own) != texts || posts != texts {
					t.Errorf("%d claims are settled and %d statuses there, want %d of both", len(c.own), posts, texts)
				}
			})
		}
	}
}

// A call is repeated by its key only on Mastodon itself, once the first can no longer be on
// its way, while the key is kept.
func TestADoubtIsSettledByTheKey(t *testing.T) {
	const itself = `{"version":"4.5.0","source_url":"https://github.com/mastodon/mastodon"}`
	for name, tt := range map[string]struct {
		v2, v1 string
		after  time.Duration
		want   schema.Verdict
		later  bool
	}{
		"Mastodon itself":              {itself, "", listing.InFlight, schema.SafeToRepeat, false},
		"the call may be on its way":   {itself, "", listing.InFlight - time.Second, schema.CannotTell, true},
		"the key is over":              {itself, "", keyUse, schema.CannotTell, false},
		"known by the first version":   {"", itself, listing.InFlight, schema.SafeToRepeat, false},
		"a compatible server":          {`{"version":"4.2.0 (compatible; Akkoma 3.1)","source_url":"https://github.com/mastodon/mastodon"}`, "", listing.InFlight, schema.CannotTell, true},
		"a fork":                       {`{"version":"4.5.0+glitch","source_url":"https://github.com/glitch-soc/mastodon"}`, "", listing.InFlight, schema.CannotTell, true},
		"a server that says nothing":   {"", "", listing.InFlight, schema.CannotTell, true},
		"a compatible server for long": {`{"version":"4.2.0 (compatible; Akkoma 3.1)"}`, "", listing.DoubtLast, schema.CannotTell, false},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			r := newRigBehind(t, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
					body := map[string]string{"/api/v2/instance": tt.v2, "/api/v1/instance": tt.v1}
					description, isInstance := body[request.URL.Path]
					switch {
					case !isInstance:
						next.ServeHTTP(rw, request)
					case description == "":
						requests++
						http.NotFound(rw, request)
					default:
						requests++
						_, _ = rw.Write([]byte(description))
					}
				})
			})
			r.add(t, simulation.Post{Text: "hello"})
			r.Pass(listing.ClockDoubt / 2)
			d := r.delivery("hello")
			r.Pass(tt.after)
			for range 2 {
				_, verdict, err := r.Find(t.Context(), d)
				if verdict != tt.want || (err != nil) != tt.later {
					t.Errorf("Find = %v, %v; want %v, later %t", verdict, err, tt.want, tt.later)
				}
				if tt.later && connectortest.WantKind(t, err, schema.Retryable).RetryAfter < schema.SettleTime {
					t.Errorf("to be asked again too soon: %v", err)
				}
			}
			if requests > 2 {
				t.Errorf("the server was asked %d times what it is", requests)
			}
		})
	}
}

// On a profile that another account publishes to as well, a young status may be what that
// account's call made.
func TestAYoungStatusOfASharedProfileIsLeft(t *testing.T) {
	r := newRig(t)
	r.Ahead = time.Hour
	d := r.delivery("hello")
	d.Shared = true
	posted := r.add(t, simulation.Post{Text: "hello"})
	r.Pass(10 * time.Second)
	_, verdict, err := r.Find(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); verdict != schema.CannotTell || e.RetryAfter < listing.InFlight-11*time.Second || e.RetryAfter > listing.InFlight-9*time.Second {
		t.Errorf("Find = %v, %v", verdict, err)
	}
	r.Pass(listing.InFlight - 9*time.Second)
	if receipt, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || receipt.NativeID != posted.ID || err != nil {
		t.Errorf("Find once it is old enough = %+v, %v, %v", receipt, verdict, err)
	}
	d.Known = []string{posted.ID}
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
		t.Errorf("Find of what is another's = %v, %v", verdict, err)
	}
}

// A server that answers every key with what is another's is not called for ever.
func TestAStatusOfAnothersIsNoAnswer(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	first := mustPublish(t, r, d)
	d.Known = []string{first.NativeID}
	second := mustPublish(t, r, d)
	if again := mustPublish(t, r, d); second.NativeID == first.NativeID || again.NativeID != second.NativeID {
		t.Errorf("published %s, then %s and %s", first.NativeID, second.NativeID, again.NativeID)
	}
	before := r.World.Calls(opCreateStatus)
	same := fmt.Sprintf(`{"id":"%s","created_at":"2026-03-04T05:06:07Z"}`, first.NativeID)
	r.Inject(t, simulation.Fault{Operation: opCreateStatus, Status: http.StatusOK, Body: same, Times: 2 * maxKeys})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Duplicate)
	if calls := r.World.Calls(opCreateStatus) - before; calls != maxKeys {
		t.Errorf("%d calls", calls)
	}
	if !slices.ContainsFunc(r.World.Posts(), func(p simulation.Post) bool { return p.ID == second.NativeID }) {
		t.Error("the second status is not there")
	}
}

// A repetition that a look has allowed is made within the hour of its key, or not at all.
func TestARepetitionThatComesTooLateIsNotMade(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.FindAttempts = schema.CallRepeating
	if !d.Repeats() {
		t.Fatal("it is no repetition")
	}
	mustPublish(t, r, d)
	r.Pass(keyDeadline + time.Second)
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	if n := len(r.World.Posts()); n != 1 {
		t.Errorf("%d statuses are there, want 1", n)
	}
}

// A token that may publish and not read ends no account, and a clock that was set back
// shows nothing to be missing.
func TestWhatKeepsALookFromSeeing(t *testing.T) {
	t.Run("a token that may not read", func(t *testing.T) {
		r := newRig(t)
		d := r.delivery("hello")
		r.Inject(t, simulation.Fault{Operation: opListStatuses, Status: http.StatusForbidden, Body: `{"error":"This action is outside the authorized scopes"}`})
		_, _, err := r.Find(t.Context(), d)
		connectortest.WantKind(t, err, schema.Refused)
	})
	t.Run("a claim in the future", func(t *testing.T) {
		r := newRig(t)
		d := r.delivery("hello")
		mustPublish(t, r, d)
		d.Since = r.Clock().Add(time.Hour)
		_, _, err := r.Find(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
	})
}
