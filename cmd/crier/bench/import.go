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
	"strings"
	"time"

	"crier/cmd/crier/importer"
)

const (
	importRows  = 10_000
	importTurns = 4
	// importSenders are as many connections as an import has.
	importSenders = 8
	// namesCost is by how much rows may be slower that name posts which are not there.
	namesCost = 0.9
)

// importPlan is the configuration of a worker that imports a table.
type importPlan struct{ File, URL, Key string }

// importResult is what became of a table.
type importResult struct {
	Seconds            float64
	Created, Unchanged int
}

// importTable is the worker that imports.
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
	return w.answer(importResult{time.Since(began).Seconds(), summary.Created, summary.Unchanged})
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

	bulk, plain, own, ids, there []float64 // rows a second, of each turn
}

// measureImport measures how fast tables are imported: rows of posts alone, rows that name posts of
// theirs, which have to be looked for, and rows of posts that are there.
func measureImport(ctx context.Context, s *session) (err error) {
	on, err := s.target(ctx)
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
		first: time.Now().Add(createAhead).Truncate(time.Second),
		label: time.Now().UTC().Format("20060102T150405"), // no run names another's posts
	}
	kinds := []func(context.Context) error{i.inBulk, i.plainRows, i.ownIDs, i.unknownIDs}
	for i.turn = range importTurns {
		for n := range kinds { // each comes first once
			if err := errors.Join(kinds[(i.turn+n)%len(kinds)](ctx), on.settle(ctx)); err != nil {
				return err
			}
		}
	}
	return i.report(i.figures()...)
}

func (i *imports) figures() []Figure {
	plain := &Control{"rows of posts alone, in turn", median(i.plain)}
	asFast := &Goal{Bound: namesCost, OfRatio: true, AtLeast: true}
	return []Figure{
		{Name: "import_rate", Value: plain.Value, Unit: "rows/s", Control: &Control{"the same posts made in bulk by 8 connections, in turn", median(i.bulk)}},
		{Name: "import_rate_own_ids", Value: median(i.own), Unit: "rows/s", Control: plain, Goal: asFast},
		{Name: "import_rate_unknown_ids", Value: median(i.ids), Unit: "rows/s", Control: plain, Goal: asFast},
		{Name: "import_rate_unchanged", Value: median(i.there), Unit: "rows/s", Control: plain},
	}
}

// inBulk makes as many posts by requests alone.
func (i *imports) inBulk(ctx context.Context) error {
	plan := loadPlan{
		URL: i.on.URL, Key: i.on.Key, Targets: i.targets, Connections: importSenders, Posts: i.rows, Bulk: crowdBulk,
		First: i.first, Step: createStep, Span: createSpan, Label: fmt.Sprintf("%s-bulk-%d", i.label, i.turn),
	}
	var created loadResult
	if err := i.do(ctx, roleLoad, plan, &created); err != nil {
		return err
	}
	if created.Errors > 0 {
		return fmt.Errorf("%d requests in bulk failed: %s", created.Errors, created.Reason)
	}
	i.add(&i.bulk, "in bulk", created.Seconds)
	return nil
}

func (i *imports) plainRows(ctx context.Context) error {
	result, err := i.importAs(ctx, "plain", "metadata.n", strconv.Itoa)
	i.add(&i.plain, "rows of posts alone", result.Seconds)
	return err
}

// ownIDs imports a table twice: the second time its posts are there.
func (i *imports) ownIDs(ctx context.Context) error {
	name := fmt.Sprintf("%s-own-%d", i.label, i.turn)
	id := func(n int) string { return fmt.Sprintf("%s-%d", name, n) }
	result, err := i.importAs(ctx, "own", "externalId", id)
	if err != nil {
		return err
	}
	i.add(&i.own, "rows with ids of the caller's own", result.Seconds)
	if err := i.on.settle(ctx); err != nil {
		return err
	}
	again, err := i.importAs(ctx, "again", "externalId", id)
	i.add(&i.there, "the same again, unchanged", again.Seconds)
	return err
}

// unknownIDs imports rows as an export of another installation has them.
func (i *imports) unknownIDs(ctx context.Context) error {
	prefix := strings.ToLower(i.label[len(i.label)-6:])
	result, err := i.importAs(ctx, "ids", "id", func(n int) string { return fmt.Sprintf("post_01m83y6jy2%s%d%09d", prefix, i.turn, n) })
	i.add(&i.ids, "rows with ids of posts that are not there", result.Seconds)
	return err
}

// add counts a turn of a kind.
func (i *imports) add(turns *[]float64, what string, seconds float64) {
	*turns = append(*turns, float64(i.rows)/seconds)
	i.say("%d %s in %.1f s (%.0f/s)", i.rows, what, seconds, float64(i.rows)/seconds)
}

// importAs imports a table whose first column is called as said.
func (i *imports) importAs(ctx context.Context, kind, column string, cell func(int) string) (result importResult, err error) {
	file := filepath.Join(i.folder, fmt.Sprintf("%s-%d.csv", kind, i.turn))
	if err := i.write(file, column, cell); err != nil {
		return result, fmt.Errorf("writing a table: %w", err)
	}
	if err := i.do(ctx, roleImport, importPlan{file, i.on.URL, i.on.Key}, &result); err != nil {
		return result, err
	}
	if done := result.Created + result.Unchanged; done != i.rows || (kind == "again") != (result.Unchanged > 0) {
		return result, fmt.Errorf("of %d rows of the kind %s %d were created and %d were there", i.rows, kind, result.Created, result.Unchanged)
	}
	return result, nil
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
