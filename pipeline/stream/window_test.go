package stream

import (
	"testing"
	"time"
)

func TestWindowCommitsUpToTheLowestUnacknowledged(t *testing.T) {
	for name, tt := range map[string]struct {
		offsets []int64
		acks    []int // indexes, in order
		want    int64
		unacked int
	}{
		"none":                       {[]int64{5, 6, 7}, nil, 5, 3},
		"the first":                  {[]int64{5, 6, 7}, []int{0}, 6, 2},
		"all but the first":          {[]int64{5, 6, 7}, []int{2, 1}, 5, 1},
		"the first last":             {[]int64{5, 6, 7}, []int{2, 1, 0}, 8, 0},
		"a gap in the offsets":       {[]int64{5, 9, 20}, []int{0, 1}, 10, 1},
		"twice counts once":          {[]int64{5, 6, 7}, []int{1, 1, 1}, 5, 2},
		"twice after it was dropped": {[]int64{5, 6, 7}, []int{0, 0, 0}, 6, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWindow(5, 5)
			var messages []*Message
			for _, offset := range tt.offsets {
				messages = append(messages, &Message{Offset: offset})
			}
			w.add(messages[:1]) // in two calls, as messages come in several
			w.add(messages[1:])
			for _, i := range tt.acks {
				messages[i].Ack()
			}
			if got := w.position(); got != tt.want {
				t.Errorf("position = %d, want %d", got, tt.want)
			}
			if got := w.inFlight(); got != tt.unacked {
				t.Errorf("in flight = %d, want %d", got, tt.unacked)
			}
		})
	}
}

func TestWindowKnowsTheAgeOfTheLowestUnacknowledged(t *testing.T) {
	w, first := newWindow(0, 0), time.Unix(1000, 0)
	if !w.oldest().IsZero() {
		t.Error("an empty window has an oldest message")
	}
	messages := []*Message{{Offset: 0, Time: first}, {Offset: 1, Time: first.Add(time.Second)}}
	w.add(messages)
	messages[1].Ack()
	if got := w.oldest(); !got.Equal(first) {
		t.Errorf("oldest = %s, want the first message's %s", got, first)
	}
	messages[0].Ack()
	if !w.oldest().IsZero() {
		t.Error("an acknowledged message is the oldest")
	}
}

// TestKeysStayInTheirPartitions holds the placement of keys: a change would break the order of
// every key with messages in the log.
func TestKeysStayInTheirPartitions(t *testing.T) {
	for name, tt := range map[string]struct {
		key  string
		n    int
		want int
	}{
		"empty":          {"", 8, 5},
		"a letter":       {"a", 8, 4},
		"a word":         {"foobar", 8, 0},
		"one partition":  {"foobar", 1, 0},
		"odd partitions": {"foobar", 7, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Partition([]byte(tt.key), tt.n); got != tt.want {
				t.Errorf("Partition(%q, %d) = %d, want %d", tt.key, tt.n, got, tt.want)
			}
		})
	}
}
