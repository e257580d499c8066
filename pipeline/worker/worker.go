package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/schema"
)

// Message is what a stage reads from the log.
type Message interface {
	comparable
	// Check returns an error where the message cannot be one of this version of crier.
	Check() error
	Subject() schema.Subject
}

// Claim is what a stage has claimed.
type Claim interface {
	// OpenClaim returns what giving the claim back needs, and an error if its row cannot be
	// read.
	OpenClaim() (schema.OpenClaim, error)
}

// Stage is what a worker runs. M is its message, R names what a message asks to claim, C
// is a claim of it.
type Stage[M Message, R comparable, C Claim] interface {
	// Place returns where a message is queued, and what it asks to claim. The calls for its account go
	// to host.
	Place(m M, host schema.Host) Place[R]
	// Key names what was claimed, as Place does.
	Key(C) R
	// Claim leases what messages ask for, for one step each. What is cancelled, finished or
	// claimed is left out of the answer.
	Claim(ctx context.Context, keys []R) ([]C, error)
	// Postpone delays what a claim would lease by a wait each, and returns what it
	// delayed. It is called only if turns are reserved.
	Postpone(ctx context.Context, keys []R, waits []time.Duration) ([]R, error)
	// RecordWaits records in posts' timelines how long what a claim would lease still waits
	// without being postponed. It is called only if turns come one after the other.
	RecordWaits(ctx context.Context, keys []R, waits []time.Duration) error
	// Do takes the claimed step, with the turn that was reserved for its call; nil if
	// there is none. An error is a fault of ours. Once ctx has ended it makes no call: if
	// the step had no effect, its outcome gives the claim back.
	Do(ctx context.Context, claimed C, reservation schema.Reservation) (Outcome, error)
}

// Outcome is the outcome of a step.
type Outcome struct {
	// Store stores it; it is called again for as long as the database does not answer.
	Store     func(ctx context.Context) error
	Again     bool // the next step is due at once
	GivenBack bool // a stop cancelled the step, and Store gives the claim back
}

// Unlimited is embedded by stages that reserve no turns.
type Unlimited[R comparable] struct{}

// Postpone is never called.
func (Unlimited[R]) Postpone(context.Context, []R, []time.Duration) ([]R, error) { return nil, nil }

// RecordWaits is never called.
func (Unlimited[R]) RecordWaits(context.Context, []R, []time.Duration) error { return nil }

// Store is what every worker asks of the database.
type Store interface {
	FaultStore
	// BringForward makes jobs due now that are due later, and returns how many.
	BringForward(ctx context.Context, jobs []schema.JobID) (int, error)
}

// Config is what a worker needs besides its stage.
type Config[M Message] struct {
	Name    string // of its topic, its group and in metrics
	Slots   int    // calls at a time
	Log     *stream.Log
	Store   Store
	Logger  *slog.Logger
	Metrics *Metrics
	Tracer  *tracing.Tracer // nil: nothing is traced
	Hosts   *Hosts          // of the messages' accounts; nil: they need none
	// Account returns whose calls a message asks for; nil where Hosts is.
	Account func(m M) schema.AccountID
	// Reserve reserves the turn of a message's call, or returns how long it is until
	// there may be one; nil: calls need none.
	Reserve func(ctx context.Context, m M) (schema.Reservation, time.Duration)
	// Spacing returns the time between the turns that a key's messages wait for; Reserve tells when
	// the next one is. 0 or nil: they do not wait for such turns.
	Spacing func(m M) time.Duration
	// AtOnce returns how many calls of a key may run at a time; nil: one. Where it is one, the next
	// call waits for its result to be stored. It is asked again whenever a call has ended.
	AtOnce func(Key) int
	// Bounded has no server and no workspace fill a bulkhead's slots, of which half are for calls that
	// are expected to be quick, and half for others.
	Bounded bool
}

// Worker takes messages from a topic and does what they ask for: of each key one at a
// time, or as many as AtOnce says, and in all as many as there are slots.
type Worker[M Message, R comparable, C Claim] struct {
	Config[M]
	stage        Stage[M, R, C]
	queue        *queue[M, R]
	consumer     *stream.Consumer
	postponing   sync.WaitGroup // of lines, each in a goroutine
	postponeSlot chan struct{}  // one of them at a time
	givenBack    atomic.Int64   // claims that a stop gave back
}

const (
	claimBatch = 512
	claimers   = 2
	// claimLinger is how long a claimer gathers at most after a claim of several: as long as that
	// took. A busy database so gets fewer and larger claims.
	claimLinger  = 5 * time.Millisecond
	bulkheadPart = 4 // the slots of a bulkhead are this part of all
	// ReadAhead is how many messages of one partition may be handed out and not acknowledged.
	ReadAhead = 5000
	// ConsumerEnd is how long a stop waits for messages to be acknowledged; then others
	// get them.
	ConsumerEnd = time.Second
	// stopEnd is how long after the drain claims may still be given back and results stored.
	stopEnd = 5 * time.Second
	// broughtForward is how many jobs are brought forward in one transaction.
	broughtForward = 1000
)

