package bluesky

import (
	"strconv"
	"testing"
	"time"

	"github.com/bluesky-social/indigo/atproto/syntax"

	"crier/schema"
)

var since = time.Date(2026, 11, 21, 10, 30, 15, 123_456_789, time.UTC)

func TestRecordKeyIsTheSameForEveryTry(t *testing.T) {
	d := schema.Delivery{Since: since, Key: "0193a1f0-5e0c-7000-8000-000000000001"}
	key, err := recordKey(d)
	if err != nil {
		t.Fatal(err)
	}
	// Written down: another build must make the same of it.
	if want := "3n2svgepjdo4k"; key != want {
		t.Errorf("recordKey = %s, want %s", key, want)
	}
	d.Since, d.Attempts, d.Claim = since.In(time.FixedZone("", 3600)).Truncate(time.Microsecond), 3, 9
	if again, _ := recordKey(d); again != key {
		t.Errorf("another try has key %s, the first had %s", again, key)
	}
}

func TestRecordKeyNeedsItsSources(t *testing.T) {
	for name, d := range map[string]schema.Delivery{
		"no time": {Key: "key"},
		"no key":  {Since: since},
	} {
		t.Run(name, func(t *testing.T) {
			if key, err := recordKey(d); err == nil {
				t.Errorf("recordKey = %q, want an error", key)
			}
		})
	}
}

func TestTIDIsValid(t *testing.T) {
	seen := map[string]bool{}
	for i := range 2_000 {
		tid := tidOf(since, strconv.Itoa(i))
		parsed, err := syntax.ParseTID(tid)
		if err != nil {
			t.Fatalf("ParseTID: %v", err)
		}
		if distance := parsed.Time().Sub(since.Truncate(time.Millisecond)); distance < 0 || distance >= time.Millisecond {
			t.Fatalf("%s is %v from its millisecond", tid, distance)
		}
		seen[tid] = true
	}
	// Of 2,000 among a million about two meet; twenty would mean that bits are lost.
	if len(seen) < 1_980 {
		t.Errorf("2,000 keys of one instant make %d TIDs", len(seen))
	}
}

func TestTIDSortsByTime(t *testing.T) {
	if earlier, later := tidOf(since, "b"), tidOf(since.Add(time.Millisecond), "a"); earlier >= later {
		t.Errorf("%s is not before %s", earlier, later)
	}
}
