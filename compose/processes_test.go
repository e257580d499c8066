package compose_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"crier/schema"
)

// What happens to processes that share PostgreSQL and the log, and what they do meanwhile:
// posts to three platforms each, sent and due evenly within some seconds, so that all of them
// have calls in hand at any moment.
var (
	postsOfARound = bySize(12, 600)
	lengthOfRound = bySize(2*time.Second, 5*time.Second)
	// answersAfter is how long the platforms take to answer a call, after its effect.
	answersAfter = 700 * time.Millisecond
	// connectionsOfTwo and connectionsOfFour are each one's, to PostgreSQL: the fewest that work, or
	// at full size what its roles want. Of four it is less, so that they and one that replaces a killed
	// one fit into PostgreSQL's default.
	connectionsOfTwo  = bySize(7, 0)
	connectionsOfFour = bySize(7, 18)
	// beyondLeases is past the lease of what a paused process has claimed, and of whoever
	// claims that next; for every change past the first alone.
	beyondLeases = bySize(schema.Lease+2*schema.SettleTime, 2*schema.Lease+2*schema.SettleTime)
)

// disruption is what happens to a process in the middle of a round.
type disruption func(f *fleet, m *member)

func killed(f *fleet, m *member)  { f.kill(m) }
func stopped(f *fleet, m *member) { f.stop(m) }
func paused(f *fleet, m *member)  { f.pause(m, beyondLeases) }

func TestTwoProcessesSurviveKillsStopsAndPauses(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, connectionsOfTwo)
	f.endSessions()
	f.survive(bySize(
		[][]disruption{{killed, stopped}, {paused}},
		[][]disruption{{killed, killed}, {stopped, stopped}, {paused, paused}},
	))
}

func TestFourProcessesSurviveKillsStopsAndPauses(t *testing.T) {
	t.Parallel()
	newFleet(t, 4, connectionsOfFour).survive(bySize(
		[][]disruption{{killed, stopped, killed, stopped}},
		[][]disruption{{killed, killed, killed, killed}, {stopped, stopped, stopped, stopped}, {paused, paused, paused, paused}},
	))
}

// survive does to each process in turn what is listed for it, at a random moment of its
// work: nothing is lost, and nothing is there twice. Meanwhile the keyset is rotated.
func (f *fleet) survive(all [][]disruption) {
	f.Helper()
	moments := rand.New(rand.NewPCG(seedOfTest(f.T), 0))
	hook := f.receive("post.published", "post.failed")
	rounds := 0
	for _, each := range all {
		rounds += len(each)
	}
	a := f.newAgency(rounds * postsOfARound)
	for _, p := range platformsInTests { // so that each disruption meets calls that are made and not answered
		f.inject(map[string]any{"platform": p.String(), "delay": answersAfter.Milliseconds(), "times": 1_000_000})
	}
	rotated := f.rotateMeanwhile()
	sent := 0
	for _, each := range all {
		for i, happens := range each {
			sending := a.batch(sent, sent+postsOfARound, lengthOfRound, lengthOfRound)
			sent += postsOfARound
			time.Sleep(time.Duration(moments.Int64N(int64(lengthOfRound))))
			happens(f, f.crew[i])
			sending.Wait()
		}
	}
	a.awaitDone(3 * time.Minute)
	rotated()
	unknown := f.checkOnce(a.ids)
	f.checkNoStrays()
	stored := f.countPosts()
	f.Logf("%d posts of %d processes, of which one was away %d times; %d more whose creation nobody heard of; %d telegram targets ended as outcome_unknown",
		len(a.ids), len(f.crew), rounds, stored-len(a.ids), unknown)
	f.checkEvents(a.ids, hook, stored*len(platformsInTests))
}

// countPosts is how many posts there are. A paused process continues a request that was sent
// again to another, under its key and, once its time had passed, as another post: such a post
// is there, once, though nobody was told.
func (f *fleet) countPosts() int {
	f.Helper()
	n := 0
	for _, s := range f.simulated() {
		if s.Platform == schema.Mastodon.String() {
			n++
		}
	}
	return n
}
