package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// BenchmarkReading reads calendars of 5,000 rows as bodies: of text, and of a workbook.
func BenchmarkReading(b *testing.B) {
	const rows = 5000
	var text strings.Builder
	text.WriteString("text,platforms,account,date,time,reference\n")
	book := excelize.NewFile()
	defer book.Close()
	sheet, err := book.NewStreamWriter("Sheet1")
	if err == nil {
		err = sheet.SetRow("A1", []any{"text", "platforms", "account", "date", "time", "reference"})
	}
	for i := range rows {
		fmt.Fprintf(&text, "Row number %d of the calendar,mastodon,acc_1,2026-12-%02d,%02d:%02d,row-%d\n", i, i%28+1, i%24, i%60, i)
		if err == nil {
			err = sheet.SetRow(fmt.Sprintf("A%d", i+2), []any{fmt.Sprintf("Row number %d of the calendar", i), "mastodon", "acc_1", 46357 + i%28, float64(i%24) / 24, fmt.Sprintf("row-%d", i)})
		}
	}
	if err == nil {
		err = sheet.Flush()
	}
	if err != nil {
		b.Fatal(err)
	}
	workbook, err := book.WriteToBuffer()
	if err != nil {
		b.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.csv": []byte(text.String()), "a.xlsx": workbook.Bytes()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				source, err := openRows(name, bytes.NewReader(content), Mapping{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				read := 0
				for {
					r, err := source.next()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil || r.problem != nil {
						b.Fatal(r.problem, err)
					}
					read++
				}
				if err := source.close(); err != nil || read != rows {
					b.Fatal(read, err)
				}
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
