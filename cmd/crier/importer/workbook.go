package importer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Bounds of a workbook: how much it may unpack to, and above which a part of it rests in a file.
const (
	maxWorkbook     = 128 << 20
	maxPartInMemory = 1 << 20
	maxPartDecoded  = 16 << 20 // of those that say what the others are
	// maxSheetRows is how many rows a sheet of Excel has. A damaged one may name a row far beyond, and all
	// before that would be read as empty ones.
	maxSheetRows = 1 << 20
)

var errBeyondSheet = fmt.Errorf("it names a row beyond %d, the last that a sheet has: save the workbook once more", maxSheetRows)

// workbookFile is what a workbook is read from: a file.
type workbookFile interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// sheetRecords are the lines of a sheet. Each is read twice, side by side: as it is stored, which
// times are read from, and as it is shown.
type sheetRecords struct {
	workbook          *excelize.File
	stored, formatted *excelize.Rows
	since1904         bool
	rows              int            // read so far
	times             []bool         // columns whose numbers are times
	pictures          map[int]string // by its row, from 1: the cell that a picture lies over
	cells             []string
}

// openSheet reads the sheet called name, or the only one that holds anything.
func openSheet(file workbookFile, name string) (*sheetRecords, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the workbook: %w", err)
	}
	book, err := excelize.OpenReader(file, excelize.Options{UnzipSizeLimit: maxWorkbook, UnzipXMLSizeLimit: maxPartInMemory})
	if err != nil {
		return nil, unreadableWorkbook(err)
	}
	s := &sheetRecords{workbook: book}
	if err := s.open(file, size, name); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func unreadableWorkbook(err error) error {
	switch {
	case errors.Is(err, excelize.ErrWorkbookFileFormat), errors.Is(err, zip.ErrFormat):
		return errors.New("the file is no workbook that crier can read: save it as .xlsx, without a password, or as CSV UTF-8")
	case strings.Contains(err.Error(), "unzip size"):
		return fmt.Errorf("the workbook unpacks to more than %d MiB: save the table as CSV UTF-8", maxWorkbook>>20)
	default:
		return fmt.Errorf("reading the workbook: %w", err)
	}
}

func (s *sheetRecords) open(file io.ReaderAt, size int64, name string) error {
	properties, err := s.workbook.GetWorkbookProps()
	if err != nil {
		return fmt.Errorf("reading the workbook: %w", err)
	}
	s.since1904 = properties.Date1904 != nil && *properties.Date1904
	sheet, err := s.choose(name)
	if err != nil {
		return err
	}
	if s.pictures, err = checkSheet(file, size, sheet); err != nil {
		return fmt.Errorf("the sheet %q: %w", sheet, err)
	}
	if s.stored, err = s.workbook.Rows(sheet); err == nil {
		s.formatted, err = s.workbook.Rows(sheet)
	}
	if err != nil {
		return fmt.Errorf("reading the sheet %q: %w", sheet, err)
	}
	return nil
}

// choose returns the sheet that is meant. What stands in another one would be left out silently.
func (s *sheetRecords) choose(name string) (string, error) {
	var filled, described []string
	for _, sheet := range s.workbook.GetSheetList() {
		if name != "" && strings.EqualFold(strings.TrimSpace(sheet), strings.TrimSpace(name)) {
			return sheet, nil
		}
		holds, err := s.holds(sheet)
		if err != nil {
			return "", err
		}
		if !holds {
			continue
		}
		visible, err := s.workbook.GetSheetVisible(sheet)
		if err != nil {
			return "", fmt.Errorf("reading the sheet %q: %w", sheet, err)
		}
		filled = append(filled, sheet)
		if !visible {
			sheet += " (hidden)"
		}
		described = append(described, sheet)
	}
	switch all := strings.Join(described, ", "); {
	case name != "":
		return "", fmt.Errorf("the workbook has no sheet %q; it has %s", name, all)
	case len(filled) == 0:
		return "", errNoRows
	case len(filled) == 1 && described[0] == filled[0]:
		return filled[0], nil
	case len(filled) == 1:
		return "", fmt.Errorf("all that the workbook holds is in a hidden sheet: say --sheet %q if it is meant", filled[0])
	default:
		return "", fmt.Errorf("the workbook has several sheets, %s: say which is meant, such as --sheet %q", all, filled[0])
	}
}

