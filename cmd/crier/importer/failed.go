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

// failedOf names the file for the rows of a file that failed, such as calendar.failed.csv.
func failedOf(file string) string {
	file = filepath.Clean(file)
	ending := filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + ".failed" + ending
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
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	source, err := openRows(r.config.File, f, r.config.Map)
	if err != nil {
		return err
	}
	// The source reads ahead by the file's own position; these reads name theirs.
	take := func(from, to int64) error {
		_, err := io.Copy(out, io.NewSectionReader(f, from, to-from))
		return err
	}
	if err := take(0, source.offset()); err != nil {
		return err
	}
	return r.journal.each(func(number, status string) error {
		for {
			from := source.offset()
			one, err := source.next()
			if err != nil {
				return fmt.Errorf("finding row %s again: %w", number, err)
			}
			if strconv.Itoa(one.number) != number {
				continue
			}
			if status != failed {
				return nil
			}
			return take(from, source.offset())
		}
	})
}
