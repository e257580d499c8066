package importer

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far an import is: as a bar on a terminal, otherwise as a line every
// tellEvery.
type progress struct {
	bar        *progressbar.ProgressBar
	out        io.Writer
	now        func() time.Time
	total      int
	done       int
	begun      int       // rows that were done before this run
	from       time.Time // of this run
	reportedAt time.Time
}

// tellEvery is how often a line is written where no bar can be drawn.
const tellEvery = 10 * time.Second

func newProgress(out io.Writer, terminal bool, total int, now func() time.Time) *progress {
	p := &progress{out: out, now: now, total: total, from: now(), reportedAt: now()}
	if terminal {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("Importing"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"),
			progressbar.OptionSetPredictTime(true), progressbar.OptionShowElapsedTimeOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
	}
	return p
}

// skip counts rows that an earlier run has done, which do not count for the rate.
func (p *progress) skip(rows int) {
	p.done, p.begun = rows, rows
	if p.bar != nil && rows > 0 {
		_ = p.bar.Set(rows) // a bar that cannot be drawn stops no import
	}
}

func (p *progress) add(rows int) {
	p.done += rows
	if p.bar != nil {
		_ = p.bar.Add(rows) // as above
		return
	}
	if now := p.now(); now.Sub(p.reportedAt) >= tellEvery {
		p.reportedAt = now
		p.tell(now)
	}
}

func (p *progress) tell(now time.Time) {
	rate := float64(p.done-p.begun) / now.Sub(p.from).Seconds()
	left := time.Duration(float64(p.total-p.done) / rate * float64(time.Second))
	fmt.Fprintf(p.out, "%d of %d rows, %.0f a second, %v left\n", p.done, p.total, rate, left.Round(time.Second))
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish() // as above
		fmt.Fprintln(p.out)
	}
}
