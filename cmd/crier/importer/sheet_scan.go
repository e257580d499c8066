package importer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// checkSheet refuses a sheet whose cells do not say what they look like: merged ones, of which all
// but the first are empty, and formulas whose value nobody has stored. It goes through the sheet's
// part of the workbook once.
func checkSheet(file io.ReaderAt, size int64, sheet string) error {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return unreadableWorkbook(err)
	}
	name, err := partOf(archive, sheet)
	if err != nil {
		return err
	}
	part, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("opening %s: %w", name, err)
	}
	return errors.Join(scanSheet(io.LimitReader(part, maxWorkbook)), part.Close())
}

// partOf finds which file of the archive a sheet is.
func partOf(archive *zip.Reader, sheet string) (string, error) {
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"` // of the relationship, in a namespace of its own
		} `xml:"sheets>sheet"`
	}
	var relationships struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := decodePart(archive, "xl/workbook.xml", &book); err != nil {
		return "", err
	}
	if err := decodePart(archive, "xl/_rels/workbook.xml.rels", &relationships); err != nil {
		return "", err
	}
	for _, s := range book.Sheets {
		for _, r := range relationships.All {
			if s.Name != sheet || s.ID != r.ID {
				continue
			}
			if strings.HasPrefix(r.Target, "/") {
				return strings.TrimPrefix(r.Target, "/"), nil
			}
			return path.Join("xl", r.Target), nil
		}
	}
	return "", errors.New("the workbook does not say where the sheet is")
}

func decodePart(archive *zip.Reader, name string, to any) error {
	part, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("opening %s: %w", name, err)
	}
	if err := errors.Join(xml.NewDecoder(io.LimitReader(part, maxPartInMemory)).Decode(to), part.Close()); err != nil {
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
