package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"crier/schema"
)

// paced is one account's posts at a platform that gives a turn every spacing once its burst is
// used up, in a time of the test's own. Each post takes a turn, then gives two back that it has no
// call for, and takes a second.
type paced struct {
	Stage[schema.PublishMessage, schema.TargetRef, openClaim]
	worker *Worker[schema.PublishMessage, schema.TargetRef, openClaim]
	turns  *rate.Limiter

	mu         sync.Mutex
	steps      map[int16]int
	gone       map[int16]bool // cancelled
	published  []int16
	begunAt    map[int16]time.Time
	recordings int // of which the first fails
	recorded   []recordedWaitOf
	recordedAt []time.Time
	postponed  int
	postponing time.Duration // takes so long
}

const pacedSpacing = 20 * time.Second

func newPaced(burst int) *paced {
	p := &paced{turns: rate.NewLimiter(rate.Every(pacedSpacing), burst), steps: map[int16]int{}, gone: map[int16]bool{}, begunAt: map[int16]time.Time{}}
	p.worker = &Worker[schema.PublishMessage, schema.TargetRef, openClaim]{
		Config: Config[schema.PublishMessage]{
			Logger: slog.New(slog.DiscardHandler), Metrics: NewMetrics(prometheus.NewRegistry()), Reserve: p.reserve,
			Spacing: func(schema.PublishMessage) time.Duration { return pacedSpacing },
		},
		stage: p, queue: newQueue[schema.PublishMessage, schema.TargetRef](unbounded(8), nil), postponeSlot: make(chan struct{}, 1),
	}
	return p
}

func (p *paced) reserve(context.Context, schema.PublishMessage) (schema.Reservation, time.Duration) {
	p.mu.Lock() // until it is cancelled, another would wait behind it
	defer p.mu.Unlock()
	r := p.turns.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
		return nil, wait
	}
	return pacedTurn{r}, 0
}

type pacedTurn struct{ *rate.Reservation }

func (pacedTurn) Use() bool { return true }

// Postpone has targets come back after their waits, a little late as jobs do.
func (p *paced) Postpone(_ context.Context, refs []schema.TargetRef, waits []time.Duration) ([]schema.TargetRef, error) {
	time.Sleep(p.postponing)
	p.mu.Lock()
	defer p.mu.Unlock()
	var put []schema.TargetRef
	for i, ref := range refs {
		if !p.gone[ref.N] {
			put = append(put, ref)
			time.AfterFunc(waits[i]+time.Duration(ref.N%7)*time.Millisecond, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				if !p.gone[ref.N] {
					p.post(ref.N)
				}
			})
		}
	}
	p.postponed += len(put)
	return put, nil
}

func (p *paced) RecordWaits(_ context.Context, refs []schema.TargetRef, waits []time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recordings++
	if p.recordings == 1 {
		return errors.New("the database does not answer")
	}
	for i, ref := range refs {
		p.recorded, p.recordedAt = append(p.recorded, recordedWaitOf{ref.N, waits[i].Round(time.Second)}), append(p.recordedAt, time.Now())
	}
	return nil
}

// recordedWaitOf is the wait of a post as it was recorded.
type recordedWaitOf struct {
	n    int16
	wait time.Duration
}

// post queues a post that is due by its number, with some others.
func (p *paced) post(n int16) {
	p.worker.queue.put(&task[schema.PublishMessage, schema.TargetRef]{
		Place: Place[schema.TargetRef]{Key: Key{1}, Order: Order{int64(n / 25), [16]byte{byte(n >> 8), byte(n)}}, Claims: schema.TargetRef{N: n}}, ctx: context.Background(), value: schema.PublishMessage{N: n},
	})
}

