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
	number int             // of the row in the file, from 1; a table's header is not counted
	body   json.RawMessage // a create-post body; empty where problem is set
	// problem is why the row is not even sent.
	problem *problem
	// warnings are what of the row is left out.
	warnings []string
	// id and externalID are those of the post that the row may be of already; draftFor is the
	// time of a draft, which gets it once it is there.
	id, externalID string
	draftFor       string
	// wall is the row's time, where neither that nor the row has a zone.
	wall string
	// thread: its post is a thread's, which no row can make. ended is the state of a post that
	// is published already, which no row can make either.
	thread bool
	ended  string
	// fields are those of a post that the row speaks of, whether it fills them or not.
	fields []string
	// isCells: the row is of a table, whose cells have no blanks around texts, and lines that end in LF.
	isCells bool
	// added are its cells that are added to its text.
	added []string
	// isQueuedByDefault: it names no time, and the import a queue for such rows.
	isQueuedByDefault bool
}

// problem is what is wrong with one field of a row, and what with others.
type problem struct {
	field, message string
	code           string     // empty: codeInvalid
	also           []*problem // what else is wrong with the row
}

// and joins two problems of a row; either may be nil.
func (p *problem) and(other *problem) *problem {
	switch {
	case p == nil:
		return other
	case other == nil:
		return p
	}
	p.also = append(append(p.also, other), other.also...)
	other.also = nil
	return p
}

// Codes of rows that are not sent.
const (
	codeInvalid     = "invalid_row"
	codeUnsupported = "unsupported_value" // crier has nothing that it could be
	codeDuplicate   = "duplicate_row"     // another row of the file is of the same post
	codeNoPost      = "no_such_post"      // its id is none of a post
	codeLeftOut     = "left_out"          // of a warning: crier has nothing that a cell could be, and nobody misses it
)

// rows reads posts one by one; io.EOF ends them.
type rows interface {
	next() (row, error)
	// copyHead and copyRow write what stands before the first row, and the row that next has
	// returned, as the file has them.
	copyHead(out io.Writer) error
	copyRow(out io.Writer) error
	close() error
}

// maxRow bounds one row, in bytes: the API takes a body of 1 MiB.
const maxRow = 900 << 10

var errNoRows = errors.New("the file has no rows")

// openRows reads a file by its name's ending: .csv, .tsv, .txt and .xlsx are tables, .jsonl and
// .ndjson hold a create-post body in each line. The mapping says how a table is read.
func openRows(name string, file workbookFile, m Mapping, k *known) (rows, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt", ".tab":
		t, err := openText(file)
		if err != nil {
			return nil, err
		}
		return newTable(newTextRecords(t), file, m, k)
	case ".xlsx", ".xlsm":
		sheet, err := openSheet(file, m.Sheet)
		if err != nil {
			return nil, err
		}
		t, err := newTable(sheet, file, m, k)
		if err != nil {
			return nil, errors.Join(err, sheet.close())
		}
		sheet.readTimes(t.times())
		return t, nil
	case ".jsonl", ".ndjson":
		if !m.IsZero() {
			return nil, errors.New("--map, --platforms, --column and their like are for tables: the lines of this file are whole posts")
		}
		t, err := openText(file)
		if err != nil {
			return nil, err
		}
		return &lines{text: t, file: file}, nil
	default:
		return nil, fmt.Errorf("%s is neither .csv, .tsv, .xlsx, .jsonl nor .ndjson: save a spreadsheet as .xlsx, or as CSV UTF-8", filepath.Base(name))
	}
}

// isWorkbook reports whether a file is one of a spreadsheet, by its name.
func isWorkbook(name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	return ending == ".xlsx" || ending == ".xlsm"
}

// lines are the rows of a JSON Lines file; empty lines count but are no rows.
type lines struct {
	text     *text
	file     io.ReaderAt
	number   int
	from, to int64 // of the row that was read, with the empty lines before it
	line     []byte
}

func (l *lines) next() (row, error) {
	l.from = l.to
	for {
		line, err := l.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return row{}, err
		}
		l.number++
		l.line = bytes.TrimSpace(line)
		if len(l.line) > 0 {
			return rowOfLine(l.number, l.line), nil
		}
	}
}

// readLine reads a line of any length, but keeps no more of it than tells that it is too
// long.
func (l *lines) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := l.text.ReadSlice('\n')
		l.to += int64(len(part))
		line = append(line, part[:min(len(part), maxRow+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (l *lines) copyHead(io.Writer) error { return nil }

func (l *lines) copyRow(out io.Writer) error {
	if l.text.exact {
		return copySection(out, l.file, l.text.skipped+l.from, l.text.skipped+l.to)
	}
	_, err := fmt.Fprintf(out, "%s\n", l.line)
	return err
}

func (l *lines) close() error { return nil }

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
		r.identify(object)
	}
	return r
}

// identify reads which post a line is of, if it says so. It removes the fields that crier export
// writes and no creation has.
func (r *row) identify(object map[string]json.RawMessage) {
	text := func(name string) (value string) {
		_ = json.Unmarshal(object[name], &value) // what is no text is the server's to refuse
		return value
	}
	r.id, r.externalID, r.thread = text("id"), text("externalId"), text("threadId") != ""
	if at := text("scheduledFor"); text("timezone") == "" {
		if _, isWall, err := instantOf(at, ""); isWall && err == nil {
			r.wall = at
		}
	}
	for name := range object {
		if name != "id" && name != "threadId" {
			r.fields = append(r.fields, name)
		}
	}
	if r.id == "" {
		return
	}
	switch status := text("status"); statusOf(status) {
	case published:
		r.ended = status
		delete(object, "status")
	case "draft":
		if at := text("scheduledFor"); at != "" {
			r.draftFor = at
			delete(object, "scheduledFor")
		}
	}
	delete(object, "id")
	delete(object, "threadId")
	if body, err := encode(object); err == nil {
		r.body = body
	}
}

// encode writes JSON without making <, > and & longer.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// notUTF8 is what is wrong with a row in another encoding: JSON would put replacement
// characters for what nobody can read.
var notUTF8 = problem{message: "the row is not in UTF-8: save the file as CSV UTF-8, or as .xlsx"}
