package audit

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema/people"
)

const (
	exportPage = 1000
	// maxExported bounds an export, in rows. Whoever gets as many goes on with to, the time of the last.
	maxExported = 100_000
	linesType   = "application/x-ndjson"
)

// writer writes rows of an export.
type writer interface {
	begin() error
	write(r people.AuditRecord) error
	flush() error
}

// export answers with the rows of a workspace, as they are read: the newest first, JSON a line or CSV.
func (a *audit) export(c *gin.Context) error {
	q := body.NewQuery(c)
	query := read(q)
	format, ok := q.Word("format")
	if ok && format != "csv" && format != "ndjson" {
		q.Report.Fail("format", body.CodeInvalidValue, "must be ndjson or csv")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	query.Workspace, query.Limit = admission.RequestOf(c).Key.Workspace, exportPage
	first, err := a.Store.Audit(c.Request.Context(), query)
	if err != nil {
		return err
	}
	var w writer = lines{c}
	contentType, name := linesType, "audit.ndjson"
	if format == "csv" {
		w, contentType, name = table{csv.NewWriter(c.Writer)}, answer.CSVType, "audit.csv"
	}
	c.Header("Content-Type", contentType)
	c.Header("Content-Disposition", `attachment; filename="`+name+`"`)
	c.Header("Cache-Control", "no-store")
	c.Status(http.StatusOK)
	if err := a.stream(c, query, w, first); err != nil {
		a.cut(c, err)
	}
	return nil
}

// cut ends an answer that has begun: what came is known not to be whole.
func (a *audit) cut(c *gin.Context, err error) {
	_ = c.Error(err)
	panic(http.ErrAbortHandler)
}

// stream writes page after page.
func (a *audit) stream(c *gin.Context, query people.AuditQuery, w writer, page []people.AuditRecord) error {
	if err := w.begin(); err != nil {
		return fmt.Errorf("writing an export: %w", err)
	}
	for written := 0; len(page) > 0; {
		for i := range page {
			if err := w.write(page[i]); err != nil {
				return fmt.Errorf("writing an export: %w", err)
			}
		}
		if err := w.flush(); err != nil {
			return fmt.Errorf("writing an export: %w", err)
		}
		written += len(page)
		if len(page) < exportPage || written >= maxExported {
			return nil
		}
		query.Before = placeOf(page[len(page)-1])
		var err error
		if page, err = a.Store.Audit(c.Request.Context(), query); err != nil {
			return err
		}
	}
	return w.flush()
}

// lines writes JSON, a row a line.
type lines struct{ c *gin.Context }

func (l lines) begin() error { return nil }

func (l lines) write(r people.AuditRecord) error {
	_, err := l.c.Writer.Write(append(answer.Encode(viewRecord(r)), '\n'))
	return err
}

func (l lines) flush() error {
	l.c.Writer.Flush()
	return nil
}

type table struct{ to *csv.Writer }

func (t table) begin() error {
	return t.to.Write([]string{
		"id", "at", "action", "actor", "actorId", "actorName", "address", "subject", "subjectId", "subjectName", "changes",
	})
}

func (t table) write(r people.AuditRecord) error {
	changes := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		changes[i] = c.Field + ": " + c.Before + " → " + c.After
	}
	row := []string{
		r.ID.String(), answer.Time(r.At), r.Action, r.Actor.Kind.String(), r.Actor.ID, r.Actor.Name, r.Actor.Address,
		r.Subject.Type, r.Subject.ID, r.Subject.Name, strings.Join(changes, "; "),
	}
	for i := range row {
		row[i] = answer.Inert(row[i])
	}
	return t.to.Write(row)
}

func (t table) flush() error {
	t.to.Flush()
	return t.to.Error()
}
