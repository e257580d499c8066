package importer

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table is the rows of a table with a header, or of one whose mapping names its columns.
type table struct {
	records  records
	file     io.ReaderAt
	mapping  Mapping
	known    *known
	headings []heading
	named    bool     // by the file's first line
	fields   []string // that the columns are of
	number   int
	line     line   // that next has returned
	ahead    []line // behind it, read already
	head     int64  // where the header ends, in bytes
	twin     string // of the row before, of rows that are one post
	zone     string // of times without one, as the header says it; empty: it says none
}

// heading is a column of the file.
type heading struct {
	name     string
	meanings Meanings
	// filled are its cells that have a value whose meaning nobody has settled.
	filled, firstRow int
	sample           string
	only             string // value of its cells; empty: none yet
	varied           bool   // there is more than one
	names            bool   // a cell names a brand or an account
}

// line is a line of the file.
type line struct {
	cells    []string
	wrong    *problem
	from, to int64
	picture  string // the cell that one lies over
	err      error
}

// newTable reads the header, unless the mapping says what the columns are and the first line is
// none.
func newTable(r records, file io.ReaderAt, m Mapping, k *known) (*table, error) {
	t := &table{records: r, file: file, mapping: m, known: k}
	first := t.read()
	for isBlank(first.cells) && first.wrong == nil && first.err == nil {
		first = t.read()
	}
	switch {
	case errors.Is(first.err, io.EOF):
		return nil, errors.New("the file is empty: a header is expected")
	case first.err != nil:
		return nil, fmt.Errorf("reading the header: %w", first.err)
	case first.wrong != nil:
		return nil, errors.New("the header cannot be read: " + first.wrong.message)
	}
	names := slices.Clone(first.cells) // the records use their place again
	switch t.named = len(m.Header) == 0 || t.isHeader(names); {
	case !t.named:
		t.ahead, names = []line{first}, m.Header
	case t.knows(names) == 0:
		if err := t.headerBelow(names); err != nil {
			return nil, err
		}
		fallthrough
	default:
		t.head = first.to
	}
	for i, name := range names {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\uFEFF"))
		h := heading{name: name, meanings: m.meanings(name)}
		if name == "" {
			h.name = fmt.Sprintf("column %d", i+1)
			h.meanings = m.meanings(h.name)
		}
		t.headings = append(t.headings, h)
	}
	return t, cmp.Or(t.check(), t.findZone())
}

// isHeader tells the names of columns from the first row of a file that need not have them: two
// of its cells are names of columns, or its only one is.
func (t *table) isHeader(cells []string) bool { return t.knows(cells) >= min(2, len(written(cells))) }

// knows counts the cells that are names of columns.
func (t *table) knows(cells []string) (known int) {
	for _, cell := range written(cells) {
		if t.mapping.meanings(cell) != nil {
			known++
		}
	}
	return known
}

// written are the cells that are not blank, without blanks around them.
func written(cells []string) (all []string) {
	for _, cell := range cells {
		if cell = strings.TrimSpace(strings.TrimPrefix(cell, "\uFEFF")); cell != "" {
			all = append(all, cell)
		}
	}
	return all
}

// headerBelow refuses a file whose header stands below other lines, such as a title. first is the first
// of them.
func (t *table) headerBelow(first []string) error {
	const maximum = 5
	for l := (line{}); l.err == nil && len(t.ahead) < maximum; {
		l = t.read()
		l.cells = slices.Clone(l.cells)
		if t.ahead = append(t.ahead, l); t.knows(l.cells) > 1 {
			return fmt.Errorf("the header seems to be the line %q: delete what stands above it, such as the first line, %q, which names no columns",
				clipped(strings.Join(written(l.cells), ", ")), clipped(strings.Join(written(first), ", ")))
		}
	}
	return nil
}

// times are the columns that hold times.
func (t *table) times() []bool {
	times := make([]bool, len(t.headings))
	for i, h := range t.headings {
		times[i] = h.isTime()
	}
	return times
}

