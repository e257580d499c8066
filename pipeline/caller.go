package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/schema"
)

// faultStore keeps what stages fail on by a fault of crier's own.
type faultStore interface {
	// Fault notes a fault and gives the claim back; true means that it is a dead letter
	// from now on, which nothing brings back but a replay.
	Fault(ctx context.Context, f schema.Fault) (dead bool, err error)
}

// message is what a stage reads from the log.
type message interface {
	comparable
	// Check returns an error where the message cannot be one of this version of crier.
	Check() error
	Subject() schema.Subject
}

// claim is what a stage has claimed.
type claim interface {
	// Held returns what giving it back needs, and why it cannot be worked on, if so.
	Held() (schema.OpenClaim, error)
}

// caller is a stage that claims work and calls somebody for it. T is its message, C what
// a claim of it gives.
type caller[T message, C claim] struct {
	name   string // of its topic, its group and its metrics
	log    *stream.Log
	logger *slog.Logger
	// metrics are shared by all stages.
	metrics *Metrics
	faults  faultStore

	place  func(T) (schema.WorkspaceID, lane, bulkhead)
	claim  func(ctx context.Context, batch []T) ([]C, error)
	origin func(C) T // the message, or what equals it in identity, that a claim is of
	same   func(T) T // the identity of a message: what origin returns for its claim
	// turn takes the turn of a message's call, or tells how long it is until then; nil: no
	// turns are taken here.
	turn func(ctx context.Context, value T) (wait time.Duration)
	// postpone puts messages off by a wait each, and returns the identities of those that
	// it did: not of one that is cancelled, finished, claimed, or too late.
	postpone func(ctx context.Context, values []T, waits []time.Duration) ([]T, error)
	// step does what was claimed and stores what came of it; true means that the next
	// step is due at once. An error is a fault of ours.
	step func(ctx context.Context, claimed C) (again bool, err error)

	slots  int // calls at a time
	tracer *tracing.Tracer
	lanes  *lanes[T]

	consumer *stream.Consumer
}

const (
	claimBatch   = 512
	claimers     = 2
	bulkheadPart = 4                      // the slots of a bulkhead are this part of all
	readAhead    = 5000                   // messages of one partition that are not acknowledged
	claimRetry   = 200 * time.Millisecond // first wait after a failed claim
	// longestRetry is how late a stage may notice that the database is back. A try
	// against one that is away costs next to nothing.
	longestRetry = 500 * time.Millisecond
	consumerEnd  = time.Second // for messages in hand that are not claimed: others get them
)

// start prepares the stage's consumer.
func (c *caller[T, C]) start() {
	c.lanes = newLanes[T](max(1, c.slots/bulkheadPart))
	c.consumer = c.log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-" + c.name, Topic: c.name, MaxInFlight: readAhead, Drain: consumerEnd,
	}, c.deliver)
}

// deliver queues messages. One that cannot be read is a dead letter.
func (c *caller[T, C]) deliver(ctx context.Context, messages []*stream.Message) {
	for _, m := range messages {
		value, err := decode[T](m.Value)
		if err != nil {
			if unreadable(ctx, c.faults, c.logger, c.name, m, err) {
				m.Ack()
			}
			continue
		}
		t := &task[T]{ctx: ctx, message: m, value: value, trace: m.Header(tracing.Header)}
		t.workspace, t.lane, t.bulkhead = c.place(value)
		if c.lanes.put(t) {
			m.Ack()
		}
	}
	c.metrics.queued.WithLabelValues(c.name).Set(float64(c.lanes.len()))
}

// run works until ctx ends, then waits up to drain for the calls in hand; what they came
// to is stored before it returns.
func (c *caller[T, C]) run(ctx context.Context, drain time.Duration) error {
	calls, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	free := make(chan struct{}, c.slots)
	for range c.slots {
		free <- struct{}{}
	}
	var inHand sync.WaitGroup
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.consumer.Run(ctx) })
	for range claimers {
		group.Go(func() error {
			c.claimAll(ctx, calls, free, &inHand)
			return nil
		})
	}
	err := group.Wait()
	if !waitFor(&inHand, drain) {
		stop()
		inHand.Wait()
	}
	return err
}

