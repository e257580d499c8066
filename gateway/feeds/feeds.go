package feeds

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/lists"
)

// Store is all that feeds ask of the database.
type Store interface {
	reader
	writer
}

// reader reads monitors.
type reader interface {
	// Monitors returns monitors in the order of their ids, after one.
	Monitors(ctx context.Context, workspace schema.WorkspaceID, after schema.MonitorID, limit int) ([]schema.Monitor, error)
	Monitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID) (schema.Monitor, error)
	// LeftOut reports whether a monitor finds nothing on a platform with a stream, since the
	// keywords of all workspaces have more than so many bytes, and its own has most of them.
	LeftOut(ctx context.Context, monitor schema.Monitor, platform schema.Platform, maximum int) (bool, error)
}

// writer creates and changes monitors, of which a workspace has a bounded number.
type writer interface {
	CreateMonitor(ctx context.Context, monitor schema.Monitor) error
	// UpdateMonitor calls change with the locked monitor and stores the result.
	UpdateMonitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID, change func(*schema.Monitor) error) (schema.Monitor, error)
	DeleteMonitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID) error
}

// ItemReader reads what monitors have found.
type ItemReader interface {
	// FeedItems returns what a monitor has found, the newest first, below a place.
	FeedItems(ctx context.Context, workspace schema.WorkspaceID, query schema.FeedItemQuery) ([]schema.MatchedItem, error)
}

// Vault opens credentials.
type Vault interface {
	Open(account schema.Account) (schema.Credentials, error)
}

// Config is what feeds are served with.
type Config struct {
	Store     Store
	Items     ItemReader
	Accounts  directory.Directories
	Platforms connectors.Resolver // asked to search
	Vault     Vault
	Now       func() time.Time
}

// Routes returns the operations of feeds.
func Routes(c Config) []admission.Route {
	f := &feeds{c}
	return []admission.Route{
		admission.Handle(http.MethodGet, "/feeds/search", schema.Read, f.search),
		admission.Handle(http.MethodGet, "/feeds/profile", schema.Read, f.profile),
		admission.Handle(http.MethodPost, "/feeds/keywords", schema.Write, body.WithForm(f.create)),
		admission.Handle(http.MethodGet, "/feeds/keywords", schema.Read, f.list),
		admission.Handle(http.MethodGet, "/feeds/keywords/:id", schema.Read, body.WithID("monitor", f.get)),
		admission.Handle(http.MethodPatch, "/feeds/keywords/:id", schema.Write, body.WithIDForm("monitor", f.update)),
		admission.Handle(http.MethodDelete, "/feeds/keywords/:id", schema.Write, body.WithID("monitor", f.delete)),
		admission.Handle(http.MethodGet, "/feeds/keywords/:id/items", schema.Read, body.WithID("monitor", f.items)),
	}
}

// feeds is the resource.
type feeds struct{ Config }

// create makes a monitor.
func (f *feeds) create(c *gin.Context, form *body.Form) error {
	fields := readFields(form)
	form.Require("name")
	form.Require("include")
	if err := form.Finish(); err != nil {
		return err
	}
	now := f.Now().UTC().Truncate(time.Millisecond)
	monitor := schema.Monitor{
		ID: schema.NewID[schema.MonitorID](now), Workspace: admission.RequestOf(c).Key.Workspace, Platforms: schema.StreamPlatforms(), CreatedAt: now, UpdatedAt: now,
	}
	if err := fields.apply(&monitor); err != nil {
		return err
	}
	if monitor.Searches() {
		monitor.Search = &schema.MonitorSearch{Until: now}
	}
	if err := f.Store.CreateMonitor(c.Request.Context(), monitor); err != nil {
		return err
	}
	f.warn(c, form.Report, monitor)
	return f.answer(c, http.StatusCreated, monitor, form.Report.Warnings)
}

// answer answers with a monitor, and warns where it finds nothing, as far as is known: the monitor is
// stored by now, and who is told of a fault makes it once more.
func (f *feeds) answer(c *gin.Context, status int, m schema.Monitor, warnings []schema.Detail) error {
	for _, p := range schema.StreamPlatforms() {
		left, err := f.Store.LeftOut(c.Request.Context(), m, p, schema.HeldKeywordBytes)
		if err == nil && left {
			warnings = append(warnings, schema.Detail{Field: "include", Platform: p.String(), Code: "monitor_left_out", Message: "the keywords of all " +
				"monitors are more than this server listens for, and this workspace has most of them: the monitor finds nothing on " + p.String()})
		}
	}
	return answer.Named(c, status, "monitor", viewMonitor(m), warnings)
}

