package answer

import (
	"strconv"
	"strings"
)

// CSVType is the content type of tables.
const CSVType = "text/csv; charset=utf-8"

// Inert keeps a spreadsheet from taking a text for a formula.
func Inert(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}
