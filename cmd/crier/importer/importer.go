package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
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
}

// Summary is the result of an import.
type Summary struct {
	Rows, Created, Failed, Unknown int
	Results                        string // file with a line for each row; empty where no import has begun
	// FailedRows is a file of the rows that failed, to be corrected and imported; empty where
	// none did, and of a dry run.
	FailedRows string
}

const (
	senders = 8
	window  = 4 * senders // chunks that may be finished while an earlier one is not
)

// Run imports the file, or resumes an import of it that did not finish. After an error the
// results named in the summary stay, so that running it again loses and repeats nothing. If
// no post can have been created, as with a key that is refused, no results stay, and the next
// run may use another key or address.
func Run(ctx context.Context, c Config) (Summary, error) {
	if err := checkURL(c.URL); err != nil {
		return Summary{}, err
	}
	total, fresh, err := c.survey()
	if err != nil {
		return Summary{}, err
	}
	results := resultsOf(c.File)
	if c.DryRun {
		results = c.File + ".dry-run.csv"
		if err := removeOld(results); err != nil {
			return Summary{}, err
		}
	}
	j, err := openJournal(results, fresh, c.Now())
	if err != nil {
		return Summary{}, err
	}
	run := &run{
		config: c, journal: j, progress: newProgress(c.Progress, c.Terminal, total, c.Now), summary: Summary{Results: results},
		sender: newSender(c, j.state.ID),
	}
	err = run.all(ctx)
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

// survey reads the whole file once. It counts the rows, reports ignored columns, and takes
// the digest by which a later run recognises the file.
func (c Config) survey() (total int, s state, err error) {
	err = c.withFile(func(f *os.File) error {
		s = state{Key: keyDigest(c.Key), URL: c.URL, Timezone: c.Timezone, Map: c.Map.digest()}
		if s.File, err = digest(f); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("reading the file: %w", err)
		}
		source, err := openRows(c.File, f, c.Map)
		if err != nil {
			return err
		}
		if ignored := source.ignored(); len(ignored) > 0 {
			fmt.Fprintf(c.Progress, "Columns that crier does not know are ignored: %s\n", strings.Join(ignored, ", "))
		}
		for {
			switch _, err := source.next(); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("reading the file: %w", err)
			}
			total++
		}
	})
	return total, s, err
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
}

func (r *run) all(ctx context.Context) error {
	return r.config.withFile(func(f *os.File) error {
		source, err := openRows(r.config.File, f, r.config.Map)
		if err != nil {
			return err
		}
		chunks := &chunker{rows: source}
		first, err := r.journal.resume(chunks)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if r.journal.done > 0 {
			fmt.Fprintf(r.config.Progress, "Going on after %d rows.\n", r.journal.done)
		}
		r.progress.skip(r.journal.done)
		if err == nil {
			if err := r.sendFrom(ctx, first, chunks); err != nil {
				return err
			}
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

// sendFrom sends the first chunk and those that follow. The first request of an import goes
// alone, to find out whether the server answers and accepts the key before others are sent.
func (r *run) sendFrom(ctx context.Context, first chunk, chunks *chunker) error {
	if r.journal.resumed {
		return r.sendAll(ctx, first, chunks)
	}
	if err := r.sendFirst(ctx, first); err != nil {
		return err
	}
	second, err := chunks.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.sendAll(ctx, second, chunks)
}

func (r *run) sendFirst(ctx context.Context, c chunk) error {
	if err := r.journal.sending(r.config.Now()); err != nil {
		return err
	}
	outcomes, err := r.sender.send(ctx, c)
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

// sendAll sends the chunks in parallel and writes their results in order.
func (r *run) sendAll(ctx context.Context, first chunk, chunks *chunker) error {
	group, ctx := errgroup.WithContext(ctx)
	order := make(chan sent, window)
	work := make(chan sent)
	group.Go(func() error {
		defer close(order)
		defer close(work)
		return r.dispatch(ctx, first, chunks, order, work)
	})
	for range senders {
		group.Go(func() error {
			for one := range work {
				outcomes, err := r.sender.send(ctx, one.chunk)
				if err != nil {
					return err
				}
				one.outcomes <- outcomes
			}
			return nil
		})
	}
	group.Go(func() error { return r.record(ctx, order) })
	return group.Wait()
}

// dispatch gives the chunks to the senders. Those that an earlier run may have sent so long
// ago that crier has forgotten their keys are not sent again.
func (r *run) dispatch(ctx context.Context, first chunk, chunks *chunker, order, work chan<- sent) error {
	doubtful := 0
	if r.journal.forgotten(r.config.Now()) {
		doubtful = window + senders
	}
	for c, err := first, error(nil); ; c, err = chunks.next() {
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		one := sent{c, make(chan []outcome, 1)}
		select {
		case order <- one:
		case <-ctx.Done():
			return ctx.Err()
		}
		if doubtful > 0 {
			doubtful--
			one.outcomes <- c.lost()
			continue
		}
		if err := r.journal.sending(r.config.Now()); err != nil {
			return err
		}
		select {
		case work <- one:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *run) record(ctx context.Context, order <-chan sent) error {
	for one := range order {
		select {
		case outcomes := <-one.outcomes:
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

// count fills the summary from the results, since an import may have taken several runs.
func (r *run) count() error {
	return r.journal.each(func(_, status string) error {
		r.summary.Rows++
		switch status {
		case created, valid:
			r.summary.Created++
		case unknown:
			r.summary.Unknown++
		default:
			r.summary.Failed++
		}
		return nil
	})
}
