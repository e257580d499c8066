package importer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// failedOf names the file for the rows of a file that failed, such as calendar.failed.csv. Those of
// a workbook are text, too.
func failedOf(file string) string {
	file = filepath.Clean(file)
	ending := filepath.Ext(file)
	stem := strings.TrimSuffix(file, ending)
	if isWorkbook(file) {
		ending = ".csv"
	}
	return stem + ".failed" + ending
}

// correctable is a hint where the rows are that failed in the import of these results; it is
// empty if there are none.
func correctable(results string) string {
	failed := failedOf(strings.TrimSuffix(results, resultsEnding))
	if _, err := os.Stat(failed); err != nil {
		return ""
	}
	return ": rows that failed are in " + failed + ", correct them there and import that file"
}

// keepFailed copies the rows that failed, with the header, unchanged to a file of their own.
// Once corrected, that file can be imported without creating any other post again.
func (r *run) keepFailed(f *os.File) error {
	if r.summary.Failed == 0 || r.config.DryRun {
		return nil
	}
	name := failedOf(r.config.File)
	out, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("opening the file of failed rows: %w", err)
	}
	err = errors.Join(r.copyFailed(f, out), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("writing the rows that failed to %s: %w", name, err)
	}
	r.summary.FailedRows = name
	return nil
}

// copyFailed goes through the file and its results side by side: both are in order of rows.
func (r *run) copyFailed(f *os.File, out io.Writer) error {
	source, err := r.config.rows(f)
	if err != nil {
		return err
	}
	copyAll := func() error {
		if err := source.copyHead(out); err != nil {
			return err
		}
		return r.journal.each(func(l result) error {
			for {
				one, err := source.next()
				if err != nil {
					return fmt.Errorf("finding row %s again: %w", l.row, err)
				}
				if strconv.Itoa(one.number) != l.row {
					continue
				}
				if l.status != failed {
					return nil
				}
				return source.copyRow(out)
			}
		})
	}
	return errors.Join(copyAll(), source.close())
}
