package worker

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

// bounded are the slots of a stage with a reserve for quick calls.
func bounded(share int) limits { return limits{slots: 4 * share, share: share, bounded: true} }

// calling is a queue whose tasks' calls take as long as their servers do.
type calling struct {
	*queue[int, int]
	next int
	out  map[string][]*task[int, int] // by server
}

func newCalling(sizes limits) *calling {
	return &calling{queue: newQueue[int, int](sizes, nil), out: map[string][]*task[int, int]{}}
}

// accounts queues a task each of so many accounts of a workspace on a server, from a number on.
func (c *calling) accounts(workspace byte, server string, first, n int) {
	for i := range n {
		c.next++
		account := first + i
		c.put(&task[int, int]{ctx: context.Background(), value: c.next, Place: Place[int]{
			Workspace: schema.WorkspaceID{workspace}, Key: Key{workspace, byte(account), byte(account >> 8)}, Bulkhead: Bulkhead{1}, Server: server,
		}})
	}
}

// begin begins the calls that may, and returns how many there are by server.
func (c *calling) begin() map[string]int {
	begun := map[string]int{}
	for _, t := range c.takeReady(1000) {
		c.beginCall(t)
		c.out[t.Server] = append(c.out[t.Server], t)
		begun[t.Server]++
	}
	return begun
}

// answer ends the calls to a server.
func (c *calling) answer(server string) {
	for _, t := range c.out[server] {
		c.endCall(t)
		c.done(t)
	}
	delete(c.out, server)
}

// settle begins calls and has a server answer at once, until nothing begins any more; it returns how many were made.
func (c *calling) settle(server string) (calls int) {
	for n := c.begin()[server]; n > 0; n = c.begin()[server] {
		calls += n
		c.answer(server)
	}
	return calls
}

func newPool(slots int) *Pool { return NewPool("media", slots, NewMetrics(prometheus.NewRegistry())) }

const (
	lateServer  = "https://late.example"
	otherServer = "https://other.example"
)

// A server that answers late gets half of the slots while it is alone, less than those of a server of which
// nothing is known, and leaves others what they need.
func TestASlowServerLeavesSlotsToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const share = 288
		c := newCalling(bounded(share))
		c.accounts(1, lateServer, 0, 400)
		if n := c.begin()[lateServer]; n != 192 {
			t.Errorf("an unknown server has %d calls of %d, want eight ninths of three quarters", n, share)
		}
		c.accounts(2, otherServer, 0, 50)
		if n := c.begin()[otherServer]; n == 0 {
			t.Error("nothing is left to another server of which nothing is known")
		}
		c.answer(otherServer)
		c.settle(otherServer)
		time.Sleep(20 * time.Second)
		c.answer(lateServer)
		if n := c.begin()[lateServer]; n != 128 {
			t.Errorf("a slow server alone has %d calls of %d, want eight ninths of half", n, share)
		}
		for round := range 20 {
			c.accounts(3, otherServer, 100, 100)
			if n := c.settle(otherServer); n != 100 {
				t.Fatalf("%d of 100 calls to another server were made in round %d, at once", n, round)
			}
		}
	})
}

// Half of the slots stay for accounts whose last calls were quick, whichever servers and workspaces are slow.
func TestHalfOfTheSlotsAreForQuickCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const share = 64
		c := newCalling(bounded(share))
		c.accounts(100, otherServer, 0, 1)
		c.settle(otherServer)
		for tenant := range byte(20) {
			c.accounts(tenant, string('a'+rune(tenant)), 0, 20)
		}
		for range 3 {
			c.begin()
			time.Sleep(20 * time.Second)
			for tenant := range byte(20) {
				c.answer(string('a' + rune(tenant)))
				c.accounts(tenant, string('a'+rune(tenant)), 0, 20)
			}
		}
		c.begin()
		if maximum := share / 2; c.queue.out > maximum {
			t.Errorf("%d of %d slots are taken by slow calls, want %d at most", c.queue.out, share, maximum)
		}
		c.accounts(100, otherServer, 0, 20)
		if n := c.begin()[otherServer]; n != 20 {
			t.Errorf("%d of 20 quick calls began", n)
		}
	})
}