// update changes what a request names of a monitor.
func (f *feeds) update(c *gin.Context, id schema.MonitorID, form *body.Form) error {
	fields := readFields(form)
	if err := form.Finish(); err != nil {
		return err
	}
	monitor, err := f.Store.UpdateMonitor(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, fields.apply)
	if err != nil {
		return err
	}
	f.warn(c, form.Report, monitor)
	return f.answer(c, http.StatusOK, monitor, form.Report.Warnings)
}

// warn says why a monitor finds nothing on a platform that has no stream, as far as is known at once.
func (f *feeds) warn(c *gin.Context, report *body.Report, m schema.Monitor) {
	if !m.Searches() {
		return
	}
	if m.Language != "" {
		report.Warn("language", "language_unknown", "threads does not tell the language of posts: the monitor finds nothing there")
	}
	works := func(a *schema.Account) bool { return a.Problem() == nil }
	found := false
	_, err := f.Accounts.Find(c.Request.Context(), m.Workspace, f.Now(), func(d *directory.Directory) bool {
		found = slices.ContainsFunc(d.On(schema.Threads), works)
		return found
	})
	if err == nil && !found {
		report.Warn("platforms", "account_missing", "threads is searched by an account of the workspace, and there is none that works: connect one")
	}
}

// delete removes a monitor.
func (f *feeds) delete(c *gin.Context, id schema.MonitorID) error {
	return admission.Remove(c, id, f.Store.DeleteMonitor, "the monitor was deleted; it finds nothing more")
}

// get answers with one monitor.
func (f *feeds) get(c *gin.Context, id schema.MonitorID) error {
	warnings, err := body.NoParameters(c)
	if err != nil {
		return err
	}
	monitor, err := f.Store.Monitor(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	return f.answer(c, http.StatusOK, monitor, warnings)
}

// list answers with a page of monitors, the oldest first.
func (f *feeds) list(c *gin.Context) error {
	q := body.NewQuery(c)
	limit := q.Integer("limit", body.DefaultLimit, body.MaxLimit)
	var after schema.MonitorID
	if text, ok := q.Text("cursor"); ok {
		var err error
		if after, err = schema.ParseID[schema.MonitorID](text); err != nil {
			q.Report.Fail("cursor", body.CodeInvalidValue, "must be the nextCursor of the page before")
		}
	}
	if err := q.Finish(); err != nil {
		return err
	}
	monitors, err := f.Store.Monitors(c.Request.Context(), admission.RequestOf(c).Key.Workspace, after, limit+1)
	if err != nil {
		return err
	}
	var next schema.MonitorID
	if len(monitors) > limit {
		monitors = monitors[:limit]
		next = monitors[limit-1].ID
	}
	views := map[string]any{"monitors": lists.Map(monitors, viewMonitor), "nextCursor": answer.IDOrNull(next)}
	return answer.Several(c, http.StatusOK, views, q.Report.Warnings)
}

// items answers with a page of what a monitor has found.
func (f *feeds) items(c *gin.Context, id schema.MonitorID) error {
	monitor, err := f.Store.Monitor(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	q := body.NewQuery(c)
	query := schema.FeedItemQuery{Monitor: monitor.ID, Platform: q.Platform("platform"), Limit: q.Integer("limit", body.DefaultLimit, body.MaxLimit)}
	if text, ok := q.Text("cursor"); ok && !readItemCursor(text, &query) {
		q.Report.Fail("cursor", body.CodeInvalidValue, "must be the nextCursor of the page before, of this monitor")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	limit := query.Limit
	query.Limit++
	found, err := f.Items.FeedItems(c.Request.Context(), monitor.Workspace, query)
	if err != nil {
		return err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = itemCursor(monitor.ID, &found[limit-1])
	}
	return showItems(c, lists.Map(found, viewItem), next, q.Report.Warnings)
}
