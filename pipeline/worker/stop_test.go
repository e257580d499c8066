package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema"
)

// patience is how long a test waits for what must happen: machines stand still, for more than a
// minute at times.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// openClaim is an open claim of a test's stage.
type openClaim schema.CommentID

func (openClaim) OpenClaim() (schema.OpenClaim, error) { return schema.OpenClaim{Claim: 1}, nil }

// stopping is a stage whose claims and steps do what a test wants, and its store.
type stopping struct {
	Unlimited[schema.CommentID]
	claim func(ctx context.Context) error         // what becomes of a claim besides being made
	do    func(ctx context.Context) (bool, error) // true: it came to something

	mu      sync.Mutex
	done    []schema.CommentID // stored as they should be
	back    []schema.CommentID
	forward []schema.JobID
	turns   []schema.Reservation // that steps got
}

func (s *stopping) Place(m schema.CommentMessage, _ schema.Host) Place[schema.CommentID] {
	return Place[schema.CommentID]{Workspace: m.Workspace, Key: Key(m.Account), Claims: m.Comment}
}

func (s *stopping) Key(h openClaim) schema.CommentID { return schema.CommentID(h) }

func (s *stopping) Claim(ctx context.Context, ids []schema.CommentID) ([]openClaim, error) {
	if err := s.claim(ctx); err != nil {
		return nil, err
	}
	var claimed []openClaim
	for _, id := range ids {
		claimed = append(claimed, openClaim(id))
	}
	return claimed, nil
}

func (s *stopping) Do(ctx context.Context, h openClaim, reservation schema.Reservation) (Outcome, error) {
	s.mu.Lock()
	s.turns = append(s.turns, reservation)
	s.mu.Unlock()
	there, err := s.do(ctx)
	list := &s.done
	if !there {
		list = &s.back
	}
	return Outcome{GivenBack: !there, Store: func(ctx context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		*list = append(*list, schema.CommentID(h))
		return ctx.Err()
	}}, err
}

func (s *stopping) Fault(_ context.Context, f schema.Fault) (bool, error) {
	return false, errors.New("a fault: " + f.Reason)
}

func (s *stopping) BringForward(ctx context.Context, jobs []schema.JobID) (int, error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forward = append(s.forward, jobs...)
	return len(jobs), nil
}

// counts returns what was done, given back and brought forward.
func (s *stopping) counts() [3]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return [3]int{len(s.done), len(s.back), len(s.forward)}
}

// await waits for what a stage is to tell.
func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it did not happen")
	}
}

// TestAStopLeavesNoClaimOpen stops a worker at the worst moments. Its drain is short: what
// outlives it must not be left.
func TestAStopLeavesNoClaimOpen(t *testing.T) {
	const drain = 300 * time.Millisecond
	away := &schema.Error{Kind: schema.Unavailable, Message: "away"}
	worked := func(ctx context.Context) (bool, error) { return ctx.Err() == nil, nil }
	for name, tt := range map[string]struct {
		messages int // of one account; only the first is claimed
		// claim and do get what tells that the stop may come, and what it ends.
		claim func(ctx context.Context, begun func(), stopped <-chan struct{}) error
		do    func(ctx context.Context, begun func()) (bool, error)
		want  [3]int // done, given back, brought forward
	}{
		"between a claim's commit and its answer": {1, func(ctx context.Context, begun func(), stopped <-chan struct{}) error {
			begun()
			<-stopped
			time.Sleep(drain / 3)
			return ctx.Err()
		}, nil, [3]int{1, 0, 0}},
		"in a claim that outlives the drain": {1, func(ctx context.Context, begun func(), _ <-chan struct{}) error {
			begun()
			time.Sleep(drain + 200*time.Millisecond)
			return ctx.Err()
		}, nil, [3]int{0, 1, 0}},
		"while the database is away": {1, func(_ context.Context, begun func(), stopped <-chan struct{}) error {
			begun()
			select {
			case <-stopped:
				time.Sleep(drain)
				return nil
			default:
				return away
			}
		}, nil, [3]int{0, 1, 0}},
		"in an upload": {1, nil, func(ctx context.Context, begun func()) (bool, error) {
			begun()
			<-ctx.Done()
			return false, nil
		}, [3]int{0, 1, 0}},
		"in a call that ends": {1, nil, func(ctx context.Context, begun func()) (bool, error) {
			begun()
			time.Sleep(drain / 3)
			return true, ctx.Err()
		}, [3]int{1, 0, 0}},
		"in a call whose end comes after the drain": {1, nil, func(ctx context.Context, begun func()) (bool, error) {
			begun()
			<-ctx.Done()
			return true, nil
		}, [3]int{1, 0, 0}},
		"with more in memory than the log keeps": {1 + keyUnacked + 5, nil, func(ctx context.Context, begun func()) (bool, error) {
			begun()
			<-ctx.Done()
			return true, nil
		}, [3]int{1, 0, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			begun := make(chan struct{})
			once := sync.OnceFunc(func() { close(begun) })
			s := &stopping{claim: func(context.Context) error { return nil }, do: worked}
			if tt.claim != nil {
				s.claim = func(claiming context.Context) error { return tt.claim(claiming, once, ctx.Done()) }
			}
			if tt.do != nil {
				s.do = func(ctx context.Context) (bool, error) { return tt.do(ctx, once) }
			}
			w := newWorker(t, s, nil)
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx, drain) }()
			send(t, w, 0, 1)
			await(t, begun)
			send(t, w, 1, tt.messages)
			for deadline := time.Now().Add(patience); w.queue.len() < tt.messages-1 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if got := s.counts(); got != tt.want {
				t.Errorf("%d done, %d given back, %d jobs brought forward; want %v", got[0], got[1], got[2], tt.want)
			}
		})
	}
}