// A server that stops answering is slow before the first of its calls has ended.
func TestAServerThatHangsIsSlowBeforeItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const share = 64
		c := newCalling(bounded(share))
		c.accounts(1, lateServer, 0, 100)
		c.settle(lateServer)
		c.accounts(1, lateServer, 0, 10)
		c.begin()
		time.Sleep(2 * time.Second)
		c.accounts(1, lateServer, 50, 50)
		if n := c.begin()[lateServer]; n > share/2 {
			t.Errorf("%d more calls began, of %d slots", n, share)
		}
	})
}

// A quick herd has the slots of quick calls, but for some that another workspace finds free.
func TestAQuickHerdHasNearlyAllSlotsOfItsKind(t *testing.T) {
	const share = 288
	c := newCalling(bounded(share))
	c.accounts(1, "", 0, 1000)
	c.settle("")
	c.accounts(1, "", 0, 1000)
	if n := c.begin()[""]; n != 128 {
		t.Errorf("a herd has %d of %d slots, want eight ninths of half", n, share)
	}
	c.accounts(2, "", 0, 5)
	if n := c.begin()[""]; n != 5 {
		t.Errorf("%d of another workspace's 5 calls began", n)
	}
	c.answer("")
	if n := c.settle(""); n != 1000-128 {
		t.Errorf("%d calls followed, want all that waited", n)
	}
	if len(c.keys) > 0 || len(c.bulkheads) > 0 || c.queue.out != 0 {
		t.Errorf("%d keys, %d bulkheads and %d slots are left of nothing", len(c.keys), len(c.bulkheads), c.queue.out)
	}
}

// Everything that is queued goes out, and nothing is left behind, however servers and workspaces are mixed.
func TestNothingStaysParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCalling(bounded(16))
		servers := []string{"", lateServer, otherServer, "https://third.example"}
		total := 0
		for tenant := range byte(9) {
			for i, server := range servers {
				c.accounts(tenant, server, 100*i, 30)
				total += 30
			}
		}
		begun := 0
		for round := 0; begun < total && round < 10*total; round++ {
			for _, n := range c.begin() {
				begun += n
			}
			if round%3 == 0 {
				time.Sleep(1500 * time.Millisecond)
			}
			c.answer(servers[round%len(servers)])
		}
		for _, server := range servers {
			c.answer(server)
		}
		if begun != total || len(c.keys) > 0 || len(c.bulkheads) > 0 || c.queue.out != 0 {
			t.Errorf("%d of %d calls were made; %d keys, %d bulkheads and %d slots are left", begun, total, len(c.keys), len(c.bulkheads), c.queue.out)
		}
	})
}

// What is known of an account may change while it is queued, as where its messages are of two versions.
func TestAKeyStaysWhereItsFirstTaskIs(t *testing.T) {
	q := newQueue[int, int](bounded(9), nil)
	for i, place := range []Place[int]{{Bulkhead: Bulkhead{1}}, {Bulkhead: Bulkhead{2}, Server: otherServer}} {
		place.Key = Key{7}
		q.put(&task[int, int]{ctx: t.Context(), value: i, Place: place})
	}
	for range 2 {
		taken := q.takeReady(1)
		q.beginCall(taken[0])
		q.endCall(taken[0])
		q.done(taken[0])
	}
	if q.out != 0 || len(q.bulkheads) > 0 {
		t.Errorf("%d slots and %d bulkheads are left of nothing", q.out, len(q.bulkheads))
	}
}

