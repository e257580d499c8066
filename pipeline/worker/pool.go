package worker

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"crier/schema"
)

// Pool is slots for what calls of stages have to fetch from elsewhere first, such as media. They are
// scheduled as the slots of a stage are, by the server that is asked and the workspace. While a call
// fetches, its own slot serves others, as a goroutine in a system call leaves its processor to others.
type Pool struct {
	queue *queue[uint64, struct{}]

	mu     sync.Mutex
	last   uint64 // number of a visit
	visits map[uint64]*visit
	// workspaces and servers count the visits that wait; the last is not forgotten before they have ended.
	workspaces map[schema.WorkspaceID]int
	servers    map[string]int
}

// visit is a call that waits for a slot of a pool.
type visit struct {
	task    *task[uint64, struct{}]
	granted chan struct{}
	gaveUp  bool
}

const (
	// poolWaiters bounds the calls that wait for a slot of a pool. Those of a server, and of a workspace,
	// may take as much room as is left.
	poolWaiters = 1024
	// poolWait is how long a call waits for a slot of a pool, since the lease of its claim goes on, and
	// poolRetry when it may come again.
	poolWait, poolRetry = time.Minute, 15 * time.Second
)

// NewPool makes a pool of so many slots, which metrics know by a name.
func NewPool(name string, slots int, metrics *Metrics) *Pool {
	p := &Pool{
		queue:  newQueue[uint64, struct{}](limits{slots: slots, share: slots, bounded: true}, nil),
		visits: map[uint64]*visit{}, workspaces: map[schema.WorkspaceID]int{}, servers: map[string]int{},
	}
	metrics.slots.watch(name, p.queue.used)
	return p
}

// Do does work that asks a server, in a slot of the pool. ctx is that of a stage's call, whose slot
// is handed off until the work is done. Where there is no slot for too long nothing is done, and the error is
// a *schema.Error: RateLimited, or Retryable if ctx has ended.
func (p *Pool) Do(ctx context.Context, server string, work func() error) error {
	call, isCall := ctx.Value(handoffKey{}).(handoff)
	if !isCall {
		return p.do(ctx, call, server, work)
	}
	call.leave()
	err := p.do(ctx, call, server, work)
	if back := call.comeBack(); err == nil {
		err = back
	}
	return err
}

func (p *Pool) do(ctx context.Context, call handoff, server string, work func() error) error {
	v, err := p.enter(call, server)
	if err != nil {
		return err
	}
	p.grant()
	if err := p.await(ctx, v); err != nil {
		return err
	}
	defer func() {
		p.queue.endCall(v.task)
		p.queue.done(v.task)
		p.grant()
	}()
	p.queue.beginCall(v.task)
	return work()
}

// enter queues a visit, if there is room for it.
func (p *Pool) enter(call handoff, server string) (*visit, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := poolWaiters - len(p.visits); p.workspaces[call.workspace] >= room || p.servers[server] >= room {
		return nil, crowded()
	}
	p.last++
	var key Key // its own: visits of an account may be to several servers
	binary.BigEndian.PutUint64(key[:], p.last)
	v := &visit{granted: make(chan struct{}), task: &task[uint64, struct{}]{
		Place: Place[struct{}]{Workspace: call.workspace, Key: key, Server: server}, value: p.last,
	}}
	p.visits[p.last] = v
	p.workspaces[call.workspace]++
	p.servers[server]++
	p.queue.put(v.task)
	return v, nil
}

// await waits until a visit has a slot. After an error it has none.
func (p *Pool) await(ctx context.Context, v *visit) error {
	timer := time.NewTimer(poolWait)
	defer timer.Stop()
	var err error
	select {
	case <-v.granted:
		return nil
	case <-timer.C:
		err = crowded()
	case <-ctx.Done():
		err = ended(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.visits[v.task.value] == nil { // it has just got its slot
		return nil
	}
	v.gaveUp = true
	return err
}

// grant gives free slots to those whose turn it is.
func (p *Pool) grant() {
	for taken := p.queue.takeReady(poolWaiters); len(taken) > 0; taken = p.queue.takeReady(poolWaiters) {
		for _, t := range taken {
			p.admit(t)
		}
	}
}

func (p *Pool) admit(t *task[uint64, struct{}]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.visits[t.value]
	delete(p.visits, t.value)
	if p.workspaces[t.Workspace]--; p.workspaces[t.Workspace] == 0 {
		delete(p.workspaces, t.Workspace)
	}
	if p.servers[t.Server]--; p.servers[t.Server] == 0 {
		delete(p.servers, t.Server)
	}
	if v.gaveUp {
		p.queue.done(t)
		return
	}
	close(v.granted)
}

// ended is the error of a call whose time was over before it got a slot: nothing was sent for it.
func ended(ctx context.Context) error {
	return &schema.Error{Kind: schema.Retryable, Message: "the call ran out of time while it waited for others", Err: ctx.Err()}
}

func crowded() error {
	return &schema.Error{Kind: schema.RateLimited, Message: "crier is fetching many other files", RetryAfter: poolRetry}
}

// handoff is how a call gives its slot to others for as long as it waits for something else.
type handoff struct {
	workspace schema.WorkspaceID
	leave     func()
	comeBack  func() error
}

type handoffKey struct{}

// handingOff returns the context of a task's call, by which a pool hands off its slot.
func (q *queue[M, R]) handingOff(ctx context.Context, t *task[M, R]) context.Context {
	if !q.bounded {
		return ctx
	}
	return context.WithValue(ctx, handoffKey{}, handoff{
		workspace: t.Workspace,
		leave:     func() { q.leave(t) }, comeBack: func() error { return q.comeBack(ctx, t) },
	})
}
