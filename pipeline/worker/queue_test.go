package worker

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// unbounded are the slots of a stage without further bounds than those of bulkheads.
func unbounded(share int) limits { return limits{slots: 512, share: share} }

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
	q := newQueue[int, int](unbounded(9), nil)
	for i := range 4 {
		queued(q, 1, byte(i), i)
	}
	queued(q, 2, 100, 100)
	if got := values(q.takeReady(3)); fmt.Sprint(got) != "[0 100 1]" {
		t.Errorf("took %v, want the second workspace's between the first's", got)
	}
}

func TestAKeyIsOutOnce(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
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
	q := newQueue[int, int](unbounded(9), nil)
	queued(q, 1, 7, 1)
	queued(q, 1, 7, 2)
	q.requeue(q.takeReady(1)[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[1]" {
		t.Errorf("took %v, want the task that came again", got)
	}
}

func TestTasksOfAKeyGoInTheOrderOfTheirDueTimes(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
	late := time.Now()
	for value, at := range []struct {
		due     int64
		overdue time.Time
	}{{5, late}, {3, late}, {9, time.Time{}}, {8, time.Time{}}, {7, late}} { // what is overdue does not pass what is due now
		q.put(&task[int, int]{ctx: t.Context(), Place: Place[int]{Key: Key{7}, Order: Order{Due: at.due}}, value: value, overdue: at.overdue})
	}
	first := q.takeReady(1)[0]
	q.put(&task[int, int]{ctx: t.Context(), Place: Place[int]{Key: Key{7}, Order: Order{Due: 2}}, value: 5})
	q.requeue(first)
	var got []int
	for range 6 {
		ready := q.takeReady(1)
		got = append(got, values(ready)...)
		q.done(ready[0])
	}
	if want := []int{5, 1, 0, 3, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
}

// due queues a task of one key by when it is due.
func due(q *queue[int, int], at int, overdue time.Time) {
	q.put(&task[int, int]{
		ctx: context.Background(), message: &stream.Message{}, Place: Place[int]{Key: Key{7}, Bulkhead: Bulkhead{1}, Order: Order{Due: int64(at)}}, value: at, overdue: overdue,
	})
}

func drained(q *queue[int, int]) (got []int) {
	q.endWaits(time.Now())
	for ready := q.takeReady(1); len(ready) > 0; ready = q.takeReady(1) {
		got = append(got, values(ready)...)
		q.done(ready[0])
	}
	return got
}

// A queue that is full takes what is to be out first, such as the next try of a delivery, in place of its
// last task.
func TestAFullQueueTakesWhatGoesFirst(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
	const first, many = 1, ackedLimit
	for i := range many {
		due(q, first+1+i, time.Time{})
	}
	held := q.len()
	due(q, first, time.Time{})
	due(q, many+2, time.Time{})
	if got := q.len(); got != held || held == many {
		t.Errorf("%d tasks are queued, %d before the first came", got, held)
	}
	if got := values(q.takeReady(1)); !slices.Equal(got, []int{first}) {
		t.Errorf("took %v, want the first", got)
	}
}

func TestWhatIsDueNowComesAgainAheadOfItsKeysOverdueTasks(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
	due(q, 9, time.Time{})
	due(q, 3, time.Now())
	due(q, 8, time.Time{})
	q.requeue(q.takeReady(1)[0])
	if got := drained(q); !slices.Equal(got, []int{8, 9, 3}) {
		t.Errorf("took %v, want what is due now in order, then what is overdue", got)
	}
}

// lined is a key's tasks from 0 on, of which the first waits in the queue with some others; those
// behind are out.
func lined(tasks, first int) (q *queue[int, int], behind []*task[int, int]) {
	q = newQueue[int, int](unbounded(4), nil)
	for i := range tasks {
		due(q, i, time.Time{})
	}
	q.requeueAt(q.takeReady(1)[0], time.Now())
	_, behind = q.trimLine(Key{7}, first)
	return q, behind
}

func TestWhatIsBeingPostponedHasNoSlotOfItsBulkhead(t *testing.T) {
	q, _ := lined(20, 10)
	q.put(&task[int, int]{Place: Place[int]{Key: Key{8}, Bulkhead: Bulkhead{1}}, value: 100})
	if got := values(q.takeReady(1)); !slices.Equal(got, []int{100}) {
		t.Errorf("took %v, want the other key's", got)
	}
}

func TestWhatWasNotPostponedWaitsForItsKey(t *testing.T) {
	q, behind := lined(20, 10)
	q.endWaits(time.Now())
	first := q.takeReady(1)[0]
	for _, task := range behind {
		q.requeueAt(task, time.Now())
	}
	q.endWaits(time.Now())
	if got := q.takeReady(1); len(got) > 0 {
		t.Errorf("took %v while the key's first is out", values(got))
	}
	q.done(first)
	if got := drained(q); len(got) != 19 || !slices.IsSorted(got) {
		t.Errorf("took %v, want the others in order", got)
	}
}

func TestWhatWasNotPostponedKeepsItsPlaceWithoutAnOrder(t *testing.T) {
	q := newQueue[int, int](unbounded(4), nil)
	for i := range 6 {
		queued(q, 1, 7, i)
	}
	q.requeueAt(q.takeReady(1)[0], time.Now())
	_, behind := q.trimLine(Key{7}, 3)
	q.requeue(behind...)
	if got := drained(q); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("took %v, want them in the order of their messages", got)
	}
}

func TestTasksWithoutTheirMessagesAreCounted(t *testing.T) {
	q, behind := lined(2*keyUnacked, 4)
	q.requeue(behind...)
	for want := len(q.acknowledged()); want > 0; want-- {
		if q.acked != want {
			t.Fatalf("counted %d, want %d", q.acked, want)
		}
		q.endWaits(time.Now())
		next := q.takeReady(1)[0]
		if next.message != nil {
			want++
		}
		q.done(next)
	}
}

func TestALineKeepsNothingThatAnotherConsumerGets(t *testing.T) {
	q := newQueue[int, int](unbounded(4), nil)
	ctx, revoke := context.WithCancel(t.Context())
	for i := range 3 {
		q.put(&task[int, int]{ctx: ctx, message: &stream.Message{}, Place: Place[int]{Key: Key{7}}, value: i})
	}
	first := q.takeReady(1)[0]
	revoke()
	q.requeueAt(first, time.Now())
	q.trimLine(Key{7}, 3)
	if acknowledged := q.acknowledged(); len(acknowledged) > 0 {
		t.Errorf("kept %v", values(acknowledged))
	}
}

func TestALineKeepsNoMessagesWhereThereIsNoRoomWithoutThem(t *testing.T) {
	for room, want := range []int{1, 1, 2, 3, 4, 5, 5} {
		q := newQueue[int, int](unbounded(4), nil)
		q.acked = ackedLimit - room
		for i := range 9 {
			due(q, i, time.Time{})
		}
		q.requeueAt(q.takeReady(1)[0], time.Now())
		waiting, behind := q.trimLine(Key{7}, 5)
		if waiting != want || len(behind) != 9-want || !slices.IsSorted(values(behind)) {
			t.Errorf("with room for %d it keeps %d, and %v stand behind", room, waiting, values(behind))
		}
	}
}

func TestWhatIsBeingPostponedTakesItsRoomInMemory(t *testing.T) {
	const keys = 20
	q := newQueue[int, int](unbounded(4), nil)
	next, behind := 0, 0
	for key := range byte(keys) {
		for full := false; !full; next++ {
			before := q.len()
			queued(q, 1, key, next)
			full = q.len() == before
		}
		_, others := q.trimLine(Key{key}, lineLength)
		behind += len(others)
	}
	if maximum := ackedLimit + keys*keyUnacked; behind > maximum {
		t.Errorf("%d are being postponed, want at most %d in memory", behind, maximum)
	}
}

func TestTheSameTaskIsQueuedOnce(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
	queued(q, 1, 7, 1)
	if !q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{7}}, value: 1}) || q.len() != 1 {
		t.Error("a repeated message was queued twice, or is kept")
	}
}

