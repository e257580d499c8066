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

// failedOf names the nth file for rows of a file that failed, such as calendar.failed.csv and
// calendar.failed.2.csv. Those of a workbook are text, too.
func failedOf(file string, n int) string {
	file = filepath.Clean(file)
	ending := filepath.Ext(file)
	stem := strings.TrimSuffix(file, ending)
	if isWorkbook(file) {
		ending = ".csv"
	}
	if n > 1 {
		ending = "." + strconv.Itoa(n) + ending
	}
	return stem + ".failed" + ending
}

// correctable is a hint where the rows are that failed in the import of these results; it is
// empty if there are none.
func correctable(results string) string {
	file, n := strings.TrimSuffix(results, resultsEnding), 1
	for exists(failedOf(file, n+1)) {
		n++
	}
	failed := failedOf(file, n)
	if !exists(failed) || exists(resultsOf(failed)) {
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
	fresh := failedOf(r.config.File, 1) + ".new"
	out, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("opening the file of failed rows: %w", err)
	}
	err = errors.Join(r.copyFailed(f, out), out.Sync(), out.Close())
	if err == nil {
		r.summary.FailedRows, err = nameFailed(r.config.File, fresh)
	}
	if err != nil {
		return fmt.Errorf("writing the rows that failed: %w", err)
	}
	return nil
}

// nameFailed gives rows that failed a name that no file with others has, nor the results of one.
func nameFailed(file, fresh string) (string, error) {
	for n := 1; ; n++ {
		name := failedOf(file, n)
		switch isSame, err := sameContent(fresh, name); {
		case err != nil:
			return "", err
		case !exists(resultsOf(name)) && (isSame || !exists(name)):
			return name, os.Rename(fresh, name)
		}
	}
}

// sameContent compares a file with another, which may not be there.
func sameContent(file, other string) (bool, error) {
	if !exists(other) {
		return false, nil
	}
	digests := make([]string, 2)
	for i, name := range []string{file, other} {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		digests[i], err = digest(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return false, err
		}
	}
	return digests[0] == digests[1], nil
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
				current, err := source.next()
				if err != nil {
					return fmt.Errorf("finding row %s again: %w", l.row, err)
				}
				if strconv.Itoa(current.number) != l.row {
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