// run takes what has its turn, until a post is published.
func (p *paced) run(ctx context.Context, last int16) {
	for !slices.Contains(p.published, last) {
		batch := p.worker.queue.take(ctx, 8)
		for _, t := range p.worker.reserveTurns(phases{claims: ctx, stores: ctx}, batch) {
			if p.step(t.value.N) {
				t.reservation = nil
			}
			p.worker.queue.done(t)
		}
	}
}

func (p *paced) step(n int16) (usesTurn bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone[n] {
		return false
	}
	if p.steps[n]++; p.steps[n] == 1 {
		p.begunAt[n] = time.Now()
	}
	if p.steps[n] == 4 {
		p.published = append(p.published, n)
		return true
	}
	time.AfterFunc(5*time.Second, func() { p.post(n) })
	return p.steps[n] == 1
}

func TestALineGoesInOrder(t *testing.T) { goesInOrder(t, 0) }

func TestALineGoesInOrderThoughPostponingTakesLong(t *testing.T) { goesInOrder(t, 3*pacedSpacing/2) }

func goesInOrder(t *testing.T, postponing time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		const posts, fresh, burst = 400, 20, 10
		p, began := newPaced(burst), time.Now()
		p.postponing = postponing
		for n := range int16(posts) {
			p.post((n*37)%posts + 1) // in no order
		}
		for n := range int16(fresh) { // due later, while the others wait
			time.AfterFunc(time.Duration(n+1)*time.Minute, func() { p.post(posts + n + 1) })
		}
		p.run(t.Context(), posts+fresh)
		if !slices.IsSorted(p.published) {
			t.Errorf("they went in the order %v", p.published)
		}
		// A turn may pass unused when one has been postponed for too long, and not more often than one in twenty.
		turns := time.Duration(2*(posts+fresh) - burst)
		if took := time.Since(began); took > turns*pacedSpacing*21/20 {
			t.Errorf("it took %v, want %v", took, turns*pacedSpacing)
		}
		if maximum := 16 * (posts + fresh); p.postponed > maximum {
			t.Errorf("%d times one was postponed, want at most %d", p.postponed, maximum)
		}
	})
}

func TestWhatIsCancelledHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts = 120
		p := newPaced(1)
		for n := range int16(posts) {
			p.post(n + 1)
		}
		time.AfterFunc(time.Minute, func() {
			p.mu.Lock()
			for n := range int16(posts) {
				p.gone[n+1] = true
			}
			p.mu.Unlock()
		})
		const wait = 10 * time.Minute
		began := time.Now()
		time.AfterFunc(wait, func() { p.post(posts + 1) })
		p.run(t.Context(), posts+1)
		if took := time.Since(began) - wait; took > 2*time.Minute {
			t.Errorf("a post waited %v for what is cancelled", took)
		}
	})
}

func TestWhatCannotBePostponedIsClaimedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(1)
		p.turns.Allow()
		for n := range int16(2 * lineLength) {
			p.post(n)
			p.gone[n] = true
		}
		other := schema.PublishMessage{Account: schema.AccountID{2}}
		p.worker.queue.put(&task[schema.PublishMessage, schema.TargetRef]{Place: Place[schema.TargetRef]{Key: Key{2}}, ctx: t.Context(), value: other})
		if reserved := p.worker.reserveTurns(phases{claims: t.Context(), stores: t.Context()}, p.worker.queue.take(t.Context(), 8)); len(reserved) > 0 {
			t.Errorf("%d go at once while their account's first waits", len(reserved))
		}
		p.worker.postponing.Wait()
		if left := p.worker.queue.len(); left != 2*lineLength+1 {
			t.Errorf("%d are queued, want all of the line", left)
		}
	})
}

