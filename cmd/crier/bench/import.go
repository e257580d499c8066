package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"crier/cmd/crier/importer"
	"crier/gateway"
)

const (
	importRows  = 5000
	importTurns = 8
	// importSenders are as many connections as an import has.
	importSenders = 8
	// importAccounts of each platform take all these posts, of which an account has some a day.
	importAccounts = 300
	// namesCost is by how much more work rows may be that name posts which are not there.
	namesCost = 1.15
)

// importPlan is the configuration of a worker that imports a table.
type importPlan struct{ File, URL, Key string }

// importResult is what became of a table.
type importResult struct {
	Seconds            float64
	Work               time.Duration // of processors, of the worker alone
	Created, Unchanged int
}

func importTable(ctx context.Context, w *worker) error {
	var plan importPlan
	if err := w.configure(&plan); err != nil {
		return err
	}
	began := time.Now()
	summary, err := importer.Run(ctx, importer.Config{
		File: plan.File, URL: plan.URL, Key: plan.Key, Timezone: "UTC", Progress: io.Discard, Now: time.Now,
	})
	if err != nil {
		return err
	}
	result := importResult{Seconds: time.Since(began).Seconds(), Created: summary.Created, Unchanged: summary.Unchanged}
	took, err := workOf(os.Getpid())
	if err != nil {
		return err
	}
	result.Work = took.total()
	return w.answer(result)
}

// imports are tables that are imported into a server, in turns.
type imports struct {
	*session
	on      *server
	folder  string
	targets [][]target
	label   string
	first   time.Time // when the first post of each table is due
	rows    int
	turn    int

	bulk, plain, own, there importTempo
}

// importTempo is how rows of a kind are imported: of each turn one value.
type importTempo struct {
	what         string
	rates, works []float64 // rows a second; microseconds of processors a row, of crier's and of the import's processes
}

// measureImport measures how fast tables are imported: rows of posts alone, rows with ids of the caller's
// own, by which posts have to be looked for, and rows of posts that are there.
func measureImport(ctx context.Context, s *session) (err error) {
	if s.config.Target.URL != "" {
		return errors.New("a running server's accounts do not take all these posts: import starts its own")
	}
	on, err := s.startServer(ctx, serverConfig{Lead: gateway.Lead, Accounts: importAccounts})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.stop()) }()
	accounts, err := on.accounts(ctx)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "crier-bench-")
	if err != nil {
		return fmt.Errorf("making a folder for tables: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	i := &imports{
		session: s, on: on, folder: folder, targets: inTurn(accounts), rows: s.config.postsOr(importRows),
		first: time.Now().Add(createAhead).Truncate(time.Second), label: time.Now().UTC().Format("20060102T150405"),
		bulk: importTempo{what: "in bulk"}, plain: importTempo{what: "rows of posts alone"}, own: importTempo{what: "rows with ids of the caller's own"},
		there: importTempo{what: "the same again, unchanged"},
	}
	kinds := []func(context.Context) error{i.inBulk, i.plainRows, i.ownIDs}
	for i.turn = range importTurns {
		for n := range kinds { // each comes first as often as the others
			if err := kinds[(i.turn+n)%len(kinds)](ctx); err != nil {
				return err
			}
		}
	}
	return i.report(i.figures()...)
}

func (i *imports) figures() []Figure {
	const inTurn = "rows of posts alone, in turn"
	rate, work := &Control{inTurn, median(i.plain.rates)}, &Control{inTurn, median(i.plain.works)}
	noMore := &Goal{Bound: namesCost, OfRatio: true}
	return []Figure{
		{Name: "import_rate", Value: rate.Value, Unit: "rows/s", Control: &Control{"the same posts made in bulk by 8 connections, in turn", median(i.bulk.rates)}},
		{Name: "import_rate_own_ids", Value: median(i.own.rates), Unit: "rows/s", Control: rate},
		{Name: "import_work_own_ids", Value: median(i.own.works), Unit: "us/row", Control: work, Goal: noMore},
		{Name: "import_rate_unchanged", Value: median(i.there.rates), Unit: "rows/s", Control: rate},
	}
}