// isTime reports whether the cells are times.
func (h heading) isTime() bool {
	return slices.ContainsFunc(h.meanings, func(m Meaning) bool { return m.column.isTime() })
}

// findZone reads the time zone that columns of times have in their names. One that could be several
// stops the import, unless it is said what the column is: then its name was read.
func (t *table) findZone() error {
	if t.has(column{field: "timezone"}) {
		return nil // each row says its own
	}
	var advice []string
	said := ""
	for _, h := range t.headings {
		if !h.isTime() {
			continue
		}
		zone, unclear := zoneOf(h.name)
		switch {
		case unclear != "" && !t.mapping.isNamed(h.name):
			said = unclear
			advice = append(advice, "--column "+quotedWord(h.meanings[0].column.field+"="+h.name))
		case zone != "" && t.zone != "" && zone != t.zone:
			return fmt.Errorf("the header says two time zones, %s and %s: call one of the columns otherwise", t.zone, zone)
		case zone != "":
			t.zone = zone
		}
	}
	if len(advice) > 0 {
		return fmt.Errorf("the header says a time zone, %s, that could be several: add %s --timezone ZONE, a name of the IANA database such as America/New_York",
			said, strings.Join(advice, " "))
	}
	return nil
}

// check refuses a header from which no post can come.
func (t *table) check() error {
	if err := t.checkNames(); err != nil {
		return err
	}
	t.leaveDayOfWeek()
	seen := map[string]string{}
	identified := false
	for _, h := range t.headings {
		for _, m := range h.meanings {
			c := m.column
			if c.field == "" {
				continue
			}
			t.fields = append(t.fields, c.of())
			identified = identified || c.field == "id" || c.field == "externalId"
			before, ok := seen[c.key()]
			switch {
			case !ok || m.mapped:
			case before == h.name:
				return fmt.Errorf("the header has two columns called %q: give one another name, or remove it", h.name)
			default:
				return fmt.Errorf("the header has two columns for %s, %q and %q: leave one out, such as by --ignore %q", c.field, before, h.name, h.name)
			}
			if !slices.Contains(several, c.field) {
				seen[c.key()] = h.name
			}
		}
	}
	slices.Sort(t.fields)
	t.fields = slices.Compact(t.fields)
	if t.mapping.Platforms == "" && !identified && !slices.Contains(t.fields, "platforms") {
		return t.noPlatforms()
	}
	return nil
}

// leaveDayOfWeek lets a column "Day" say nothing beside one of dates: it has the days of the week, or counts.
func (t *table) leaveDayOfWeek() {
	isDay := func(h heading) bool { return plainName(h.name) == "day" && !t.mapping.isNamed(h.name) }
	isDate := func(h heading) bool {
		return slices.ContainsFunc(h.meanings, func(m Meaning) bool { return m.column.field == "date" })
	}
	if !slices.ContainsFunc(t.headings, func(h heading) bool { return isDate(h) && !isDay(h) }) {
		return
	}
	for i, h := range t.headings {
		if isDay(h) && isDate(h) {
			t.headings[i].meanings = Meanings{{To: ignore}}
		}
	}
}

// noPlatforms says how posts get the platforms that the header has no column of.
func (t *table) noPlatforms() error {
	program, names := t.program()
	switch {
	case program == "":
		return fmt.Errorf("the header has no column for platforms%s: as the first line of the file it has %s; --platforms names those of all rows", t.platformsAre(), t.names())
	case names:
		return fmt.Errorf("the header looks like that of %s: add --map %s", program, program)
	default:
		return fmt.Errorf("the header looks like that of %s: add --map %s and --platforms, such as --platforms linkedin, since no column names any", program, program)
	}
}

// checkNames refuses a --column and an --ignore of a column that the file does not have.
func (t *table) checkNames() error {
	if !t.named {
		return nil
	}
	for _, name := range slices.Concat(t.mapping.Ignore, t.mapping.Named) {
		if !slices.ContainsFunc(t.headings, func(h heading) bool { return plainName(h.name) == plainName(name) }) {
			return fmt.Errorf("there is no column %q; the file has %s", name, t.names())
		}
	}
	return nil
}

