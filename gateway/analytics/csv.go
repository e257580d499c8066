package analytics

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
)

// wantsCSV reads the format: of the parameter, or else of the header Accept.
func wantsCSV(c *gin.Context, q *figuresQuery) bool {
	switch format, ok := q.Word("format"); {
	case !ok:
		return strings.HasPrefix(strings.TrimSpace(c.GetHeader("Accept")), "text/csv")
	case format == "csv":
		return true
	case format != "json":
		q.Report.Fail("format", body.CodeInvalidValue, "must be json or csv")
	}
	return false
}

// table is rows under the names of their columns.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(c *gin.Context, name string) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(t.columns) // a strings.Builder takes all
	for _, row := range t.rows {
		for i, cell := range row {
			row[i] = answer.Inert(cell)
		}
		_ = w.Write(row)
	}
	w.Flush()
	c.Header("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	c.Data(http.StatusOK, answer.CSVType, []byte(text.String()))
}

// number is a cell that is empty where nothing is known.
func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }
