package importer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier/schema"
)

// table is the rows of a CSV file with a header.
type table struct {
	reader  *csv.Reader
	columns []column
	unknown []string
	mapping Mapping
	number  int
	mark    int64 // bytes of the mark before the header
}

// column is what a column of the file means.
type column struct {
	field string // of fields below; empty: ignored
	name  string // of the metadata entry, or of the setting
	// platform of a setting such as tiktok.privacy, or of a column that says yes or no.
	platform schema.Platform
	number   int // of one of several such columns, from 1; 0: there is one
}

// fields are the columns a table may have, each with the names it goes by: as they are
// here once case, spaces, underscores and hyphens are left out.
var fields = map[string][]string{
	"content":      {"content", "text", "message", "caption", "post", "body"},
	"platforms":    {"platforms", "platform", "networks", "network", "channels", "channel"},
	"accounts":     {"accounts", "account", "accountids", "accountid"},
	"scheduledFor": {"scheduledfor", "scheduledat", "schedule", "datetime", "publishat", "when"},
	"date":         {"date", "day", "publishdate", "scheduleddate"},
	"time":         {"time", "publishtime", "scheduledtime"},
	"timezone":     {"timezone", "tz", "zone"},
	"media":        {"media", "mediaurls", "mediaurl", "mediaitems", "images", "image", "imageurl", "imageurls", "video", "videourl", "photos", "photo", "attachments"},
	"mediaIds":     {"mediaids", "mediaid"},
	"mediaTypes":   {"mediatypes", "mediatype", "mediakinds", "mediakind"},
	"link":         {"link", "links"},
	"draft":        {"draft"},
	"altText":      {"alttext", "alttexts", "alt"},
	"firstComment": {"firstcomment", "comment"},
	"status":       {"status"},
	"queue":        {"queue"},
	"queueId":      {"queueid"},
	"publishNow":   {"publishnow"},
	"brandId":      {"brandid", "brand", "profileid"},
	"externalId":   {"externalid", "reference", "ref"},
	"title":        {"title"},
}

// newTable reads the header, unless the mapping says what the columns are. Fields are separated
// by commas, semicolons or tabs, whichever the first line has most of.
func newTable(buffered *bufio.Reader, m Mapping) (*table, error) {
	t := &table{mapping: m}
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		if _, err := buffered.Discard(len(byteOrderMark)); err != nil {
			return nil, fmt.Errorf("reading the header: %w", err)
		}
		t.mark = int64(len(byteOrderMark))
	}
	if start, _ := buffered.Peek(4096); bytes.IndexByte(start, 0) >= 0 { // a spreadsheet, or UTF-16
		return nil, errors.New("the file is no text in UTF-8: save the table as CSV UTF-8")
	}
	t.reader = csv.NewReader(buffered)
	t.reader.Comma = separator(buffered)
	t.reader.TrimLeadingSpace = t.reader.Comma != '\t' // else an empty field between tabs would vanish
	t.reader.FieldsPerRecord = -1
	t.reader.ReuseRecord = true
	if len(m.Header) > 0 {
		for _, meaning := range m.Header {
			t.columns = append(t.columns, columnOf(meaning))
		}
		return t, t.check()
	}
	header, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: a header is expected")
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, errors.New("the header cannot be read: " + misquoted(parse).message)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	for _, name := range header {
		c := m.column(name)
		if c.field == "" {
			t.unknown = append(t.unknown, strings.TrimSpace(name))
		}
		t.columns = append(t.columns, c)
	}
	return t, t.check()
}

// separator looks at the first line, which is the header, or a row: what stands in quotes there
// parts nothing.
func separator(r *bufio.Reader) rune {
	start, _ := r.Peek(4096) // a shorter file is looked at as far as it goes
	line, _, _ := bytes.Cut(start, []byte("\n"))
	counts, quoted := map[rune]int{}, false
	for _, c := range string(line) {
		if c == '"' {
			quoted = !quoted
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

func columnOf(header string) column {
	header = strings.TrimSpace(header)
	if group, name, ok := strings.Cut(header, "."); ok {
		if c, ok := numbered(group, name); ok {
			return c
		}
		if c, ok := flagged(group, name); ok {
			return c
		}
		if strings.EqualFold(group, "metadata") && name != "" {
			return column{field: "metadata", name: name}
		}
		if platform, err := parsePlatform(group); err == nil && name != "" {
			return column{field: "setting", platform: platform, name: name}
		}
	}
	plain := plainName(header)
	for field, names := range fields {
		if slices.Contains(names, plain) {
			return column{field: field}
		}
	}
	return column{}
}

// check refuses a header from which no post can come.
func (t *table) check() error {
	seen := map[string]bool{}
	for _, c := range t.columns {
		key := c.key()
		if c.field != "" && seen[key] {
			return fmt.Errorf("the header has two columns for %s", c.field)
		}
		seen[key] = true
	}
	reaches := func(c column) bool { return c.field == "platforms" || c.field == "platform" }
	if t.mapping.Platforms == "" && !slices.ContainsFunc(t.columns, reaches) {
		return errors.New("the header has no column platforms: the first line of the file names the columns; --platforms names those of all rows")
	}
	return nil
}

func (c column) key() string { return fmt.Sprint(c.field, c.platform, c.name, c.number) }

func (t *table) ignored() []string { return t.unknown }

func (t *table) offset() int64 { return t.mark + t.reader.InputOffset() }

func (t *table) next() (row, error) {
	for {
		record, err := t.reader.Read()
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			if parse, ok := errors.AsType[*csv.ParseError](err); ok {
				t.number++
				return row{number: t.number, problem: misquoted(parse)}, nil
			}
			return row{}, err
		}
		t.number++
		if !slices.ContainsFunc(record, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			continue
		}
		return t.row(record), nil
	}
}

// misquoted says which lines a quote has made one row of. Guessing where the field ends
// could make a post of several rows.
func misquoted(e *csv.ParseError) *problem {
	lines := fmt.Sprintf("line %d", e.StartLine)
	if e.Line > e.StartLine {
		lines = fmt.Sprintf("lines %d to %d", e.StartLine, e.Line)
	}
	return &problem{message: lines + `: a quote is not closed, or not doubled; a field with a quote in it is written "like ""this"""`}
}

func (t *table) row(record []string) row {
	r := row{number: t.number}
	if !utf8.ValidString(strings.Join(record, "")) {
		r.problem = &notUTF8
		return r
	}
	if len(record) > len(t.columns) {
		r.problem = &problem{message: fmt.Sprintf("the row has %d fields, the header %d", len(record), len(t.columns))}
		return r
	}
	p := newPost(t.mapping)
	for i, cell := range record {
		if cell = strings.TrimSpace(cell); cell != "" {
			p.take(t.columns[i], cell)
		}
	}
	body, wrong := p.body()
	if wrong != nil {
		r.problem = wrong
		return r
	}
	encoded, err := json.Marshal(body)
	switch {
	case err != nil:
		r.problem = &problem{message: err.Error()}
	case len(encoded) > maxRow:
		r.problem = &problem{message: "the row is larger than " + strconv.Itoa(maxRow>>10) + " KiB"}
	default:
		r.body = encoded
	}
	return r
}