func TestTakeWaitsForATask(t *testing.T) {
	q := newQueue[int, int](unbounded(9), nil)
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
	q := newQueue[int, int](unbounded(2), nil)
	hanging := Bulkhead{1}
	for i := range 5 {
		q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{byte(i)}, Bulkhead: hanging}, value: i})
	}
	q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{100}, Bulkhead: Bulkhead{2}}, value: 100})
	first := q.takeReady(9)
	if got := values(first); fmt.Sprint(got) != "[0 100 1]" {
		t.Fatalf("took %v, want two of the bulkhead and the other", got)
	}
	q.done(first[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[2]" {
		t.Errorf("took %v after one came back, want the next", got)
	}
	q.requeue(first[2])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[3]" {
		t.Errorf("took %v after one came to be done again, want the next in turn", got)
	}
	if got := q.takeReady(9); len(got) != 0 || q.len() != 2 {
		t.Errorf("took %v beyond the bulkhead, %d queued", values(got), q.len())
	}
}

func TestAFullBulkheadServesWorkspacesInTurn(t *testing.T) {
	q := newQueue[int, int](unbounded(1), nil)
	platform := Bulkhead{1}
	put := func(workspace byte, value int) {
		q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{workspace}, Key: Key{byte(value)}, Bulkhead: platform}, value: value})
	}
	for i := range 9 {
		put(1, i)
	}
	out := q.takeReady(9)
	put(2, 100)
	for _, want := range []string{"[1]", "[100]", "[2]"} {
		q.done(out[0])
		if out = q.takeReady(9); fmt.Sprint(values(out)) != want {
			t.Errorf("took %v, want %s: the workspaces in turn", values(out), want)
		}
	}
}