// hanging is a stage whose postponing takes as long as it may.
type hanging struct{ *stopping }

func (hanging) Postpone(ctx context.Context, _ []schema.CommentID, _ []time.Duration) ([]schema.CommentID, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAStopDoesNotWaitForLinesThatArePostponed(t *testing.T) {
	const messages = lineLength + 10
	ctx, stop := context.WithCancel(t.Context())
	s := &stopping{}
	w := newWorker(t, s, nil)
	w.stage = hanging{s}
	queued := make(chan struct{})
	w.Reserve = func(context.Context, schema.CommentMessage) (schema.Reservation, time.Duration) {
		<-queued
		return nil, longestLine
	}
	w.Spacing = func(schema.CommentMessage) time.Duration { return longestLine }
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, time.Millisecond) }()
	send(t, w, 0, messages)
	for deadline := time.Now().Add(patience); w.queue.len() < messages-1 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	close(queued)
	for deadline := time.Now().Add(patience); w.queue.len() > lineLength && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got, want := s.counts()[2], len(w.queue.acknowledged()); got != want || got < lineLength {
		t.Errorf("%d jobs were brought forward of %d that waited in memory", got, want)
	}
}

// turn counts what becomes of the turns of a test.
type spare struct {
	mu        sync.Mutex
	reserved  int
	cancelled int
}

func (r *spare) Use() bool { return true }

func (r *spare) Cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancelled++
}

func TestATurnGoesWithItsClaim(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan struct{})
	refused := true
	s := &stopping{
		claim: func(context.Context) error {
			if refused {
				refused = false
				return errors.New("a fault of ours")
			}
			return nil
		},
		do: func(context.Context) (bool, error) { close(worked); return true, nil },
	}
	turns := &spare{}
	w := newWorker(t, s, func(context.Context, schema.CommentMessage) (schema.Reservation, time.Duration) {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		turns.reserved++
		return turns, 0
	})
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, time.Second) }()
	send(t, w, 0, 1)
	await(t, worked)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(s.turns) != 1 || s.turns[0] != turns {
		t.Errorf("the step got %v", s.turns)
	}
	if turns.reserved != 2 || turns.cancelled != 2 {
		t.Errorf("%d reserved and %d ended; want one of the claim that failed, and one of the step", turns.reserved, turns.cancelled)
	}
}

// newWorker makes a worker on a topic of its own.
func newWorker(t *testing.T, s *stopping, reserve func(context.Context, schema.CommentMessage) (schema.Reservation, time.Duration)) *Worker[schema.CommentMessage, schema.CommentID, openClaim] {
	t.Helper()
	log, err := stream.Open(t.Context(), stream.Config{
		Brokers: []string{embeddedtest.Log(t)}, ClientID: "test", Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	name := "test-" + strings.ToLower(rand.Text())
	if err := log.EnsureTopics(t.Context(), []schema.Topic{{Name: name, Partitions: 1, RetentionBytes: 1 << 20}}); err != nil {
		t.Fatal(err)
	}
	return New(Config[schema.CommentMessage]{
		Name: name, Slots: 8, Log: log, Store: s, Logger: slog.New(slog.DiscardHandler), Metrics: NewMetrics(prometheus.NewRegistry()), Reserve: reserve,
	}, s)
}

// send writes messages of one account, from one number to another.
func send(t *testing.T, w *Worker[schema.CommentMessage, schema.CommentID, openClaim], from, to int) {
	t.Helper()
	var records []stream.Record
	for i := from; i < to; i++ {
		m := schema.CommentMessage{Comment: schema.CommentID{14: 1, 15: byte(i)}, Account: schema.AccountID{1}, Workspace: schema.WorkspaceID{1}}
		records = append(records, stream.Record{Key: m.Account[:], Value: Encode(m)})
	}
	if len(records) == 0 {
		return
	}
	if err := w.Log.Produce(t.Context(), w.Name, records); err != nil {
		t.Fatal(err)
	}
}
