package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Config is what an import needs.
type Config struct {
	File     string
	URL      string // of the server, such as http://127.0.0.1:8080
	Key      string
	Timezone string  // of rows whose time has no zone
	Map      Mapping // what the columns of a table mean
	DryRun   bool    // only ask what each row would lead to; no post is created
	Progress io.Writer
	// Terminal reports whether Progress is one: then a bar is drawn in it.
	Terminal bool
	Now      func() time.Time

	known *known // the workspace's brands and accounts; nil: not needed, or not read yet
}

const (
	senders = 8
	window  = 4 * senders // chunks that may be finished while an earlier one is not
	ahead   = 3           // batches of chunks whose posts are looked for, besides the one that is sent
)

// Run imports the file, or resumes an import of it that did not finish. After an error the
// results named in the summary stay, so that running it again loses and repeats nothing. If
// no post can have been created, as with a key that is refused, no results stay, and the next
// run may use another key or address.
func Run(ctx context.Context, c Config) (Summary, error) {
	if err := checkURL(c.URL); err != nil {
		return Summary{}, err
	}
	found, err := c.survey()
	if err != nil {
		return Summary{}, err
	}
	c.Map.Ignore = append(slices.Clone(c.Map.Ignore), found.ignore...)
	results := resultsOf(c.File)
	if c.DryRun {
		results = c.File + ".dry-run.csv"
		if err := removeOld(results); err != nil {
			return Summary{}, err
		}
	}
	j, err := openJournal(results, found, c.Now())
	if err != nil {
		return Summary{}, err
	}
	if j.aside != "" {
		fmt.Fprintf(c.Progress, "The results of the import before are in %s.\n", filepath.Base(j.aside))
	}
	run := &run{
		config: c, journal: j, progress: newProgress(c.Progress, c.Terminal, found.total, c.Now), summary: Summary{Results: results, Zone: found.zone(c.Timezone)},
		sender: newSender(c, j.state.ID), twins: found.twins,
	}
	if j.resumed {
		run.sender.began = j.state.Began
	} else {
		err = c.reach(ctx)
	}
	if err == nil && found.names {
		run.config.known, err = readKnown(ctx, run.sender.api)
	}
	if err == nil {
		err = run.all(ctx)
	}
	if err != nil && !j.resumed && !run.sender.taken.Load() {
		run.summary.Results = ""
		err = errors.Join(err, j.forget())
	}
	return run.summary, errors.Join(err, j.close())
}

// checkURL refuses an address that no request can be sent to, so that none is retried.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("%q is no address of a server: write it like http://127.0.0.1:8080", address)
	}
	return nil
}

// removeOld removes the results of an earlier dry run, which has created no posts.
func removeOld(results string) error {
	for _, name := range []string{results, results + ".state"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the results of an earlier dry run: %w", err)
		}
	}
	return nil
}

// survey is what one reading of the whole file finds out before anything is sent.
type survey struct {
	total int
	state state // with the digest by which a later run recognises the file
	// names: the file calls brands or accounts by their names.
	names  bool
	ignore []string // columns that say nothing more than --platforms does
	twins  twins
	wall   row // the first whose time has no zone; without a number: none
	// nameless are rows that name no post by an id: imported again, they make theirs again.
	nameless int
}

// zone says in which zone times without one are read; empty: there are none.
func (s survey) zone(timezone string) string {
	if s.wall.number == 0 {
		return ""
	}
	instant, _, err := instantOf(s.wall.wall, timezone)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("Times without a zone are in %s (--timezone): %s of row %d is %s.",
		timezone, s.wall.wall, s.wall.number, instant.UTC().Format(time.RFC3339Nano))
}

// survey refuses a file without rows, and one with values whose meaning nobody has settled.
func (c Config) survey() (s survey, err error) {
	err = c.withFile(func(f *os.File) error {
		s.state = state{Began: c.Now(), Key: keyDigest(c.Key), URL: c.URL, Timezone: c.Timezone, Map: c.Map.digest()}
		if s.state.File, err = digest(f); err != nil {
			return err
		}
		source, err := c.rows(f)
		if err != nil {
			return err
		}
		return errors.Join(s.read(source), source.close())
	})
	return s, err
}

func (s *survey) read(source rows) error {
	var all identities
	for {
		r, err := source.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the file: %w", err)
		}
		s.total++
		all.add(r)
		if !r.isIdentified() {
			s.nameless++
		}
		if s.wall.number == 0 && r.wall != "" {
			s.wall = row{number: r.number, wall: strings.Clone(r.wall)}
		}
	}
	if s.total == 0 {
		return errNoRows
	}
	s.twins = all.twins()
	if t, ok := source.(*table); ok {
		s.names, s.ignore = t.needsKnown(), t.sameAccounts()
		return t.unsettled()
	}
	return nil
}

// rows reads the file from its start.
func (c Config) rows(f *os.File) (rows, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	return openRows(c.File, f, c.Map, c.known)
}

func (c Config) withFile(work func(*os.File) error) error {
	f, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("opening the file: %w", err)
	}
	return errors.Join(work(f), f.Close())
}

