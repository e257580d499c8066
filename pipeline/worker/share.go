package worker

import "slices"

// Slots are handed out by a scheduler that is fair and nearly work-conserving. A stage has so many, and a
// bulkhead a share of them. Calls cannot be preempted, so what matters is who may begin one:
//
//   - Calls that are expected to be quick may use half of a share, those that are expected to be slow the
//     other half, and those of which nothing is known half of the first as well: see pace. More quick
//     calls at a time would make none of them quicker, but wait for the same processors.
//   - Within what its class may use, a server and a workspace may each hold a multiple of the slots that
//     are free (dynamic thresholds, Choudhury and Hahne 1998). One alone gets most of them, two get
//     the same, and the last free one is for whoever holds none.

// class is what is expected of a call.
type class byte

const (
	quick   class = iota // its key's last call was quick
	unknown              // neither its key nor its server has been called lately
	slow
	classes
)

func (c class) String() string { return [classes]string{"quick", "unknown", "slow"}[c] }

// limits are the sizes of a queue's shares.
type limits struct {
	slots int // of all
	share int // of a bulkhead; of the zero one all
	// bounded has servers and workspaces bounded, and quick and slow calls have slots of their own; else a
	// share is for whoever comes.
	bounded bool
}

// share is slots, and how many of them are in use.
type share struct {
	size, out int
	of        [classes]int // out, by class
	bounded   bool
}

// free returns how many slots a class may still take.
func (s *share) free(c class) int {
	free, half := s.size-s.out, (s.size+1)/2
	switch {
	case !s.bounded:
		return free
	case c == quick:
		return min(free, half-s.of[quick])
	case c == unknown:
		return min(free, s.size-s.size/4-s.of[unknown]-s.of[slow])
	}
	return min(free, half-s.of[unknown]-s.of[slow])
}

// enter and exit count a slot that a call of a class takes, and gives back.
func (s *share) enter(c class) {
	s.out++
	s.of[c]++
}

func (s *share) exit(c class) {
	s.out--
	s.of[c]--
}

// thresholdFactor says how many slots a server or a workspace may hold for each that is free: alone it
// gets eight ninths of what its class may use.
const thresholdFactor = 8

// flow is the calls of a server, or of a workspace, in a bulkhead: what slots are shared among.
type flow struct {
	out    int
	parked [classes][]*lane // that were in turn while it held too many
}

// room returns how many more slots a flow may take where so many are free to it.
func (f *flow) room(free int) int {
	if f.out == 0 {
		return min(free, 1)
	}
	return thresholdFactor*(free-1) - f.out
}

func (f *flow) isParking() bool {
	return slices.ContainsFunc(f.parked[:], func(lanes []*lane) bool { return len(lanes) > 0 })
}

// park keeps a lane until the flow may take another slot.
func (f *flow) park(l *lane) { f.parked[l.class] = append(f.parked[l.class], l) }
