package pipeline

import (
	"context"
	"fmt"
	"testing"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

func queued(l *lanes[int], workspace, account byte, value int) {
	l.put(&task[int]{ctx: context.Background(), workspace: schema.WorkspaceID{workspace}, lane: lane{account}, value: value})
}

func values(tasks []*task[int]) []int {
	var all []int
	for _, t := range tasks {
		all = append(all, t.value)
	}
	return all
}

func TestLanesServeWorkspacesInTurn(t *testing.T) {
	l := newLanes[int](9)
	for i := range 4 {
		queued(l, 1, byte(i), i)
	}
	queued(l, 2, 100, 100)
	if got := values(l.takeReady(3)); fmt.Sprint(got) != "[0 100 1]" {
		t.Errorf("took %v, want the second workspace's between the first's", got)
	}
}

func TestALaneIsOutOnce(t *testing.T) {
	l := newLanes[int](9)
	queued(l, 1, 7, 1)
	queued(l, 1, 7, 2)
	first := l.takeReady(9)
	if fmt.Sprint(values(first)) != "[1]" || len(l.takeReady(9)) != 0 {
		t.Fatal("two tasks of one lane are out")
	}
	l.done(first[0].lane)
	if got := values(l.takeReady(9)); fmt.Sprint(got) != "[2]" {
		t.Errorf("took %v after the lane was given back, want its second task", got)
	}
}

func TestATaskComesAgainAheadOfItsLane(t *testing.T) {
	l := newLanes[int](9)
	queued(l, 1, 7, 1)
	queued(l, 1, 7, 2)
	l.again(l.takeReady(1)[0])
	if got := values(l.takeReady(9)); fmt.Sprint(got) != "[1]" {
		t.Errorf("took %v, want the task that came again", got)
	}
}

func TestTheSameTaskIsQueuedOnce(t *testing.T) {
	l := newLanes[int](9)
	queued(l, 1, 7, 1)
	if !l.put(&task[int]{workspace: schema.WorkspaceID{1}, lane: lane{7}, value: 1}) || l.len() != 1 {
		t.Error("a repeated message was queued twice, or is kept")
	}
}

func TestTakeWaitsForATask(t *testing.T) {
	l := newLanes[int](9)
	got := make(chan []int)
	go func() { got <- values(l.take(t.Context(), 1)) }()
	queued(l, 1, 7, 5)
	if v := <-got; fmt.Sprint(v) != "[5]" {
		t.Errorf("took %v", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v := l.take(ctx, 1); v != nil {
		t.Errorf("took %v after the end", values(v))
	}
}

func TestABulkheadLeavesSlotsToOthers(t *testing.T) {
	l := newLanes[int](2)
	hanging := bulkhead{1}
	for i := range 5 {
		l.put(&task[int]{workspace: schema.WorkspaceID{1}, lane: lane{byte(i)}, bulkhead: hanging, value: i})
	}
	l.put(&task[int]{workspace: schema.WorkspaceID{1}, lane: lane{100}, bulkhead: bulkhead{2}, value: 100})
	first := l.takeReady(9)
	if got := values(first); fmt.Sprint(got) != "[0 1 100]" {
		t.Fatalf("took %v, want two of the bulkhead and the other", got)
	}
	l.done(first[0].lane)
	if got := values(l.takeReady(9)); fmt.Sprint(got) != "[2]" {
		t.Errorf("took %v after one came back, want the next", got)
	}
	l.again(first[1])
	if got := values(l.takeReady(9)); fmt.Sprint(got) != "[3]" {
		t.Errorf("took %v after one came to be done again, want the next in turn", got)
	}
	if got := l.takeReady(9); len(got) != 0 || l.len() != 2 {
		t.Errorf("took %v beyond the bulkhead, %d queued", values(got), l.len())
	}
}

func TestALongLaneKeepsFewMessages(t *testing.T) {
	const long = 1000
	l := newLanes[int](9)
	message := new(stream.Message)
	kept := 0
	for i := range long {
		if !l.put(&task[int]{ctx: t.Context(), lane: lane{7}, value: i, message: message}) {
			kept++
		}
	}
	if kept != laneHeld {
		t.Errorf("%d messages are kept, want %d", kept, laneHeld)
	}
	for i := range long {
		taken := l.takeReady(1)
		if len(taken) != 1 || taken[0].value != i || (taken[0].message != nil) != (i < laneHeld) {
			t.Fatalf("task %d came as %+v", i, taken)
		}
		l.done(lane{7})
	}
	if l.loose != 0 {
		t.Errorf("%d tasks count as waiting", l.loose)
	}
}

func TestLongLanesLeaveRoomToOthers(t *testing.T) {
	const long = 50
	l := newLanes[int](9)
	for i := range looseLimit {
		for n := range long {
			queued(l, 1, byte(n), i*long+n)
		}
	}
	if l.loose > looseLimit*9/10 {
		t.Errorf("%d tasks wait, which leaves too little of %d", l.loose, looseLimit)
	}
	before := l.len()
	for i := range 500 {
		queued(l, 2, 200, -1-i)
	}
	if got := l.len() - before; got != 500 {
		t.Errorf("%d of 500 tasks of another lane are queued", got)
	}
}

func TestALaneThatWaitsHoldsUpNoOther(t *testing.T) {
	l := newLanes[int](9)
	queued(l, 1, 7, 1)
	queued(l, 1, 7, 2)
	began := time.Now()
	l.later(l.takeReady(1)[0], began.Add(50*time.Millisecond))
	queued(l, 1, 7, 3)
	queued(l, 1, 8, 100)
	if got := values(l.take(t.Context(), 9)); fmt.Sprint(got) != "[100]" {
		t.Fatalf("took %v, want the other lane's", got)
	}
	if got := values(l.take(t.Context(), 9)); fmt.Sprint(got) != "[1]" {
		t.Errorf("took %v, want the task that waited", got)
	}
	if waited := time.Since(began); waited < 50*time.Millisecond {
		t.Errorf("it came after %v", waited)
	}
}