func waitFor(work *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() { work.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

// claimAll takes tasks when slots are free, claims them and starts their steps.
func (c *caller[T, C]) claimAll(ctx, calls context.Context, free chan struct{}, inHand *sync.WaitGroup) {
	for ctx.Err() == nil {
		n := takeSlots(ctx, free, claimBatch)
		batch := c.holdBack(ctx, c.lanes.take(ctx, n))
		started := c.claimBatch(ctx, batch, func(t *task[T], claimed C) {
			inHand.Go(func() {
				defer func() { free <- struct{}{} }()
				c.work(calls, t, claimed)
			})
		})
		for range n - started {
			free <- struct{}{}
		}
		c.metrics.queued.WithLabelValues(c.name).Set(float64(c.lanes.len()))
	}
}

// takeSlots takes one slot or more; none only when ctx ends.
func takeSlots(ctx context.Context, free chan struct{}, limit int) int {
	select {
	case <-ctx.Done():
		return 0
	case <-free:
	}
	for n := 1; n < limit; n++ {
		select {
		case <-free:
		default:
			return n
		}
	}
	return limit
}

// claimBatch claims tasks and starts a step for each claim; it returns how many. Every
// other task's lane is given back.
func (c *caller[T, C]) claimBatch(ctx context.Context, batch []*task[T], start func(*task[T], C)) int {
	batch = c.dropLost(batch)
	if len(batch) == 0 {
		return 0
	}
	claimed, err := c.claimPatiently(ctx, batch)
	if err != nil {
		return c.claimEach(ctx, batch, err, start)
	}
	at := make(map[T]C, len(claimed))
	for _, one := range claimed {
		at[c.origin(one)] = one
	}
	for _, t := range batch {
		if t.message != nil {
			t.message.Ack()
			t.message = nil
		}
		if one, ok := at[c.same(t.value)]; ok {
			start(t, one)
		} else {
			c.lanes.done(t.lane)
		}
	}
	return len(claimed)
}

// dropLost leaves out tasks whose message is handed out to another by now.
func (c *caller[T, C]) dropLost(batch []*task[T]) []*task[T] {
	kept := batch[:0]
	for _, t := range batch {
		if t.ctx.Err() != nil && t.message != nil {
			c.lanes.done(t.lane)
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// claimPatiently claims, and tries again for as long as the database does not answer.
func (c *caller[T, C]) claimPatiently(ctx context.Context, batch []*task[T]) ([]C, error) {
	values := make([]T, len(batch))
	for i, t := range batch {
		values[i] = t.value
	}
	for wait := claimRetry; ; wait = min(2*wait, longestRetry) {
		claimed, err := guarded(func() ([]C, error) { return c.claim(ctx, values) })
		if err == nil || ctx.Err() != nil || !isUnavailable(err) {
			return claimed, err
		}
		c.logger.WarnContext(ctx, "claiming failed", "stage", c.name, "err", err)
		if !pause(ctx, wait) {
			return nil, err
		}
	}
}

// claimEach claims the tasks of a batch that failed by our fault one by one, so that only
// the one at fault fails; it is a dead letter after schema.MaxFaults.
func (c *caller[T, C]) claimEach(ctx context.Context, batch []*task[T], err error, start func(*task[T], C)) int {
	if ctx.Err() != nil {
		for _, t := range batch {
			c.lanes.done(t.lane)
		}
		return 0
	}
	if len(batch) > 1 {
		started := 0
		for _, t := range batch {
			started += c.claimBatch(ctx, []*task[T]{t}, start)
		}
		return started
	}
	t := batch[0]
	t.faults++
	c.logger.WarnContext(ctx, "claiming failed by our fault", "stage", c.name, "err", err, "faults", t.faults)
	if t.faults < schema.MaxFaults && pause(ctx, claimRetry<<t.faults) {
		c.lanes.again(t)
		return 0
	}
	if c.fault(ctx, t, schema.OpenClaim{}, t.faults, err) && t.message != nil {
		t.message.Ack()
	}
	c.lanes.done(t.lane)
	return 0
}

// fault has a fault of ours noted. tries is what it stands for: as many as there may be
// make a dead letter at once.
func (c *caller[T, C]) fault(ctx context.Context, t *task[T], held schema.OpenClaim, tries int, err error) (noted bool) {
	return note(ctx, c.faults, c.logger, schema.Fault{
		Stage: c.name, Subject: t.value.Subject(), Claim: held, Reason: err.Error(), Tries: tries,
		Message: schema.LogMessage{Topic: c.name, Key: t.lane[:], Value: encode(t.value)},
	})
}

// work takes one step and gives the lane back, or goes on with the next step.
func (c *caller[T, C]) work(ctx context.Context, t *task[T], claimed C) {
	ctx, span := c.tracer.Message(ctx, c.name, t.trace)
	defer span.End()
	held, err := claimed.Held()
	again := false
	if err == nil {
		again, err = guarded(func() (bool, error) { return c.step(ctx, claimed) })
	}
	if err != nil {
		c.fault(ctx, t, held, 1, err)
		again = false
	}
	if again {
		c.lanes.again(t)
		return
	}
	c.lanes.done(t.lane)
}

// pause waits; it tells whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func isUnavailable(err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	return ok && e.Kind == schema.Unavailable
}

// persist stores a result, for as long as it takes: losing it would mean looking for what
// we know. It gives up when ctx ends, and with an error on a fault of ours.
func persist(ctx context.Context, logger *slog.Logger, store func(context.Context) error) (stored bool, err error) {
	for wait := claimRetry; ; wait = min(2*wait, longestRetry) {
		err := store(ctx)
		if err == nil {
			return true, nil
		}
		if !isUnavailable(err) && ctx.Err() == nil {
			return false, err
		}
		logger.WarnContext(ctx, "storing a result failed", "err", err)
		if !pause(ctx, wait) {
			return false, nil
		}
	}
}