// holds reports whether a sheet has anything in it.
func (s *sheetRecords) holds(sheet string) (bool, error) {
	rows, err := s.workbook.Rows(sheet)
	if err != nil {
		if strings.Contains(err.Error(), "not exist") || strings.Contains(err.Error(), "not a worksheet") { // a chart
			return false, nil
		}
		return false, fmt.Errorf("reading the sheet %q: %w", sheet, err)
	}
	found := false
	for n := 0; !found && rows.Next(); n++ {
		var cells []string
		if cells, err = rows.Columns(); err == nil && n == maxSheetRows {
			err = errBeyondSheet
		}
		if err != nil {
			break
		}
		found = slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" })
	}
	if err = errors.Join(err, rows.Error(), rows.Close()); err != nil {
		return false, fmt.Errorf("reading the sheet %q: %w", sheet, err)
	}
	return found, nil
}

func (s *sheetRecords) read() ([]string, *problem, error) {
	if !s.stored.Next() || !s.formatted.Next() {
		if err := errors.Join(s.stored.Error(), s.formatted.Error()); err != nil {
			return nil, nil, fmt.Errorf("reading the sheet: %w", err)
		}
		return nil, nil, io.EOF
	}
	if s.rows++; s.rows > maxSheetRows {
		return nil, nil, fmt.Errorf("reading the sheet: %w", errBeyondSheet)
	}
	stored, err := s.stored.Columns(excelize.Options{RawCellValue: true})
	if err == nil {
		s.cells, err = s.formatted.Columns()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the sheet: %w", err)
	}
	for i := range s.cells {
		if i < len(s.times) && s.times[i] && i < len(stored) {
			s.cells[i] = serialTime(stored[i], s.since1904)
		}
	}
	if s.stored.GetRowOpts().Hidden && len(s.cells) > 0 {
		return s.cells, &problem{message: "the row is hidden in the sheet, so that nobody sees it there: show it, or delete it"}, nil
	}
	return s.cells, nil, nil
}

// readTimes says which columns hold times.
func (s *sheetRecords) readTimes(columns []bool) { s.times = columns }

func (s *sheetRecords) picture() string { return s.pictures[s.rows] }

func (s *sheetRecords) offset() (int64, bool) { return 0, false }

func (s *sheetRecords) close() error {
	var err error
	for _, rows := range []*excelize.Rows{s.stored, s.formatted} {
		if rows != nil {
			err = errors.Join(err, rows.Close())
		}
	}
	return errors.Join(err, s.workbook.Close())
}

// checkSheet refuses a sheet whose cells look fuller than they are: merged cells, of which all but the
// first are empty, and formulas without a stored value. It reads the sheet's part of the workbook once, and
// finds the pictures that lie over it.
func checkSheet(file io.ReaderAt, size int64, sheet string) (map[int]string, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, unreadableWorkbook(err)
	}
	name, err := partOf(archive, sheet)
	if err != nil {
		return nil, err
	}
	part, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	if err := errors.Join(scanSheet(io.LimitReader(part, maxWorkbook)), part.Close()); err != nil {
		return nil, err
	}
	return picturesOver(archive, name)
}

// picturesOver finds the pictures over a sheet: by its row, the cell where the last that begins there does.
func picturesOver(archive *zip.Reader, sheet string) (map[int]string, error) {
	directory, name := path.Split(sheet)
	pictures, parts := map[int]string{}, relationships{}
	err := decodePart(archive, path.Join(directory, "_rels", name+".rels"), &parts)
	if errors.Is(err, fs.ErrNotExist) {
		return pictures, nil
	}
	for _, r := range parts.All {
		var drawing struct {
			Anchors []struct {
				Column  int       `xml:"from>col"`
				Row     int       `xml:"from>row"`
				Picture *struct{} `xml:"pic"` // others are of charts and shapes
			} `xml:",any"`
		}
		if strings.HasSuffix(r.Type, "/drawing") {
			err = errors.Join(err, decodePart(archive, partAt(directory, r.Target), &drawing))
		}
		for _, a := range drawing.Anchors {
			if cell, wrong := excelize.CoordinatesToCellName(a.Column+1, a.Row+1); wrong == nil && a.Picture != nil {
				pictures[a.Row+1] = cell
			}
		}
	}
	return pictures, err
}

