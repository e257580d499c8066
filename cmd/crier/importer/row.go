package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// row is one post of the file.
type row struct {
	number int             // of the row in the file, from 1; a CSV's header is not counted
	body   json.RawMessage // a create-post body; empty where problem is set
	// problem is why the row is not even sent.
	problem *problem
}

// problem is what is wrong with one field of a row.
type problem struct{ field, message string }

// rows reads posts one by one; io.EOF ends them.
type rows interface {
	next() (row, error)
	// ignored are the columns of the file that mean nothing to crier.
	ignored() []string
	// offset is where in the file the rows that were read end, in bytes; before the first, the
	// header.
	offset() int64
}

// maxRow bounds one row, in bytes: the API takes a body of 1 MiB.
const maxRow = 900 << 10

// openRows reads a file by its name's ending: .csv and .tsv are tables, .jsonl and
// .ndjson hold a create-post body in each line. The mapping says what the columns of a table mean.
func openRows(name string, r io.Reader, m Mapping) (rows, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	if start, _ := buffered.Peek(2); string(start) == "\xff\xfe" || string(start) == "\xfe\xff" {
		return nil, errors.New("the file is in UTF-16: save it in UTF-8")
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv":
		return newTable(buffered, m)
	case ".jsonl", ".ndjson":
		if !m.IsZero() {
			return nil, errors.New("a mapping and platforms are for tables: the lines of this file are whole posts")
		}
		return &lines{reader: buffered}, nil
	default:
		return nil, fmt.Errorf("%s is neither .csv, .tsv, .jsonl nor .ndjson: save a spreadsheet as CSV UTF-8", filepath.Base(name))
	}
}

// lines are the rows of a JSON Lines file; empty lines count but are no rows.
type lines struct {
	reader *bufio.Reader
	number int
	read   int64 // bytes
}

func (l *lines) ignored() []string { return nil }

func (l *lines) offset() int64 { return l.read }

func (l *lines) next() (row, error) {
	for {
		line, err := l.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return row{}, err
		}
		l.number++
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
		if len(line) > 0 {
			return rowOfLine(l.number, line), nil
		}
	}
}

// readLine reads a line of any length, but keeps no more of it than tells that it is too
// long.
func (l *lines) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := l.reader.ReadSlice('\n')
		l.read += int64(len(part))
		line = append(line, part[:min(len(part), maxRow+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func rowOfLine(number int, line []byte) row {
	r := row{number: number}
	var object map[string]json.RawMessage
	switch {
	case len(line) > maxRow:
		r.problem = &problem{message: fmt.Sprintf("the row is larger than %d KiB", maxRow>>10)}
	case !utf8.Valid(line):
		r.problem = &notUTF8
	case json.Unmarshal(line, &object) != nil || object == nil:
		r.problem = &problem{message: "the line is not a JSON object"}
	default:
		r.body = line
	}
	return r
}

// notUTF8 is what is wrong with a row in another encoding: JSON would put replacement
// characters for what nobody can read.
var notUTF8 = problem{message: "the row is not in UTF-8: save the file as CSV UTF-8, or in UTF-8"}

var byteOrderMark = []byte("\uFEFF")
