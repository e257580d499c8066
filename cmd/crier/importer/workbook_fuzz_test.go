package importer

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// The parts of a workbook that people's data is in.
const (
	sheetPart = "xl/worksheets/sheet1.xml"
	textsPart = "xl/sharedStrings.xml"
)

// FuzzSheet has any sheet and any shared texts in a workbook that is whole otherwise.
func FuzzSheet(f *testing.F) {
	book := excelize.NewFile()
	set(book, "Sheet1", []any{"platforms", "text", "when", "draft"}, []any{"mastodon", "hello", 46361.375, true}, []any{}, []any{"x", 1})
	written, err := book.WriteToBuffer()
	if err != nil {
		f.Fatal(err)
	}
	whole, err := zip.NewReader(bytes.NewReader(written.Bytes()), int64(written.Len()))
	if err != nil {
		f.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, part := range whole.File {
		content, err := part.Open()
		if err == nil {
			parts[part.Name], err = io.ReadAll(content)
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Add(parts[sheetPart], parts[textsPart])
	f.Add([]byte(`<worksheet><sheetData><row r="9"><c r="XFD9" t="inlineStr"><is><t>platforms</t></is></c></row><row r="2" hidden="1"/></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>`), []byte("<sst/>"))
	f.Add([]byte(`<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row><row r="2147483647"><c r="A2147483647"><v>1</v></c></row></sheetData></worksheet>`), []byte("<sst/>"))
	f.Add([]byte(`<worksheet><sheetData><row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>text</t></is></c></row></sheetData></worksheet>`), []byte("<sst/>"))
	f.Fuzz(func(t *testing.T, sheet, texts []byte) {
		var file strings.Builder
		archive := zip.NewWriter(&file)
		for name, content := range parts {
			switch name {
			case sheetPart:
				content = sheet
			case textsPart:
				content = texts
			}
			part, err := archive.Create(name)
			if err == nil {
				_, err = part.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		readAll(t, "a.xlsx", file.String())
	})
}
