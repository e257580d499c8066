package machine

import (
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The flags of this package's tests: how many seeds, and the one to tell.
var (
	seeds = flag.Uint64("seeds", 2000, "simulate the days of this many `seeds`")
	seed  = flag.Int64("seed", -1, "simulate the day of this `seed` alone, and tell it")
)

// story simulates a seed's day once more and tells the end of it, at most so many lines.
func story(seed uint64, r rules, lines int) string {
	s := newSimulation(seed, r)
	s.tells = true
	s.run()
	return strings.Join(s.story[max(0, len(s.story)-lines):], "\n")
}

const (
	whole = 1 << 20 // lines of a story
	end   = 30
)

func TestSeeds(t *testing.T) {
	if *seed >= 0 {
		seedGiven := uint64(*seed)
		t.Log("\n" + story(seedGiven, sound(), whole))
		if broken := newSimulation(seedGiven, sound()).run(); broken != nil {
			t.Errorf("seed %d: %s", seedGiven, broken)
		}
		return
	}
	const shards = 8
	for shard := range uint64(shards) {
		t.Run(fmt.Sprintf("shard %d", shard), func(t *testing.T) {
			t.Parallel()
			for n := shard; n < *seeds; n += shards {
				if broken := newSimulation(n, sound()).run(); broken != nil {
					t.Fatalf("seed %d: %s; -seed %d tells all of it\n%s", n, broken, n, story(n, sound(), end))
				}
			}
		})
	}
}

// TestSeedsGoEverywhere keeps the simulation honest: a promise that nothing tempts is
// always kept.
func TestSeedsGoEverywhere(t *testing.T) {
	const days, minimum = 300, 10
	seen := map[string]int64{}
	for n := range uint64(days) {
		s := newSimulation(n, sound())
		s.run()
		of := reflect.ValueOf(s.seen)
		for i := range of.NumField() {
			seen[of.Type().Field(i).Name] += of.Field(i).Int()
		}
	}
	for what, n := range seen {
		if n < minimum {
			t.Errorf("%s: %d in %d days, want %d", what, n, days, minimum)
		}
	}
	t.Log(seen)
}

func TestASeedIsToldTheSame(t *testing.T) {
	for n := range uint64(20) {
		if first, second := story(n, sound(), whole), story(n, sound(), whole); first != second || first == "" {
			t.Errorf("seed %d is told in two ways", n)
		}
	}
}

// TestPlantedBugsAreFound takes a rule away at a time: some seed must miss it.
func TestPlantedBugsAreFound(t *testing.T) {
	for name, tt := range map[string]struct {
		plant  func(*rules)
		broken string
	}{
		"a claim without its version":              {func(r *rules) { r.claimChecksVersion = false }, notEarly},
		"a job deleted too early":                  {func(r *rules) { r.jobLivesOn = false }, jobLives},
		"a blind retry":                            {func(r *rules) { r.openClaimIsLooked = false }, noUncheckedRetry},
		"a lease that is too short":                {func(r *rules) { r.lease = 5 * time.Second }, serialCalls},
		"a comment without its target":             {func(r *rules) { r.commentNeedsEntry = false }, commentOfEntry},
		"a settle time ignored":                    {func(r *rules) { r.settle = 0 }, noUncheckedRetry},
		"a second try after one look":              {func(r *rules) { r.lookTwice = false }, noUncheckedRetry},
		"a claim before its time":                  {func(r *rules) { r.claimChecksTime = false }, waits},
		"a wait of an older version":               {func(r *rules) { r.postponeChecksVersion = false }, notEarly},
		"a claim taken for one without an answer":  {func(r *rules) { r.tokenNamesClaim = false }, neverTwice},
		"a result of an older claim":               {func(r *rules) { r.finishChecksClaim = false }, countsAgree},
		"a list that is believed too early":        {func(r *rules) { r.looksUntilListed = false }, neverTwice},
		"a call after its deadline":                {func(r *rules) { r.callChecksDeadline = false }, serialCalls},
		"a fired job that was moved meanwhile":     {func(r *rules) { r.firedChecksTime = false }, notLate},
		"a fired job that was edited meanwhile":    {func(r *rules) { r.firedChecksVersion = false }, notLate},
		"an end that leaves the job for later":     {func(r *rules) { r.everyFinishMoves = false }, notLate},
		"a late result that fires a delayed retry": {func(r *rules) { r.moveChecksStatus = false }, notEarly},
		"a recovery of claims of others":           {func(r *rules) { r.recoverChecksNode = false }, serialCalls},
		"a late receipt that is dropped":           {func(r *rules) { r.lateReceiptsStay = false }, lateIsStored},
		"an edit that forgets what is published":   {func(r *rules) { r.editChecksBegun = false }, neverTwice},
		"a retry that does not look first":         {func(r *rules) { r.retryLooks = false }, noUncheckedRetry},
		"a retry of what nobody can look for":      {func(r *rules) { r.cannotFindIsLeftOut = false }, noUncheckedRetry},
		"a failed look that costs a try":           {func(r *rules) { r.failedLookIsFree = false }, unknownIsRare},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sound()
			tt.plant(&r)
			other := map[string]int{}
			for n := range *seeds {
				broken := newSimulation(n, r).run()
				if broken != nil && broken.promise == tt.broken {
					t.Logf("seed %d: %s\n%s", n, broken, story(n, r, end))
					return
				}
				if broken != nil {
					other[broken.promise]++
				}
			}
			t.Errorf("no seed of %d breaks %q; others: %v", *seeds, tt.broken, other)
		})
	}
}
