package importer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// maxProblems is how many rows a table of problems has: nobody reads more on a terminal, and all
// of them are in the results.
const maxProblems = 100

// WriteProblems writes a table of the rows in results that are refused, or come with a warning.
func WriteProblems(out io.Writer, results string) error {
	f, err := os.Open(results)
	if err != nil {
		return fmt.Errorf("reading the results: %w", err)
	}
	return errors.Join(writeProblems(out, f), f.Close())
}

func writeProblems(out io.Writer, results io.Reader) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	reader := csv.NewReader(bufio.NewReader(results))
	reader.FieldsPerRecord = len(resultsHeader)
	found := 0
	for header := true; ; header = false {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			if more := found - maxProblems; more > 0 {
				fmt.Fprintf(table, "…\t\t\tand %d more\n", more)
			}
			return table.Flush()
		case err != nil:
			return fmt.Errorf("reading the results: %w", err)
		}
		row, status, code, message := record[0], record[1], record[4], record[5]
		if header || message == "" {
			continue
		}
		if found++; found == 1 {
			fmt.Fprintln(table, "ROW\tSTATUS\tCODE\tWHAT")
		}
		if code == "" {
			code = "warning"
		}
		if found <= maxProblems {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row, status, code, message)
		}
	}
}