// run is an import in progress.
type run struct {
	config   Config
	journal  *journal
	sender   *sender
	progress *progress
	summary  Summary
	twins    twins
}

func (r *run) all(ctx context.Context) error {
	return r.config.withFile(func(f *os.File) error {
		source, err := r.config.rows(f)
		if err != nil {
			return err
		}
		if err := errors.Join(r.sendRows(ctx, source), source.close()); err != nil {
			return err
		}
		r.progress.end()
		if err := r.count(); err != nil {
			return err
		}
		if err := r.keepFailed(f); err != nil {
			return err
		}
		return r.journal.finish()
	})
}

// sendRows sends what no earlier run has.
func (r *run) sendRows(ctx context.Context, source rows) error {
	chunks := &chunker{rows: source, twins: r.twins}
	first, err := r.journal.resume(chunks)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if r.journal.done > 0 {
		fmt.Fprintf(r.config.Progress, "Going on after %d rows.\n", r.journal.done)
	}
	r.progress.skip(r.journal.done)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return r.sendFrom(ctx, first, chunks)
}

// sendFrom sends the first chunk and those that follow. The first requests of an import go alone, to
// find out whether the server answers and accepts the key before others are sent.
func (r *run) sendFrom(ctx context.Context, first chunk, chunks *chunker) error {
	if r.journal.resumed {
		return r.sendAll(ctx, []chunk{first}, chunks)
	}
	begun, err := chunks.batch(first)
	if err != nil {
		return err
	}
	if err := r.sendFirst(ctx, begun); err != nil {
		return err
	}
	return r.sendAll(ctx, begun[1:], chunks)
}

// sendFirst looks up the posts of all chunks that were begun, and sends the first of these.
func (r *run) sendFirst(ctx context.Context, begun []chunk) error {
	if err := r.journal.sending(r.config.Now()); err != nil {
		return err
	}
	if err := newLooks(begun).find(ctx, r.sender); err != nil {
		return err
	}
	outcomes, err := r.sender.send(ctx, begun[0])
	if err != nil {
		return err
	}
	if err := r.journal.write(outcomes); err != nil {
		return err
	}
	r.progress.add(len(outcomes))
	return nil
}

// sent is a chunk in flight; outcomes receives the results of its rows.
type sent struct {
	chunk    chunk
	outcomes chan []outcome
}

// sendAll sends the chunks in parallel, from those that are read already, and writes their results in order.
func (r *run) sendAll(ctx context.Context, begun []chunk, chunks *chunker) error {
	group, ctx := errgroup.WithContext(ctx)
	order := make(chan sent, window)
	work := make(chan sent)
	group.Go(func() error {
		defer close(order)
		defer close(work)
		return r.dispatch(ctx, begun, chunks, order, work)
	})
	for range senders {
		group.Go(func() error {
			for job := range work {
				outcomes, err := r.sender.send(ctx, job.chunk)
				if err != nil {
					return err
				}
				job.outcomes <- outcomes
			}
			return nil
		})
	}
	group.Go(func() error { return r.record(ctx, order) })
	return group.Wait()
}

// dispatch gives the chunks to the senders. Those that an earlier run may have sent so long ago that
// crier has forgotten their keys are not sent again.
func (r *run) dispatch(ctx context.Context, begun []chunk, chunks *chunker, order, work chan<- sent) error {
	doubtful := 0
	if r.journal.forgotten(r.config.Now()) {
		doubtful = window + senders
	}
	group, ctx := errgroup.WithContext(ctx)
	batches := make(chan []chunk, ahead-1) // the reader holds one more
	group.Go(func() error {
		defer close(batches)
		return r.lookAhead(ctx, begun, chunks, batches)
	})
	group.Go(func() error {
		for batch := range batches {
			for _, c := range batch {
				if err := r.hand(ctx, c, doubtful > 0, order, work); err != nil {
					return err
				}
				doubtful = max(doubtful-1, 0)
			}
		}
		return nil
	})
	return group.Wait()
}

// lookAhead reads the chunks. The posts of some are looked for while those before them are sent.
func (r *run) lookAhead(ctx context.Context, batch []chunk, chunks *chunker, batches chan<- []chunk) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for {
			select {
			case batches <- batch:
			case <-ctx.Done():
				return ctx.Err()
			}
			var err error
			if batch, err = chunks.batch(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			looks := newLooks(batch)
			group.Go(func() error { return looks.find(ctx, r.sender) })
		}
	})
	return group.Wait()
}

// hand gives a chunk to a sender. What is in doubt is not sent.
func (r *run) hand(ctx context.Context, c chunk, doubtful bool, order, work chan<- sent) error {
	job := sent{c, make(chan []outcome, 1)}
	select {
	case order <- job:
	case <-ctx.Done():
		return ctx.Err()
	}
	if doubtful {
		job.outcomes <- c.lost()
		return nil
	}
	if err := r.journal.sending(r.config.Now()); err != nil {
		return err
	}
	select {
	case work <- job:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *run) record(ctx context.Context, order <-chan sent) error {
	for job := range order {
		select {
		case outcomes := <-job.outcomes:
			if err := r.journal.write(outcomes); err != nil {
				return err
			}
			r.progress.add(len(outcomes))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
