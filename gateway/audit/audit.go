// Package audit is the resource of who changed what. Nothing of it can be changed by the API.
package audit

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/cursor"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/spelling"
)

// Store is all that the audit log asks of the database.
type Store interface {
	// Audit returns a page, the newest rows first.
	Audit(ctx context.Context, query people.AuditQuery) ([]people.AuditRecord, error)
}

// Config is what the audit log is served with.
type Config struct {
	Store   Store
	Cursors cursor.Cursors
}

// exportLimit is how long an export may take.
const exportLimit = 5 * time.Minute

// Routes returns the operations of the audit log.
func Routes(c Config) []admission.Route {
	a := &audit{c}
	return []admission.Route{
		admission.Handle(http.MethodGet, "/audit", schema.Admin, a.list),
		admission.Handle(http.MethodGet, "/audit/export", schema.Admin, a.export).Carrying(exportLimit),
		admission.HandleOperator(http.MethodGet, "/audit/installation", a.listInstallation),
	}
}

type audit struct{ Config }

// recordView is a row as it is shown.
type recordView struct {
	ID      schema.AuditID  `json:"id"`
	At      answer.Moment   `json:"at"`
	Action  string          `json:"action"`
	Actor   actorView       `json:"actor"`
	Subject subjectView     `json:"subject"`
	Changes []people.Change `json:"changes"`
}

type actorView struct {
	Kind    people.ActorKind `json:"kind"`
	ID      *string          `json:"id"`
	Name    *string          `json:"name"`
	Address *string          `json:"address"`
}

type subjectView struct {
	Type string  `json:"type"`
	ID   *string `json:"id"`
	Name *string `json:"name"`
}

func viewRecord(r people.AuditRecord) recordView {
	return recordView{
		ID: r.ID, At: answer.Moment(r.At), Action: r.Action, Changes: r.Changes,
		Actor:   actorView{r.Actor.Kind, answer.TextOrNull(r.Actor.ID), answer.TextOrNull(r.Actor.Name), answer.TextOrNull(r.Actor.Address)},
		Subject: subjectView{r.Subject.Type, answer.TextOrNull(r.Subject.ID), answer.TextOrNull(r.Subject.Name)},
	}
}

// list answers with a page of a workspace's rows.
func (a *audit) list(c *gin.Context) error { return a.page(c, admission.RequestOf(c).Key.Workspace) }

// listInstallation answers with a page of what is no workspace's: users, sessions, passwords.
func (a *audit) listInstallation(c *gin.Context) error { return a.page(c, schema.WorkspaceID{}) }

func (a *audit) page(c *gin.Context, workspace schema.WorkspaceID) error {
	q := body.NewQuery(c)
	query := read(q)
	query.Workspace = workspace
	part := a.Cursors.Read(q, "audit of "+workspace.String())
	part.From(&query.Before)
	if q.Has("page") {
		q.Report.Fail("page", body.CodeInvalidValue, "goes on by cursor alone")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	query.Limit = part.Limit + 1
	found, err := a.Store.Audit(c.Request.Context(), query)
	if err != nil {
		return err
	}
	var last any
	if len(found) > part.Limit {
		found = found[:part.Limit]
		last = placeOf(found[len(found)-1])
	}
	pagination, err := part.Paginate(len(found), last)
	if err != nil {
		return err
	}
	views := map[string]any{"records": lists.Map(found, viewRecord), "nextCursor": answer.TextOrNull(pagination.NextCursor)}
	return answer.Several(c, http.StatusOK, views, q.Report.Warnings)
}

func placeOf(r people.AuditRecord) people.AuditPlace { return people.AuditPlace{At: r.At, ID: r.ID} }

// maxFilter bounds a filter, in bytes: ids are shorter.
const maxFilter = 100

// read reads what is asked for.
func read(q *body.Query) people.AuditQuery {
	query := people.AuditQuery{Actor: actor(q), Action: action(q), Subject: filter(q, "subject")}
	query.From, query.To = q.Time("from"), q.Time("to")
	if !query.From.IsZero() && !query.To.IsZero() && !query.From.Before(query.To) {
		q.Report.Fail("to", body.CodeInvalidValue, "must be after from")
	}
	return query
}

// actor reads who the rows are of: a kind, or an id, of which nobody is told whether there is one.
func actor(q *body.Query) string {
	text := filter(q, "actor")
	_, notUser := schema.ParseID[schema.UserID](text)
	_, notKey := schema.ParseID[schema.KeyID](text)
	if text != "" && people.ParseActorKind(text) == 0 && notUser != nil && notKey != nil {
		q.Report.Fail("actor", body.CodeInvalidValue, "must be the id of a user or a key, or one of "+strings.Join(people.ActorKinds(), ", "))
	}
	return text
}

// action reads what was done in the rows: an action, or the first part of several.
func action(q *body.Query) string {
	text := filter(q, "action")
	group, _, isWhole := strings.Cut(text, ".")
	known := people.ActionsOf(group)
	switch {
	case text == "" || people.IsAction(text) || !isWhole && len(known) > 0:
	case len(known) > 0:
		q.Report.Fail("action", body.CodeInvalidValue, "must be "+group+", or one of "+strings.Join(known, ", "))
	default:
		groups := people.ActionGroups()
		q.Report.Fail("action", body.CodeInvalidValue,
			"must be an action, such as key.create, or the first part of one: "+strings.Join(groups, ", ")+spelling.DidYouMean(group, groups))
	}
	return text
}

func filter(q *body.Query, name string) string {
	text, ok := q.Word(name)
	if ok && (text == "" || len(text) > maxFilter) {
		q.Report.Fail(name, body.CodeInvalidValue, "must be an id or a word, as the rows have them")
		return ""
	}
	return text
}
