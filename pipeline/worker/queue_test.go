package worker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

func queued(q *queue[int, int], workspace, account byte, value int) {
	q.put(&task[int, int]{ctx: context.Background(), Place: Place[int]{Workspace: schema.WorkspaceID{workspace}, Key: Key{account}}, value: value})
}

func values(tasks []*task[int, int]) []int {
	var all []int
	for _, t := range tasks {
		all = append(all, t.value)
	}
	return all
}

func TestTheQueueServesWorkspacesInTurn(t *testing.T) {
	q := newQueue[int, int](9)
	for i := range 4 {
		queued(q, 1, byte(i), i)
	}
	queued(q, 2, 100, 100)
	if got := values(q.takeReady(3)); fmt.Sprint(got) != "[0 100 1]" {
		t.Errorf("took %v, want the second workspace's between the first's", got)
	}
}

func TestAKeyIsOutOnce(t *testing.T) {
	q := newQueue[int, int](9)
	queued(q, 1, 7, 1)
	queued(q, 1, 7, 2)
	first := q.takeReady(9)
	if fmt.Sprint(values(first)) != "[1]" || len(q.takeReady(9)) != 0 {
		t.Fatal("two tasks of one key are out")
	}
	q.done(first[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[2]" {
		t.Errorf("took %v after the key was given back, want its second task", got)
	}
}

func TestATaskComesAgainAheadOfItsKey(t *testing.T) {
	q := newQueue[int, int](9)
	queued(q, 1, 7, 1)
	queued(q, 1, 7, 2)
	q.again(q.takeReady(1)[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[1]" {
		t.Errorf("took %v, want the task that came again", got)
	}
}

func TestTheSameTaskIsQueuedOnce(t *testing.T) {
	q := newQueue[int, int](9)
	queued(q, 1, 7, 1)
	if !q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{7}}, value: 1}) || q.len() != 1 {
		t.Error("a repeated message was queued twice, or is kept")
	}
}

func TestTakeWaitsForATask(t *testing.T) {
	q := newQueue[int, int](9)
	got := make(chan []int)
	go func() { got <- values(q.take(t.Context(), 1)) }()
	queued(q, 1, 7, 5)
	if v := <-got; fmt.Sprint(v) != "[5]" {
		t.Errorf("took %v", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v := q.take(ctx, 1); v != nil {
		t.Errorf("took %v after the end", values(v))
	}
}

func TestABulkheadLeavesSlotsToOthers(t *testing.T) {
	q := newQueue[int, int](2)
	hanging := Bulkhead{1}
	for i := range 5 {
		q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{byte(i)}, Bulkhead: hanging}, value: i})
	}
	q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{100}, Bulkhead: Bulkhead{2}}, value: 100})
	first := q.takeReady(9)
	if got := values(first); fmt.Sprint(got) != "[0 1 100]" {
		t.Fatalf("took %v, want two of the bulkhead and the other", got)
	}
	q.done(first[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[2]" {
		t.Errorf("took %v after one came back, want the next", got)
	}
	q.again(first[1])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[3]" {
		t.Errorf("took %v after one came to be done again, want the next in turn", got)
	}
	if got := q.takeReady(9); len(got) != 0 || q.len() != 2 {
		t.Errorf("took %v beyond the bulkhead, %d queued", values(got), q.len())
	}
}

func TestALongQueueKeepsFewMessages(t *testing.T) {
	const long = 1000
	q := newQueue[int, int](9)
	message := new(stream.Message)
	kept := 0
	for i := range long {
		if !q.put(&task[int, int]{Place: Place[int]{Key: Key{7}}, ctx: t.Context(), value: i, message: message}) {
			kept++
		}
	}
	if kept != keyHeld {
		t.Errorf("%d messages are kept, want %d", kept, keyHeld)
	}
	for i := range long {
		taken := q.takeReady(1)
		if len(taken) != 1 || taken[0].value != i || (taken[0].message != nil) != (i < keyHeld) {
			t.Fatalf("task %d came as %+v", i, taken)
		}
		q.done(taken[0])
	}
	if q.loose != 0 {
		t.Errorf("%d tasks count as waiting", q.loose)
	}
}

func TestLongQueuesLeaveRoomToOthers(t *testing.T) {
	const long = 50
	q := newQueue[int, int](9)
	for i := range looseLimit {
		for n := range long {
			queued(q, 1, byte(n), i*long+n)
		}
	}
	if q.loose > looseLimit*9/10 {
		t.Errorf("%d tasks wait, which leaves too little of %d", q.loose, looseLimit)
	}
	before := q.len()
	for i := range 500 {
		queued(q, 2, 200, -1-i)
	}
	if got := q.len() - before; got != 500 {
		t.Errorf("%d of 500 tasks of another key are queued", got)
	}
}

func TestAKeyThatWaitsHoldsUpNoOther(t *testing.T) {
	q := newQueue[int, int](9)
	queued(q, 1, 7, 1)
	queued(q, 1, 7, 2)
	began := time.Now()
	q.later(q.takeReady(1)[0], began.Add(50*time.Millisecond))
	queued(q, 1, 7, 3)
	queued(q, 1, 8, 100)
	if got := values(q.take(t.Context(), 9)); fmt.Sprint(got) != "[100]" {
		t.Fatalf("took %v, want the other key's", got)
	}
	if got := values(q.take(t.Context(), 9)); fmt.Sprint(got) != "[1]" {
		t.Errorf("took %v, want the task that waited", got)
	}
	if waited := time.Since(began); waited < 50*time.Millisecond {
		t.Errorf("it came after %v", waited)
	}
}