// A call that fetches something has no slot of its stage meanwhile, and waits for one before it goes on.
func TestACallThatFetchesHandsItsSlotOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int, int](limits{slots: 1, share: 1, bounded: true}, nil)
		for i := range 2 {
			q.put(&task[int, int]{ctx: t.Context(), value: i, Place: Place[int]{Key: Key{byte(1 + i)}, Bulkhead: Bulkhead{1}}})
		}
		pool, fetched, wentOn := newPool(1), make(chan struct{}), make(chan struct{})
		first := q.takeReady(1)[0]
		q.beginCall(first)
		go func() {
			err := pool.Do(q.handingOff(t.Context(), first), "https://pictures.example", func() error { <-fetched; return nil })
			if err != nil {
				t.Error(err)
			}
			close(wentOn)
		}()
		synctest.Wait()
		second := q.takeReady(1)
		if len(second) != 1 {
			t.Fatal("the slot of a call that fetches serves nobody else")
		}
		close(fetched)
		synctest.Wait()
		select {
		case <-wentOn:
			t.Fatal("two calls have the one slot")
		default:
		}
		q.done(second[0])
		<-wentOn
		q.endCall(first)
		q.done(first)
		if q.out != 0 || len(q.keys) > 0 || len(q.bulkheads) > 0 || pool.queue.out != 0 || len(pool.visits) > 0 {
			t.Errorf("%d slots, %d keys and %d bulkheads are left of nothing", q.out, len(q.keys), len(q.bulkheads))
		}
	})
}

// A call that ends while it waits, for the pool or for its own slot, has not fetched, and leaves nothing behind.
func TestACallThatEndsWhileItWaitsLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int, int](limits{slots: 1, share: 1, bounded: true}, nil)
		for i := range 2 {
			q.put(&task[int, int]{ctx: t.Context(), value: i, Place: Place[int]{Key: Key{byte(1 + i)}, Bulkhead: Bulkhead{1}}})
		}
		first := q.takeReady(1)[0]
		q.beginCall(first)
		calls, end := context.WithCancel(t.Context())
		pool, fetched, ended := newPool(1), make(chan struct{}), make(chan error)
		go func() {
			ended <- pool.Do(q.handingOff(calls, first), "https://pictures.example", func() error { <-fetched; return nil })
		}()
		second := q.take(t.Context(), 1)[0]
		close(fetched)
		synctest.Wait()
		end()
		if err := <-ended; schema.KindOf(err) != schema.Retryable || !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		q.endCall(first)
		q.done(first)
		q.done(second)
		if q.out != 0 || len(q.bulkheads) > 0 {
			t.Errorf("%d slots and %d bulkheads are left of nothing", q.out, len(q.bulkheads))
		}
	})
}

// The calls that wait for a host which never answers are bounded, and leave room to those for another.
func TestAPoolLeavesRoomToOtherHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, hang := newPool(64), make(chan struct{})
		var refused, fetching int
		var mu sync.Mutex
		var calls sync.WaitGroup
		for range 3 * poolWaiters {
			calls.Go(func() {
				err := pool.Do(t.Context(), "https://dead.example", func() error {
					mu.Lock()
					fetching++
					mu.Unlock()
					<-hang
					return nil
				})
				if schema.KindOf(err) == schema.RateLimited {
					mu.Lock()
					refused++
					mu.Unlock()
				}
			})
		}
		synctest.Wait()
		if fetching >= 64 || refused < poolWaiters {
			t.Errorf("%d calls fetch and %d of %d were refused", fetching, refused, 3*poolWaiters)
		}
		other := context.WithValue(t.Context(), handoffKey{}, handoff{
			workspace: schema.WorkspaceID{2}, leave: func() {}, comeBack: func() error { return nil },
		})
		if err := pool.Do(other, "https://quick.example", func() error { return nil }); err != nil {
			t.Errorf("a quick host could not be asked: %v", err)
		}
		time.Sleep(poolWait + time.Second)
		synctest.Wait()
		if done := fetching + refused; done != 3*poolWaiters {
			t.Errorf("%d of %d calls still wait", 3*poolWaiters-done, 3*poolWaiters)
		}
		close(hang)
		calls.Wait()
		if pool.queue.out != 0 || len(pool.visits)+len(pool.servers)+len(pool.workspaces) > 0 {
			t.Errorf("%d slots and %d visits are left", pool.queue.out, len(pool.visits))
		}
	})
}