// inBulk makes as many posts by requests alone.
func (i *imports) inBulk(ctx context.Context) error {
	plan := loadPlan{
		URL: i.on.URL, Key: i.on.Key, Targets: i.targets, Connections: importSenders, Posts: i.rows, Bulk: crowdBulk,
		First: i.first, Step: createStep, Span: createSpan, Label: fmt.Sprintf("%s-bulk-%d", i.label, i.turn),
	}
	return i.add(ctx, &i.bulk, func() (importResult, error) {
		var created loadResult
		if err := i.do(ctx, roleLoad, plan, &created); err != nil {
			return importResult{}, err
		}
		if created.Errors > 0 {
			return importResult{}, fmt.Errorf("%d requests in bulk failed: %s", created.Errors, created.Reason)
		}
		return importResult{Seconds: created.Seconds}, nil
	})
}

func (i *imports) plainRows(ctx context.Context) error {
	return i.importAs(ctx, &i.plain, "plain", "metadata.n", strconv.Itoa)
}

// ownIDs imports a table twice: the second time its posts are there.
func (i *imports) ownIDs(ctx context.Context) error {
	name := fmt.Sprintf("%s-own-%d", i.label, i.turn)
	id := func(n int) string { return fmt.Sprintf("%s-%d", name, n) }
	if err := i.importAs(ctx, &i.own, "own", "externalId", id); err != nil {
		return err
	}
	return i.importAs(ctx, &i.there, "again", "externalId", id)
}

// add measures a turn of a kind, with what it leaves for the server to do.
func (i *imports) add(ctx context.Context, t *importTempo, work func() (importResult, error)) error {
	before, err := i.on.work()
	if err != nil {
		return err
	}
	result, err := work()
	if err == nil {
		err = i.on.settle(ctx)
	}
	if err != nil {
		return err
	}
	after, err := i.on.work()
	if err != nil {
		return err
	}
	rate, each := float64(i.rows)/result.Seconds, float64((after.since(before).total()+result.Work).Microseconds())/float64(i.rows)
	t.rates, t.works = append(t.rates, rate), append(t.works, each)
	i.say("%d %s in %.1f s (%.0f/s), %.0f us of processors each", i.rows, t.what, result.Seconds, rate, each)
	return nil
}

// importAs imports a table whose first column is called as said.
func (i *imports) importAs(ctx context.Context, t *importTempo, kind, column string, cell func(int) string) error {
	file := filepath.Join(i.folder, fmt.Sprintf("%s-%d.csv", kind, i.turn))
	if err := i.write(file, column, cell); err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	return i.add(ctx, t, func() (result importResult, err error) {
		if err := i.do(ctx, roleImport, importPlan{file, i.on.URL, i.on.Key}, &result); err != nil {
			return result, err
		}
		if done := result.Created + result.Unchanged; done != i.rows || (kind == "again") != (result.Unchanged > 0) {
			return result, fmt.Errorf("of %d %s %d were created and %d were there", i.rows, t.what, result.Created, result.Unchanged)
		}
		return result, nil
	})
}

// write writes a table of the same posts as inBulk makes.
func (i *imports) write(name, column string, cell func(int) string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	plan := loadPlan{First: i.first, Step: createStep, Span: createSpan}
	out := bufio.NewWriter(file)
	fmt.Fprintf(out, "%s,content,platforms,scheduledFor\n", column)
	for n := range i.rows {
		to := i.targets[n%len(i.targets)][0]
		fmt.Fprintf(out, "%s,\"%s %08d%s\",%s:%s,%s\n", cell(n), i.label, n, filler, to.Platform, to.Account, plan.due(n).UTC().Format(time.RFC3339))
	}
	return errors.Join(out.Flush(), file.Close())
}
