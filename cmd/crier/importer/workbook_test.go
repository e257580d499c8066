package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbook is a file that a spreadsheet would write.
func workbook(t *testing.T, change func(*excelize.File)) *bytes.Reader {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	change(book)
	text, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text.Bytes())
}

func set(book *excelize.File, sheet string, rows ...[]any) {
	for i, row := range rows {
		if err := book.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row); err != nil {
			panic(err)
		}
	}
}

// sheetRows are the rows of a workbook: their bodies, or what is wrong with them.
func sheetRows(t *testing.T, file workbookFile, m Mapping) (all []string, err error) {
	t.Helper()
	source, err := openRows("a.xlsx", file, m, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := source.close(); err != nil {
			t.Error(err)
		}
	}()
	for {
		r, err := source.next()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case r.problem != nil:
			all = append(all, "! "+r.problem.field+": "+r.problem.message)
		default:
			all = append(all, string(r.body))
		}
	}
}

func TestAWorkbookIsRead(t *testing.T) {
	for _, since1904 := range []bool{false, true} {
		t.Run(fmt.Sprint("since 1904: ", since1904), func(t *testing.T) {
			serial := 46361.375 // 5 December 2026, 9 o'clock
			if since1904 {
				serial -= 1462
			}
			file := workbook(t, func(book *excelize.File) {
				if err := book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &since1904}); err != nil {
					t.Fatal(err)
				}
				set(book, "Sheet1", []any{"platforms", "text", "when", "draft", "metadata.start", ""},
					[]any{"mastodon", "=1+1 as text", serial, false, serial}, []any{}, []any{"mastodon", "2", "2026-12-06 10:00", true}, []any{"mastodon", 2027, serial + 1})
				style, err := book.NewStyle(&excelize.Style{CustomNumFmt: new("dd/mm/yyyy")})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(book.SetCellStyle("Sheet1", "C2", "C9", style), book.SetCellStyle("Sheet1", "E2", "E2", style)); err != nil {
					t.Fatal(err)
				}
			})
			got, err := sheetRows(t, file, Mapping{})
			want := []string{
				`{"platforms": [{"platform": "mastodon"}], "content": "=1+1 as text", "scheduledFor": "2026-12-05T09:00:00", "metadata": {"start": "05/12/2026"}}`,
				`{"platforms": [{"platform": "mastodon"}], "content": "2", "status": "draft"}`,
				`{"platforms": [{"platform": "mastodon"}], "content": "2027", "scheduledFor": "2026-12-06T09:00:00"}`,
			}
			if err != nil || len(got) != len(want) {
				t.Fatalf("rows = %q, %v", got, err)
			}
			for i := range want {
				if !sameJSON(t, got[i], want[i]) {
					t.Errorf("row %d is %s, want %s", i+1, got[i], want[i])
				}
			}
		})
	}
}

// TestAWorkbookOfLibreOfficeIsRead has a file that LibreOffice 7.4 has written.
func TestAWorkbookOfLibreOfficeIsRead(t *testing.T) {
	file, err := os.Open("testdata/libreoffice.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := sheetRows(t, file, Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"platforms": [{"platform": "mastodon"}], "content": "=not a formula\nsecond line", "scheduledFor": "2026-12-01T09:00:00", "externalId": "007"}`,
		`{"platforms": [{"platform": "mastodon"}, {"platform": "bluesky"}], "content": "Hello there", "scheduledFor": "2026-12-01T18:00:00", "externalId": "own-2", "metadata": {"n": "7"}}`,
		`{"platforms": [{"platform": "mastodon"}], "content": "_x0041_ & <b> 日本語 😀", "status": "draft", "externalId": "own-3", "metadata": {"n": "1.5"}}`,
		`! text: #DIV/0! is what a spreadsheet shows`,
	}
	if len(got) != len(want) {
		t.Fatalf("there are %d rows: %q", len(got), got)
	}
	for i := range want {
		if isRefused := strings.HasPrefix(want[i], "!"); isRefused && !strings.HasPrefix(got[i], want[i]) || !isRefused && !sameJSON(t, got[i], want[i]) {
			t.Errorf("row %d is %s, want %s", i+1, got[i], want[i])
		}
	}
}

func TestADayAndATimeOfAWorkbook(t *testing.T) {
	file := workbook(t, func(book *excelize.File) {
		set(book, "Sheet1", []any{"platforms", "text", "date", "time"}, []any{"mastodon", "a", 46361, 0.375}, []any{"mastodon", "b", "5.12.2026", "9:30\u202fPM"})
	})
	got, err := sheetRows(t, file, Mapping{})
	if err != nil || len(got) != 2 || !strings.Contains(got[0], `"2026-12-05T09:00:00"`) || !strings.Contains(got[1], `"2026-12-05T21:30:00"`) {
		t.Errorf("rows = %q, %v", got, err)
	}
}

