package delay

import "time"

const (
	// nearLookback is how far before now most passes start: longer than most transactions last. A
	// wide pass starts wideLookback before now, longer than any lasts, so that no job can still appear
	// with an earlier time. A full pass starts at the very beginning: while there is a backlog, after
	// firing has failed or a pass was ended early, and every fullPassEvery. What is done stays in the
	// index beside a transaction that holds xmin, and each pass walks over it.
	nearLookback  = 10 * time.Second
	wideLookback  = time.Minute
	widePassEvery = 10 * time.Second
	fullPassEvery = 5 * time.Minute
	// passEvery is how often a pass begins. passLimit is how long one may take if it skips
	// nothing: after that a new one begins, to find jobs that have appeared behind it.
	passEvery = time.Second
	passLimit = 15 * time.Second
	// fullPassPause is the least time between two full passes, as a multiple of the time that
	// the first of them spent reading.
	fullPassPause = 10
)

// passes decides when a pass over the overdue jobs begins, and how far back. There is one pass at a
// time. The zero value has made none.
type passes struct {
	began     time.Time // the last one
	wideBegan time.Time // the last wide or full one
	fullBegan time.Time // the last full one
	nextFull  time.Time // the earliest, though there is a backlog
	found     bool      // there is a backlog: jobs were found since the last full pass began, or by it
}

// due reports whether it is time for a pass.
func (p *passes) due(now time.Time) bool { return hasPassed(passEvery, p.began, now) }

// wait returns how long it is until the next pass is due.
func (p *passes) wait(now time.Time) time.Duration { return passEvery - now.Sub(p.began) }

// overrun reports whether the pass that began last takes longer than it may.
func (p *passes) overrun(now time.Time) bool { return now.Sub(p.began) > passLimit }

// begin begins a pass, and returns from which due time on it reads; zero: from the very beginning.
// missed is whether an overdue job may be anywhere.
func (p *passes) begin(now time.Time, missed bool) (from time.Time) {
	p.began = now
	switch {
	case missed || p.found && !now.Before(p.nextFull) || hasPassed(fullPassEvery, p.fullBegan, now):
		p.wideBegan, p.fullBegan, p.found = now, now, false
		return time.Time{}
	case hasPassed(widePassEvery, p.wideBegan, now):
		p.wideBegan = now
		return now.Add(-wideLookback)
	}
	return now.Add(-nearLookback)
}

// end notes that a pass has come to its end, and how long it was busy reading.
func (p *passes) end(full bool, busy time.Duration, now time.Time) {
	if full {
		p.nextFull = now.Add(fullPassPause * busy)
	}
}

// hasPassed reports whether so long has passed, or the clock was set back.
func hasPassed(d time.Duration, since, now time.Time) bool {
	passed := now.Sub(since)
	return passed >= d || passed < 0
}
