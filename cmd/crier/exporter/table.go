package exporter

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// writeRows writes the posts of a spool under the columns.
func writeRows(out io.Writer, kind string, names []string, spool *json.Decoder) error {
	if kind == ".xlsx" {
		return writeSheet(out, names, spool)
	}
	w := csv.NewWriter(out)
	if err := w.Write(names); err != nil {
		return fmt.Errorf("writing the header: %w", err)
	}
	record := make([]string, len(names))
	for {
		row := cells{}
		if err := spool.Decode(&row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading what was read: %w", err)
		}
		for i, name := range names {
			record[i] = row[name]
		}
		if err := w.Write(record); err != nil {
			return fmt.Errorf("writing a row: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}

// sheetName is what the only sheet of a workbook is called.
const sheetName = "Posts"

// writeSheet writes all cells as texts: no spreadsheet takes one for a formula.
func writeSheet(out io.Writer, names []string, spool *json.Decoder) (err error) {
	book := excelize.NewFile()
	defer func() { err = errors.Join(err, book.Close()) }()
	if err := book.SetSheetName("Sheet1", sheetName); err != nil {
		return fmt.Errorf("writing the sheet: %w", err)
	}
	sheet, err := book.NewStreamWriter(sheetName)
	if err != nil {
		return fmt.Errorf("writing the sheet: %w", err)
	}
	record := make([]any, len(names))
	for i, name := range names {
		record[i] = name
	}
	for number := 1; ; number++ {
		cell, err := excelize.CoordinatesToCellName(1, number)
		if err == nil {
			err = sheet.SetRow(cell, record)
		}
		if err != nil {
			return fmt.Errorf("writing row %d: %w", number, err)
		}
		row := cells{}
		if err := spool.Decode(&row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading what was read: %w", err)
		}
		for i, name := range names {
			if tooLong(row[name]) {
				return fmt.Errorf("a cell of a workbook holds %d characters, and %s of %s has more: write .csv", excelize.TotalCellChars, name, row["id"])
			}
			record[i] = nil
			if row[name] != "" {
				record[i] = row[name]
			}
		}
	}
	if err := sheet.Flush(); err != nil {
		return fmt.Errorf("writing the sheet: %w", err)
	}
	if _, err := book.WriteTo(out); err != nil {
		return fmt.Errorf("writing the workbook: %w", err)
	}
	return nil
}

// tooLong counts as spreadsheets do: one that has more characters would lose the rest.
func tooLong(cell string) bool {
	return len(cell) > excelize.TotalCellChars && len(utf16.Encode([]rune(cell))) > excelize.TotalCellChars
}