// partOf finds which file of the archive a sheet is.
func partOf(archive *zip.Reader, sheet string) (string, error) {
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"` // of the relationship, in a namespace of its own
		} `xml:"sheets>sheet"`
	}
	var parts relationships
	if err := decodePart(archive, "xl/workbook.xml", &book); err != nil {
		return "", err
	}
	if err := decodePart(archive, "xl/_rels/workbook.xml.rels", &parts); err != nil {
		return "", err
	}
	for _, s := range book.Sheets {
		for _, r := range parts.All {
			if s.Name != sheet || s.ID != r.ID {
				continue
			}
			return partAt("xl", r.Target), nil
		}
	}
	return "", errors.New("the workbook does not say where the sheet is")
}

// relationships are where the parts are that a part of the archive uses.
type relationships struct {
	All []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// partAt is the name of a part that one in a directory calls its target.
func partAt(directory, target string) string {
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(target, "/")
	}
	return path.Join(directory, target)
}

func decodePart(archive *zip.Reader, name string, to any) error {
	part, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("opening %s: %w", name, err)
	}
	if err := errors.Join(xml.NewDecoder(io.LimitReader(part, maxPartDecoded)).Decode(to), part.Close()); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// scanSheet reads tags. A cell is <c r="A1" t="str"><f>…</f><v>…</v></c>; the merged cells follow
// the rows.
func scanSheet(part io.Reader) error {
	r := bufio.NewReaderSize(part, peeked)
	var cell struct {
		at                     string
		formula, value, isText bool
	}
	ended := false
	for {
		filled, tag, err := nextTag(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the sheet: %w", err)
		}
		switch name, closes := tagName(tag); {
		case name == "c" && !closes:
			cell.at, cell.isText = attribute(tag, "r"), attribute(tag, "t") == "str"
			cell.formula, cell.value = false, false
		case name == "f" && !closes:
			cell.formula = true
		case name == "v" && closes:
			cell.value = filled
		case name == "c" && closes && cell.formula && !cell.value && !cell.isText:
			return fmt.Errorf("%s is a formula whose value was never stored: open and save the workbook in a spreadsheet program", cell.at)
		case name == "mergeCell" && !closes:
			return fmt.Errorf("the cells %s are merged, so that all but the first of them are empty: unmerge them", attribute(tag, "ref"))
		case name == "worksheet" && closes:
			ended = true
		}
	}
	if !ended {
		return errors.New("the sheet is cut off: save the workbook once more")
	}
	return nil
}

// nextTag returns whether there is text before the next tag, and that tag, which holds until the
// next call.
func nextTag(r *bufio.Reader) (filled bool, tag []byte, err error) {
	for {
		text, err := r.ReadSlice('<')
		filled = filled || len(bytes.TrimSpace(bytes.TrimSuffix(text, []byte("<")))) > 0
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return false, nil, err
		}
		tag, err = r.ReadSlice('>')
		return filled, bytes.TrimSuffix(tag, []byte(">")), err
	}
}

// tagName is the name of a tag without its prefix, and whether it closes an element.
func tagName(tag []byte) (string, bool) {
	closes := bytes.HasPrefix(tag, []byte("/"))
	name := bytes.TrimPrefix(tag, []byte("/"))
	if at := bytes.IndexAny(name, " \t\r\n/"); at >= 0 {
		name = name[:at]
	}
	if at := bytes.IndexByte(name, ':'); at >= 0 {
		name = name[at+1:]
	}
	return string(name), closes
}

// attribute is the value of an attribute of a tag; empty: it has none of that name.
func attribute(tag []byte, name string) string {
	for _, quote := range []string{`"`, `'`} {
		_, value, found := strings.Cut(string(tag), " "+name+"="+quote)
		if found {
			value, _, _ = strings.Cut(value, quote)
			return value
		}
	}
	return ""
}