func TestWhatIsDueNowGoesAheadOfWhatIsOverdue(t *testing.T) {
	q := newQueue[int, int](unbounded(99), nil)
	now := time.Now()
	put := func(key byte, value int, overdue time.Time) {
		q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{key}}, value: value, overdue: overdue})
	}
	for _, i := range []int{3, 1, 5, 0, 4, 2} {
		put(byte(i), i, now.Add(time.Duration(i)*time.Second))
	}
	for i := range 6 {
		put(byte(100+i), 100+i, time.Time{})
	}
	put(5, 200, time.Time{}) // due now, of the account of 5
	if got := values(q.takeReady(99)); fmt.Sprint(got) != "[100 101 102 0 103 104 105 1 5 2 3 4]" {
		t.Errorf("took %v, want what is overdue in each fourth turn, the oldest first, and an account's in their order", got)
	}
}

func TestAnAccountWithoutTasksGoesAheadOfAHerd(t *testing.T) {
	q := newQueue[int, int](unbounded(99), nil)
	now := time.Now()
	put := func(key byte, value int, late time.Duration) {
		q.put(&task[int, int]{Place: Place[int]{
			Workspace: schema.WorkspaceID{1}, Key: Key{key}, Order: Order{Due: now.Add(-late).UnixMicro(), ID: [16]byte{byte(value)}},
		}, value: value})
	}
	for i := range byte(6) {
		put(i, int(i), 0)
		put(i, 10+int(i), 0)
	}
	for _, out := range q.takeReady(6) {
		q.done(out)
	}
	put(20, 20, 2*latestFirst)
	put(21, 21, 2*lateAfter)
	put(22, 22, 0)
	if got := values(q.takeReady(99)); fmt.Sprint(got) != "[22 10 20 11 12 13 14 15 21]" {
		t.Errorf("took %v, want in each other turn an account that had no task and is not late, the latest first, and the herd's in turn", got)
	}
}

func TestAccountsThatHaveBecomeLateGoOnWhileOthersCome(t *testing.T) {
	q := newQueue[int, int](unbounded(99), nil)
	now := time.Now()
	put := func(key byte, late time.Duration) {
		q.put(&task[int, int]{Place: Place[int]{
			Workspace: schema.WorkspaceID{1}, Key: Key{key}, Order: Order{Due: now.Add(-late).UnixMicro(), ID: [16]byte{key}},
		}, value: int(key)})
	}
	for i := range byte(3) {
		put(i, 2*lateAfter)
	}
	for i := range byte(6) {
		put(10+i, 0)
	}
	if got := values(q.takeReady(99)); fmt.Sprint(got) != "[10 0 11 12 13 1 14 15 2]" {
		t.Errorf("took %v, want every fourth turn one that is late, in the order in which they came", got)
	}
}

func TestWhatComesBackDueNowGoesAheadOfWhatIsOverdue(t *testing.T) {
	q := newQueue[int, int](unbounded(99), nil)
	due(q, 1, time.Now())
	due(q, 2, time.Now())
	due(q, 3, time.Time{})
	q.requeueAt(q.takeReady(1)[0], time.Now())
	_, behind := q.trimLine(Key{7}, 1)
	q.endWaits(time.Now())
	q.put(&task[int, int]{Place: Place[int]{Key: Key{8}}, value: 100, overdue: time.Now().Add(-time.Hour)})
	q.requeue(behind...)
	if got := values(q.takeReady(1)); !slices.Equal(got, []int{1}) {
		t.Errorf("took %v, want the account's with a post that is due now", got)
	}
}