// withCell is a workbook in which the XML of a cell is another.
func withCell(t *testing.T, file *bytes.Reader, at, cell string) *bytes.Reader {
	t.Helper()
	archive, err := zip.NewReader(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, part := range archive.File {
		from, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if part.Name == "xl/worksheets/sheet1.xml" {
			text = regexp.MustCompile(`<c r="`+at+`".*?</c>`).ReplaceAllLiteral(text, []byte(cell))
		}
		to, err := w.Create(part.Name)
		if err == nil {
			_, err = to.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(out.Bytes())
}

func TestAFormulaCountsByItsStoredValue(t *testing.T) {
	file := workbook(t, func(book *excelize.File) {
		set(book, "Sheet1", []any{"platforms", "text"}, []any{"mastodon", "x"}, []any{"mastodon", "fine"})
	})
	for cell, want := range map[string]string{
		`<c r="B2" t="str"><f>"Hel"&amp;"lo"</f><v>Hello</v></c>`: `"Hello"`,
		`<c r="B2" t="e"><f>Gone!A1</f><v>#REF!</v></c>`:          "! text: #REF!",
		`<c r="B2" t="str"><f>""</f><v></v></c>`:                  `{"platforms":[{"platform":"mastodon"}]}`,
		`<c r="B2"><f>"Hel"&amp;"lo"</f></c>`:                     "B2 is a formula whose value was never stored",
		`<c r="B2"><f>"Hel"&amp;"lo"</f><v></v></c>`:              "B2 is a formula whose value was never stored",
		`<c r="B2"><f>"Hel"&amp;"lo"</f><v/></c>`:                 "B2 is a formula whose value was never stored",
	} {
		got, err := sheetRows(t, withCell(t, file, "B2", cell), Mapping{})
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && (len(got) != 2 || !strings.Contains(got[0], want)) {
			t.Errorf("%s: rows = %q, %v", cell, got, err)
		}
	}
}

func TestWhatAWorkbookHidesIsRefusedOrChosen(t *testing.T) {
	two := func(book *excelize.File) {
		set(book, "Sheet1", []any{"platforms", "text"}, []any{"mastodon", "first"})
		if _, err := book.NewSheet("Ideas"); err != nil {
			t.Fatal(err)
		}
		set(book, "Ideas", []any{"platforms", "text"}, []any{"mastodon", "second"})
	}
	for name, tt := range map[string]struct {
		change func(*excelize.File)
		sheet  string
		want   string // in the error, or in the only row
	}{
		"several sheets":            {two, "", "several sheets, Sheet1, Ideas: say which is meant"},
		"one of several":            {two, "ideas", `"second"`},
		"a sheet that is not there": {two, "Plan", `no sheet "Plan"; it has Sheet1, Ideas`},
		"a sheet that is hidden": {func(book *excelize.File) {
			two(book)
			if err := book.SetSheetVisible("Ideas", false); err != nil {
				t.Fatal(err)
			}
		}, "", "Sheet1, Ideas (hidden)"},
		"empty sheets count for nothing": {func(book *excelize.File) {
			set(book, "Sheet1", []any{"platforms", "text"}, []any{"mastodon", "first"})
			if _, err := book.NewSheet("Sheet2"); err != nil {
				t.Fatal(err)
			}
		}, "", `"first"`},
		"nothing at all": {func(*excelize.File) {}, "", "no rows"},
		"merged cells": {func(book *excelize.File) {
			set(book, "Sheet1", []any{"platforms", "text"}, []any{"mastodon", "first"}, []any{nil, "second"})
			if err := book.MergeCell("Sheet1", "A2", "A3"); err != nil {
				t.Fatal(err)
			}
		}, "", "A2:A3 are merged"},
		"a hidden row": {func(book *excelize.File) {
			set(book, "Sheet1", []any{"platforms", "text"}, []any{"mastodon", "first"})
			if err := book.SetRowVisible("Sheet1", 2, false); err != nil {
				t.Fatal(err)
			}
		}, "", "hidden in the sheet"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sheetRows(t, workbook(t, tt.change), Mapping{Sheet: tt.sheet})
			if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("rows = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAWorkbookThatUnpacksToTooMuchIsRefused(t *testing.T) {
	small := workbook(t, func(book *excelize.File) { set(book, "Sheet1", []any{"platforms", "text"}) })
	archive, err := zip.NewReader(small, small.Size())
	if err != nil {
		t.Fatal(err)
	}
	var bomb bytes.Buffer
	w := zip.NewWriter(&bomb)
	for _, part := range archive.File {
		if err := w.Copy(part); err != nil {
			t.Fatal(err)
		}
	}
	// What a part unpacks to is what it says: archive/zip reads no more of it.
	if _, err := w.CreateRaw(&zip.FileHeader{Name: "xl/media/zeros", Method: zip.Deflate, UncompressedSize64: maxWorkbook}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sheetRows(t, bytes.NewReader(bomb.Bytes()), Mapping{}); err == nil || !strings.Contains(err.Error(), "more than 128 MiB") {
		t.Errorf("openRows = %v", err)
	}
}

// TestAPictureOverACellIsNoneOfThePost: pictures that lie over cells are in none of them, as people find who read
// sheets (github.com/theoephraim/node-google-spreadsheet/issues/546): the post went out without.
func TestAPictureOverACellIsNoneOfThePost(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	file := workbook(t, func(book *excelize.File) {
		set(book, "Sheet1", []any{"platforms", "text", "image"}, []any{"mastodon", "a"}, []any{"mastodon", "b", "https://a.test/1.png"}, []any{"mastodon", "c"})
		for _, cell := range []string{"A1", "C2", "C3"} { // a logo, the picture itself, one that shows what the address has
			if err := book.AddPictureFromBytes("Sheet1", cell, &excelize.Picture{Extension: ".png", File: picture.Bytes()}); err != nil {
				t.Fatal(err)
			}
		}
	})
	got, err := sheetRows(t, file, Mapping{})
	if err != nil || len(got) != 3 || !strings.HasPrefix(got[0], "! media: a picture lies over C2 in the sheet") || !strings.Contains(got[1], "https://a.test/1.png") ||
		!strings.Contains(got[2], `"c"`) {
		t.Errorf("rows = %q, %v", got, err)
	}
}
