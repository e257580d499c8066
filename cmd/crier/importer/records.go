package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// records are the lines of a table as cells: of a file of text, or of a sheet of a workbook.
type records interface {
	// read returns the cells of the next line, which hold until it is called again, or what is
	// wrong with the line; io.EOF ends them.
	read() ([]string, *problem, error)
	// offset is where in the file what was read ends, in bytes, and whether lines can be copied
	// from it as they are.
	offset() (int64, bool)
	// picture is the cell of what was read that a picture lies over; empty: none.
	picture() string
	close() error
}

// textRecords are the lines of a CSV file.
type textRecords struct {
	reader *csv.Reader
	text   *text
}

// newTextRecords reads fields that are separated by commas, semicolons or tabs, whichever the
// first line has most of, unless the file says itself.
func newTextRecords(t *text) *textRecords {
	r := csv.NewReader(t)
	if r.Comma = t.comma; r.Comma == 0 {
		r.Comma = separator(t)
	}
	r.TrimLeadingSpace = r.Comma != '\t' // else an empty field between tabs would vanish
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	return &textRecords{r, t}
}

// separator looks at the first line, which is the header, or a row: what stands in quotes there
// separates nothing.
func separator(t *text) rune {
	start, _ := t.Peek(peeked) // a shorter file is looked at as far as it goes
	counts, quoted := map[rune]int{}, false
	for _, c := range string(bytes.TrimLeft(start, "\r\n")) {
		if c == '"' {
			quoted = !quoted
		} else if c == '\n' && !quoted {
			break
		} else if !quoted {
			counts[c]++
		}
	}
	best := ','
	for _, c := range ";\t" {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

func (r *textRecords) read() ([]string, *problem, error) {
	record, err := r.reader.Read()
	if err == nil || errors.Is(err, csv.ErrFieldCount) {
		return record, nil, nil
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, misquoted(parse), nil
	}
	return nil, nil, err
}

func (r *textRecords) offset() (int64, bool) {
	return r.text.skipped + r.reader.InputOffset(), r.text.exact
}

func (r *textRecords) picture() string { return "" }

func (r *textRecords) close() error { return nil }

// misquoted says which lines a quote has made one row of. Guessing where the field ends
// could make a post of several rows.
func misquoted(e *csv.ParseError) *problem {
	lines := fmt.Sprintf("line %d", e.StartLine)
	if e.Line > e.StartLine {
		lines = fmt.Sprintf("lines %d to %d", e.StartLine, e.Line)
	}
	return &problem{message: lines + `: a quote is not closed, or not doubled; a field with a quote in it is written "like ""this"""`}
}

// copySection copies a part of a file as it is.
func copySection(out io.Writer, file io.ReaderAt, from, to int64) error {
	_, err := io.Copy(out, io.NewSectionReader(file, from, to-from))
	return err
}