func TestAKeyThatIsReadyTwiceIsTakenOnce(t *testing.T) {
	q := newQueue[int, int](unbounded(99), nil)
	put := func(value int, overdue time.Time) {
		q.put(&task[int, int]{Place: Place[int]{Workspace: schema.WorkspaceID{1}, Key: Key{7}, Bulkhead: Bulkhead{1}}, value: value, overdue: overdue})
	}
	put(1, time.Now())
	put(2, time.Time{})
	for _, want := range []string{"[1]", "[2]"} {
		out := q.takeReady(9)
		if fmt.Sprint(values(out)) != want || len(q.takeReady(9)) > 0 {
			t.Fatalf("took %v, want %s alone", values(out), want)
		}
		q.done(out[0])
	}
	if len(q.keys) > 0 || len(q.bulkheads) > 0 || len(q.takeReady(9)) > 0 {
		t.Errorf("%d keys and %d bulkheads are left of nothing", len(q.keys), len(q.bulkheads))
	}
}

func TestALongQueueKeepsFewMessages(t *testing.T) {
	const long = 1000
	q := newQueue[int, int](unbounded(9), nil)
	message := new(stream.Message)
	refused := 0
	for i := range long {
		if !q.put(&task[int, int]{Place: Place[int]{Key: Key{7}}, ctx: t.Context(), value: i, message: message}) {
			refused++
		}
	}
	if refused != keyUnacked {
		t.Errorf("%d messages are kept, want %d", refused, keyUnacked)
	}
	for i := range long {
		taken := q.takeReady(1)
		if len(taken) != 1 || taken[0].value != i || (taken[0].message != nil) != (i < keyUnacked) {
			t.Fatalf("task %d came as %+v", i, taken)
		}
		q.done(taken[0])
	}
	if q.acked != 0 {
		t.Errorf("%d tasks count as waiting", q.acked)
	}
}