func (t *table) names() string {
	var all []string
	for _, h := range t.headings {
		all = append(all, strconv.Quote(h.name))
	}
	return strings.Join(all, ", ")
}

func (t *table) next() (row, error) {
	for {
		t.line = t.take()
		if t.line.err != nil {
			return row{}, t.line.err
		}
		t.number++
		switch {
		case t.line.wrong != nil:
			return row{number: t.number, problem: t.line.wrong}, nil
		case !isBlank(t.line.cells):
			return t.row(), nil
		}
	}
}

// take returns the next line.
func (t *table) take() line {
	if len(t.ahead) > 0 {
		taken := t.ahead[0]
		t.ahead = t.ahead[1:]
		return taken
	}
	return t.read()
}

func (t *table) read() line {
	l := line{}
	l.from, _ = t.records.offset()
	l.cells, l.wrong, l.err = t.records.read()
	l.to, _ = t.records.offset()
	l.picture = t.records.picture()
	return l
}

// peek returns the line behind the one that was taken. What the line before has is kept: the
// records use its place again.
func (t *table) peek() line {
	if len(t.ahead) == 0 {
		t.line.cells = slices.Clone(t.line.cells)
		t.ahead = append(t.ahead, t.read())
	}
	return t.ahead[0]
}

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(s string) bool { return strings.TrimSpace(s) != "" })
}

// row reads the line as a post.
func (t *table) row() row {
	r := row{number: t.number, fields: t.fields, isCells: true}
	cells := t.line.cells
	if !utf8.ValidString(strings.Join(cells, "")) {
		r.problem = &notUTF8
		return r
	}
	if len(cells) > len(t.headings) {
		if !isBlank(cells[len(t.headings):]) {
			r.problem = &problem{message: fmt.Sprintf("the row has %d fields, the header %d", len(cells), len(t.headings))}
			return r
		}
		cells = cells[:len(t.headings)]
	}
	p := newPost(t.mapping, t.known)
	p.zone, p.picture = t.zone, t.line.picture
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		h := &t.headings[i]
		if cell == "" {
			continue
		}
		h.note(cell, t.number)
		p.take(h, cell)
	}
	if t.isTwin() {
		r.problem = &problem{field: t.mapping.Together[0], code: codeUnsupported, message: "rows with the same " +
			strings.Join(t.mapping.Together, ", ") + " are one post with several pictures there: put them into one row here, their addresses separated by bars"}
		return r
	}
	return p.row(r)
}

// isTwin reports whether the row and one beside it are one post for the program that wrote the file.
func (t *table) isTwin() bool {
	if len(t.mapping.Together) == 0 {
		return false
	}
	next := t.peek()
	own, before := t.twinKey(t.line.cells), t.twin
	t.twin = own
	return own != "" && (own == before || next.err == nil && own == t.twinKey(next.cells))
}

func (t *table) twinKey(cells []string) string {
	var key []string
	for i, h := range t.headings {
		if i < len(cells) && slices.ContainsFunc(t.mapping.Together, func(name string) bool { return plainName(name) == plainName(h.name) }) {
			key = append(key, cells[i])
		}
	}
	if isBlank(key) {
		return ""
	}
	return strings.Join(key, "\x00")
}

func (t *table) copyHead(out io.Writer) error {
	if _, exact := t.records.offset(); exact {
		return copySection(out, t.file, 0, t.head)
	}
	if !t.named {
		return nil
	}
	var names []string
	for _, h := range t.headings {
		names = append(names, h.name)
	}
	return writeRecord(out, names)
}

func (t *table) copyRow(out io.Writer) error {
	if _, exact := t.records.offset(); exact {
		return copySection(out, t.file, t.line.from, t.line.to)
	}
	return writeRecord(out, t.line.cells)
}

func writeRecord(out io.Writer, cells []string) error {
	w := csv.NewWriter(out)
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

func (t *table) close() error { return t.records.close() }