// New makes the worker of a stage.
func New[M Message, R comparable, C Claim](config Config[M], stage Stage[M, R, C]) *Worker[M, R, C] {
	w := &Worker[M, R, C]{
		Config: config, stage: stage, postponeSlot: make(chan struct{}, 1),
		queue: newQueue[M, R](limits{slots: config.Slots, share: max(1, config.Slots/bulkheadPart), bounded: config.Bounded}, config.AtOnce),
	}
	w.Metrics.slots.watch(w.Name, w.queue.used)
	w.consumer = w.Log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-" + w.Name, Topic: w.Name, MaxInFlight: ReadAhead, Drain: ConsumerEnd,
	}, w.deliver)
	return w
}

// Ready reports whether the worker consumes.
func (w *Worker[M, R, C]) Ready() error { return w.consumer.Ready() }

// deliver queues messages. One that cannot be read becomes a dead letter.
func (w *Worker[M, R, C]) deliver(ctx context.Context, messages []*stream.Message) {
	readable := make([]*stream.Message, 0, len(messages))
	values := make([]M, 0, len(messages))
	for _, m := range messages {
		value, err := Decode[M](m.Value)
		if err != nil {
			if Note(ctx, w.Store, w.Logger, Unreadable(w.Name, m, err)) {
				m.Ack()
			}
			continue
		}
		readable, values = append(readable, m), append(values, value)
	}
	hosts := HostsOf(ctx, w.Hosts, values, w.Account)
	for i, m := range readable {
		t := &task[M, R]{
			Place: w.stage.Place(values[i], hosts[i]), ctx: ctx, message: m, value: values[i], trace: m.Header(tracing.Header), overdue: overdueSince(m),
		}
		if w.queue.put(t) {
			m.Ack()
		}
	}
	w.Metrics.queued.WithLabelValues(w.Name).Set(float64(w.queue.len()))
}

// phases are the contexts of a worker, which end one after the other: nothing is claimed
// after claims, no call is made after calls, nothing is stored after stores.
type phases struct {
	claims, calls, stores context.Context
}

func newPhases(claims context.Context) (p phases, endCalls, endStores context.CancelFunc) {
	p.claims = claims
	p.stores, endStores = context.WithCancel(context.WithoutCancel(claims))
	p.calls, endCalls = context.WithCancel(p.stores)
	return p, endCalls, endStores
}

// Run works until ctx ends. What is claimed then is worked on for up to drain; after that
// it is cancelled and its claim given back. All other results are stored before Run
// returns.
func (w *Worker[M, R, C]) Run(ctx context.Context, drain time.Duration) error {
	group, ctx := errgroup.WithContext(ctx)
	p, endCalls, endStores := newPhases(ctx)
	defer endStores()
	defer endCalls()
	var inHand, clock sync.WaitGroup
	ended := make(chan struct{})
	clock.Go(func() {
		<-ctx.Done()
		if !endsWithin(ended, drain) {
			endCalls()
		}
		if !endsWithin(ended, stopEnd) {
			endStores()
		}
	})
	group.Go(func() error { return w.consumer.Run(ctx) })
	for range claimers {
		group.Go(func() error {
			w.claimAll(p, &inHand)
			return nil
		})
	}
	err := group.Wait()
	w.postponing.Wait()
	w.bringForward(p.stores)
	inHand.Wait()
	close(ended)
	clock.Wait()
	if n := w.givenBack.Load(); n > 0 {
		w.Logger.InfoContext(ctx, "claims were given back", "stage", w.Name, "claims", n)
	}
	return err
}

// endsWithin waits until ended is closed; false if that takes longer than limit.
func endsWithin(ended <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// bringForward makes the jobs due of tasks that are acknowledged but will not be claimed
// here any more: else they would fire only after the visibility timeout.
func (w *Worker[M, R, C]) bringForward(ctx context.Context) {
	var jobs []schema.JobID
	for _, t := range w.queue.acknowledged() {
		jobs = append(jobs, schema.JobID(t.value.Subject().ID))
	}
	brought := 0
	for chunk := range slices.Chunk(jobs, broughtForward) {
		var n int
		err := Retry(ctx, w.Logger, "bringing jobs forward", func() (err error) {
			n, err = w.Store.BringForward(ctx, chunk)
			return err
		})
		if err != nil {
			w.Logger.WarnContext(ctx, "what waited in memory could not be brought forward; it fires again by itself", "stage", w.Name, "err", err)
			return
		}
		brought += n
	}
	if brought > 0 {
		w.Logger.InfoContext(ctx, "jobs of what waited in memory were brought forward", "stage", w.Name, "jobs", brought)
	}
}

// TraceHeaders are the headers of a message that carry a trace (W3C traceparent); none where it is empty.
func TraceHeaders(trace string) []stream.Header {
	if trace == "" {
		return nil
	}
	return []stream.Header{{Key: tracing.Header, Value: []byte(trace)}}
}