func TestLongQueuesLeaveRoomToOthers(t *testing.T) {
	const long = 50
	q := newQueue[int, int](unbounded(9), nil)
	for i := range ackedLimit {
		for n := range long {
			queued(q, 1, byte(n), i*long+n)
		}
	}
	if q.acked > ackedLimit*9/10 {
		t.Errorf("%d tasks wait, which leaves too little of %d", q.acked, ackedLimit)
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
	q := newQueue[int, int](unbounded(9), nil)
	queued(q, 1, 7, 1)
	queued(q, 1, 7, 2)
	began := time.Now()
	q.requeueAt(q.takeReady(1)[0], began.Add(50*time.Millisecond))
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

func TestAKeyHasAsManyOutAsItMay(t *testing.T) {
	width := 1
	q := newQueue[int, int](unbounded(100), func(Key) int { return width })
	for i := range 9 {
		queued(q, 1, 7, i)
	}
	queued(q, 1, 8, 100)
	first := q.takeReady(20)
	if got := values(first); fmt.Sprint(got) != "[0 100]" {
		t.Fatalf("took %v, want one of each key", got)
	}
	width = 4
	q.done(first[0])
	wide := q.takeReady(20)
	if got := values(wide); fmt.Sprint(got) != "[1 2 3 4]" {
		t.Fatalf("took %v, want as many of the key as it may have out", got)
	}
	width = 1
	for _, waiting := range wide[:3] {
		if q.done(waiting); len(q.takeReady(20)) != 0 {
			t.Fatal("a key that may have one out has two")
		}
	}
	q.requeue(wide[3])
	if got := values(q.takeReady(20)); fmt.Sprint(got) != "[4]" {
		t.Errorf("took %v after the last came back, want it again", got)
	}
}

func TestAWideKeyDoesNotWaitForWhatIsBeingStored(t *testing.T) {
	width := 2
	q := newQueue[int, int](unbounded(9), func(Key) int { return width })
	for i := range 9 {
		queued(q, 1, 7, i)
	}
	var taken, ended []*task[int, int]
	for _, want := range []string{"[0 1]", "[2]", "[3]", "[]"} { // as many as may be out are being stored at most
		out := q.takeReady(9)
		if got := values(out); fmt.Sprint(got) != want {
			t.Fatalf("took %v after %d calls had ended, want %s", got, len(ended), want)
		}
		taken = append(taken, out...)
		if len(out) > 0 {
			ended = append(ended, out[0])
			q.endCall(out[0])
		}
	}
	q.done(ended[2])
	last := q.takeReady(9)
	if got := values(last); fmt.Sprint(got) != "[4]" {
		t.Fatalf("took %v after a result was stored that the key waited for, want one more", got)
	}
	width = 1
	q.done(ended[0])
	q.requeue(ended[1])
	q.endCall(last[0])
	q.done(last[0])
	if got := q.takeReady(9); len(got) != 0 {
		t.Errorf("took %v, where one may be out and is", values(got))
	}
	q.endCall(taken[1])
	if got := q.takeReady(9); len(got) != 0 {
		t.Errorf("took %v before the result was stored, where one may be out", values(got))
	}
	q.done(taken[1])
	again := q.takeReady(9)
	if got := values(again); fmt.Sprint(got) != "[2]" {
		t.Fatalf("took %v, want what came again", got)
	}
	width = 2
	q.endCall(again[0])
	if got := values(q.takeReady(9)); fmt.Sprint(got) != "[5 6]" {
		t.Errorf("took %v, want as many calls as before", got)
	}
}

func TestWideKeysLeaveTheirBulkheadRoom(t *testing.T) {
	const share, slow = 128, 8
	q := newQueue[int, int](unbounded(share), func(Key) int { return 16 })
	put := func(key byte, value int) {
		q.put(&task[int, int]{Place: Place[int]{Key: Key{key}, Bulkhead: Bulkhead{1}}, value: value})
	}
	for i := range 64 {
		put(1, i)
	}
	if got := len(q.takeReady(share)); got != 16 {
		t.Errorf("a key alone has %d out, want 16", got)
	}
	for key := range byte(slow) {
		for i := range 64 {
			put(2+key, 1000*int(key+1)+i)
		}
	}
	if got := len(q.takeReady(share)); got > share*3/4 {
		t.Errorf("%d more are out of %d", got, share)
	}
	put(100, -1)
	if got := values(q.takeReady(share)); fmt.Sprint(got) != "[-1]" {
		t.Errorf("took %v, want the first task of another key at once", got)
	}
}

func TestAWideKeyWaitsForItsTime(t *testing.T) {
	q := newQueue[int, int](unbounded(9), func(Key) int { return 2 })
	for i := range 3 {
		queued(q, 1, 7, i)
	}
	began := time.Now()
	for _, ready := range q.takeReady(9) {
		q.requeueAt(ready, began.Add(50*time.Millisecond))
	}
	if got := q.takeReady(9); len(got) != 0 {
		t.Fatalf("took %v before its time", values(got))
	}
	if got := values(q.take(t.Context(), 9)); len(got) != 2 || time.Since(began) < 50*time.Millisecond {
		t.Errorf("took %v after %v", got, time.Since(began))
	}
}

// A rebalance ends an assignment, and the next one delivers what was not committed: to a
// process that has it queued already, if it keeps the partition.
func TestAQueuedTaskGetsItsMessageFromTheNextAssignment(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	defer end()
	message := new(stream.Message)
	task := func(ctx context.Context) *task[int, int] {
		return &task[int, int]{Place: Place[int]{Key: Key{7}}, ctx: ctx, value: 1, message: message}
	}
	for name, before := range map[string]func(q *queue[int, int]){
		"queued": func(q *queue[int, int]) { q.put(task(ended)) },
		"put back": func(q *queue[int, int]) {
			q.put(task(ended))
			q.requeue(q.takeReady(1)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue[int, int](unbounded(9), nil)
			before(q)
			end()
			if q.put(task(t.Context())) {
				t.Error("the new message is acknowledged, and the task will be dropped with the old one")
			}
			if taken := q.takeReady(9); len(taken) != 1 || taken[0].lost() {
				t.Errorf("took %d tasks, want one with the new message", len(taken))
			}
		})
	}
}

func TestManyKeysKeepFewerMessagesThanAPartitionHandsOut(t *testing.T) {
	q := newQueue[int, int](unbounded(200), nil)
	refused := 0
	for i := range 2 * ReadAhead {
		key := Key{byte(i), byte(i >> 8 % 5)} // 1,280 keys
		if !q.put(&task[int, int]{ctx: context.Background(), message: &stream.Message{}, Place: Place[int]{Key: key, Bulkhead: Bulkhead{1}}, value: i}) {
			refused++
		}
	}
	if refused > unackedLimit || refused != q.unacked || q.len() != 2*ReadAhead {
		t.Errorf("%d messages are kept of %d tasks, %d counted; want at most %d of all", refused, q.len(), q.unacked, unackedLimit)
	}
	taken := q.takeReady(100)
	q.requeue(taken[:50]...)
	for _, waiting := range taken[50:] {
		q.done(waiting)
	}
	drained(q)
	if q.unacked != 0 || q.acked != 0 {
		t.Errorf("%d with and %d without messages are counted in an empty queue", q.unacked, q.acked)
	}
}
