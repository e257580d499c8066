package importer

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// Summary is the result of an import.
type Summary struct {
	Rows, Created, Failed, Unknown int    // of a dry run, Created and Updated are what would be
	Updated, Unchanged, Skipped    int    // of rows whose posts were there
	Results                        string // file with a line for each row; empty where no import has begun
	// Zone says in which zone the file's times are read that have none, with the first; empty where all have.
	Zone string
	// FailedRows is a file of the rows that failed, to be corrected and imported; empty where
	// none did, and of a dry run.
	FailedRows string
}

// Counts are how many rows came to what. What no row did is left out but for what every import has.
func (s Summary) Counts(dryRun bool) string {
	fresh, changed, wrong := created, updated, fmt.Sprintf("%d failed, %d unknown", s.Failed, s.Unknown)
	if dryRun {
		fresh, changed, wrong = "to create", "to update", fmt.Sprintf("%d failed", s.Failed)
	}
	counts := []string{fmt.Sprintf("%d %s", s.Created, fresh)}
	for _, c := range []struct {
		rows int
		what string
	}{{s.Updated, changed}, {s.Unchanged, unchanged}, {s.Skipped, skipped}} {
		if c.rows > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.rows, c.what))
		}
	}
	return strings.Join(append(counts, wrong), ", ")
}

// count fills the summary from the results, since an import may have taken several runs.
func (r *run) count() error {
	return r.journal.each(func(l result) error {
		r.summary.Rows++
		switch l.status {
		case created, toCreate:
			r.summary.Created++
		case updated, toUpdate:
			r.summary.Updated++
		case unchanged:
			r.summary.Unchanged++
		case skipped:
			r.summary.Skipped++
		case unknown:
			r.summary.Unknown++
		default:
			r.summary.Failed++
		}
		return nil
	})
}

// result is a line of the results; it holds until the next one is read.
type result struct {
	row, status, code, message, field string
}

// notes takes apart what is said of the row.
func (r result) notes() []note {
	codes, fields := strings.Split(r.code, between), strings.Split(r.field, between)
	if len(codes) != len(fields) { // a column's name has what parts them
		codes, fields = []string{r.code}, []string{r.field}
	}
	all := make([]note, len(codes))
	rest := r.message
	for i := range codes {
		s := note{field: fields[i], code: codes[i]}
		this := rest
		if i+1 < len(codes) {
			this, rest, _ = strings.Cut(rest, between+note{field: fields[i+1]}.prefix())
			rest = note{field: fields[i+1]}.prefix() + rest
		}
		s.message = strings.TrimPrefix(this, s.prefix())
		all[i] = s
	}
	return all
}

// eachResult reads the lines of a file of results.
func eachResult(file io.Reader, take func(result) error) error {
	reader := csv.NewReader(bufio.NewReader(file))
	reader.ReuseRecord = true
	reader.FieldsPerRecord = len(resultsHeader)
	for header := true; ; header = false {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the results: %w", err)
		case header:
			continue
		}
		if err := take(result{row: record[0], status: record[1], code: record[4], message: record[5], field: record[6]}); err != nil {
			return err
		}
	}
}

// maxKinds is how many kinds of problems are counted: one for each field, code and reason, which are few.
// What there is beyond them is in the results.
const maxKinds = 1000

// kind is what is the same of many rows.
type kind struct{ status, field, code, reason string }

// found is how many rows have a problem, the first of them, and what is said of it.
type found struct {
	kind
	rows           int
	first, message string
	last           string // of the rows
}

// position is the number of an item of a list: rows differ in it that have the same problem.
var position = regexp.MustCompile(`\[\d+\]`)

// particular is what messages of one reason differ in: what they quote, addresses, and words with digits.
var particular = regexp.MustCompile(`"[^"]*"|https?://\S+|\S*\d\S*`)

// WriteProblems writes a table of what is wrong with rows in results, and what was warned of: a
// line for each field, code and reason, not for each row.
func WriteProblems(out io.Writer, results string) error {
	f, err := os.Open(results)
	if err != nil {
		return fmt.Errorf("reading the results: %w", err)
	}
	return errors.Join(writeProblems(out, f), f.Close())
}

func writeProblems(out io.Writer, results io.Reader) error {
	counts := map[kind]*found{}
	var all []*found
	more := 0
	err := eachResult(results, func(r result) error {
		if r.message == "" {
			return nil
		}
		for _, s := range r.notes() {
			k := kind{problemStatus(r.status), position.ReplaceAllString(s.field, "[]"), s.code, particular.ReplaceAllString(s.message, "")}
			switch {
			case counts[k] == nil && len(all) == maxKinds:
				more++
			case counts[k] == nil:
				counts[k] = &found{kind: k, rows: 1, first: r.row, last: r.row, message: s.message}
				all = append(all, counts[k])
			case counts[k].last != r.row: // a list may have it of several items
				counts[k].rows++
				counts[k].last = r.row
			}
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	slices.SortStableFunc(all, func(a, b *found) int {
		return cmp.Or(cmp.Compare(order(a.status), order(b.status)), cmp.Compare(b.rows, a.rows))
	})
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATUS\tFIELD\tCODE\tROWS\tFIRST ROW\tWHAT")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", f.status, cmp.Or(f.field, "-"), cmp.Or(f.code, "-"), f.rows, f.first, brief(f.message))
	}
	if more > 0 {
		fmt.Fprintf(table, "…\t\t\t%d\t\tother problems\n", more)
	}
	return table.Flush()
}

// problemStatus is the status of a row with notes: of one that is done they are warnings.
func problemStatus(status string) string {
	switch status {
	case failed, unknown, skipped:
		return status
	default:
		return "warning"
	}
}

// order puts what failed before what is a warning alone.
func order(status string) int {
	switch status {
	case failed:
		return 0
	case unknown:
		return 1
	case skipped:
		return 2
	default:
		return 3
	}
}

// brief is a message on one line of a terminal.
func brief(message string) string {
	const maximum = 160
	if runes := []rune(message); len(runes) > maximum {
		return string(runes[:maximum-1]) + "…"
	}
	return message
}