func TestALineThatIsThrottledMeanwhileIsStillPostponedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(1)
		p.turns.Allow()
		spacing := pacedSpacing
		p.worker.Spacing = func(schema.PublishMessage) time.Duration {
			defer func() { spacing = 0 }()
			return spacing
		}
		for n := range int16(2*lineLength + 1) {
			p.post(n)
		}
		p.worker.reserveTurns(phases{claims: t.Context(), stores: t.Context()}, p.worker.queue.take(t.Context(), 1))
		time.Sleep((lineLength + lineLength/2) * pacedSpacing / 2)
		synctest.Wait()
		p.mu.Lock() // those that have come back are in the queue
		defer p.mu.Unlock()
		if back := p.worker.queue.len() - lineLength; back > lineLength/2 {
			t.Errorf("%d of %d have come back, want half", back, p.postponed)
		}
	})
}

func TestALongLineKeepsNobodyElseWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(1)
		p.turns.Allow()
		p.postponing = time.Second
		other := schema.PublishMessage{Account: schema.AccountID{2}}
		p.worker.Reserve = func(ctx context.Context, m schema.PublishMessage) (schema.Reservation, time.Duration) {
			if m == other {
				return nil, 0
			}
			return p.reserve(ctx, m)
		}
		for n := range int16(3 * postponeBatch) {
			p.post(n)
		}
		p.worker.queue.put(&task[schema.PublishMessage, schema.TargetRef]{Place: Place[schema.TargetRef]{Key: Key{2}}, ctx: t.Context(), value: other})
		began := time.Now()
		reserved := p.worker.reserveTurns(phases{claims: t.Context(), stores: t.Context()}, p.worker.queue.take(t.Context(), 8))
		if took := time.Since(began); len(reserved) != 1 || took > 0 {
			t.Errorf("%d go on after %v, want the other account's at once", len(reserved), took)
		}
		p.worker.postponing.Wait()
		if left, want := p.worker.queue.len(), lineLength; left != want || p.postponed != 3*postponeBatch-want {
			t.Errorf("%d wait in the queue and %d as jobs, want %d in the queue", left, p.postponed, want)
		}
	})
}

func TestALongWaitInALineIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(1)
		p.turns.Allow()
		for n := range int16(6) {
			p.post(n)
		}
		for range 7 {
			for _, task := range p.worker.reserveTurns(phases{stores: t.Context(), claims: t.Context()}, p.worker.queue.take(t.Context(), 1)) {
				task.reservation = nil // it is used
				p.worker.queue.done(task)
			}
			p.worker.postponing.Wait()
		}
		// The first recording, of those from the third on, fails; 20 s later they are recorded again.
		if want := []recordedWaitOf{{2, 40 * time.Second}, {3, 60 * time.Second}, {4, 80 * time.Second}, {5, 100 * time.Second}}; !slices.Equal(p.recorded, want) {
			t.Errorf("recorded is %v, want %v", p.recorded, want)
		}
	})
}

func TestWhatWaitsInALineIsRecordedInTimeAndNotForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts = 20
		p := newPaced(1)
		p.turns.Allow()
		p.recordings = 1 // none fails
		for n := range int16(posts) {
			p.post(n)
		}
		began := time.Now()
		p.run(t.Context(), posts-1)
		p.worker.postponing.Wait()
		first := map[int16]time.Time{}
		for i, wait := range p.recorded {
			if first[wait.n].IsZero() {
				first[wait.n] = p.recordedAt[i]
				if until := p.recordedAt[i].Add(wait.wait - time.Second); until.After(p.begunAt[wait.n]) {
					t.Errorf("of post %d is recorded that it waits until %v, and it begins after %v", wait.n, until.Sub(began), p.begunAt[wait.n].Sub(began))
				}
			}
		}
		for n, begun := range p.begunAt {
			if begun.Sub(began) > time.Minute+pacedSpacing && (first[n].IsZero() || first[n].Sub(began) > time.Minute) {
				t.Errorf("post %d, which begins after %v, is recorded %v", n, begun.Sub(began), first[n])
			}
		}
		if maximum := 8 * posts; len(p.recorded) > maximum {
			t.Errorf("%d times something is recorded, want at most %d", len(p.recorded), maximum)
		}
	})
}
