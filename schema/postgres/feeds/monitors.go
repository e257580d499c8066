// Package feeds keeps monitors, what they have found, and how far streams were read.
package feeds

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Store keeps monitors and streams.
type Store struct{ *db.DB }

// New returns the store of monitors and streams.
func New(d *db.DB) *Store { return &Store{d} }

func scanMonitor(row pgx.Row, m *schema.Monitor) error {
	return scanSearched(row, m)
}

// scanSearched reads {monitor_columns}, and further columns where to put them is given.
func scanSearched(row pgx.Row, m *schema.Monitor, further ...any) error {
	var platforms []int16
	var until *time.Time
	var problem string
	err := row.Scan(append([]any{
		(*[16]byte)(&m.ID), (*[16]byte)(&m.Workspace), &m.Name, &m.Include, &m.Exclude, &m.Language, &platforms, &m.Paused, &m.CreatedAt, &m.UpdatedAt,
		&until, &problem,
	}, further...)...)
	for _, p := range platforms {
		m.Platforms = append(m.Platforms, schema.Platform(p))
	}
	if until != nil {
		m.Search = &schema.MonitorSearch{Until: *until, Problem: problem}
	}
	return err
}

// Monitors returns monitors of a workspace in the order of their ids, after one.
func (s *Store) Monitors(ctx context.Context, workspace schema.WorkspaceID, after schema.MonitorID, limit int) ([]schema.Monitor, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select {monitor_columns} from monitors m left join searches s on s.monitor_id = m.id where m.workspace_id = $1 and m.id > coalesce($2::uuid, {no_id}) order by m.id limit $3`),
		workspace, after, limit)
	monitors, err := db.Collect(rows, err, scanMonitor)
	return monitors, db.Wrap(err, "reading monitors")
}

// Monitor returns a monitor of a workspace.
func (s *Store) Monitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID) (schema.Monitor, error) {
	var m schema.Monitor
	row := s.Pool.QueryRow(ctx, sql.Text(`select {monitor_columns} from monitors m left join searches s on s.monitor_id = m.id where m.id = $1 and m.workspace_id = $2`), id, workspace)
	return m, db.OrNotFound(scanMonitor(row, &m), "monitor")
}

// CreateMonitor stores a new monitor, unless the workspace has as many as it may.
func (s *Store) CreateMonitor(ctx context.Context, m schema.Monitor) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		sandbox, err := lockWorkspace(ctx, tx, m.Workspace)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			insert into monitors (id, workspace_id, sandbox, name, include, exclude, language, platforms, paused, created_at, updated_at)
			values (@id, @workspace, @sandbox, @name, @include, @exclude, @language, @platforms, @paused, @created, @created)`,
			arguments(m, sandbox)); err != nil {
			return err
		}
		if err := s.beginSearch(ctx, tx, m, sandbox); err != nil {
			return err
		}
		if err := audit.Write(ctx, tx, s.Now(), entry(m, schema.Monitor{})); err != nil {
			return err
		}
		return changed(ctx, tx, m.Workspace, sandbox, true)
	})
	return db.Wrap(db.OrNotFound(err, "workspace"), "creating a monitor")
}

func arguments(m schema.Monitor, sandbox bool) pgx.StrictNamedArgs {
	platforms := lists.Map(m.Platforms, func(p schema.Platform) int16 { return int16(p) })
	return pgx.StrictNamedArgs{
		"id": m.ID, "workspace": m.Workspace, "sandbox": sandbox, "name": m.Name, "include": nonNil(m.Include), "exclude": nonNil(m.Exclude),
		"language": m.Language, "platforms": platforms, "paused": m.Paused, "created": m.CreatedAt,
	}
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// lockWorkspace lets one change at a time count a workspace's monitors.
func lockWorkspace(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) (sandbox bool, err error) {
	err = tx.QueryRow(ctx, `
		select live_id is not null from workspaces where id = $1 and deleting_at is null for no key update`, workspace).Scan(&sandbox)
	return sandbox, err
}

// changed has monitors read again. A change that made more of them is refused where there are
// more than a workspace may have.
func changed(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, sandbox, more bool) error {
	var monitors, bytes int
	err := tx.QueryRow(ctx, `
		with raised as (update monitor_changes set revision = revision + 1 where sandbox = $2)
		select count(*), coalesce(sum(octet_length(array_to_string(include || exclude, ''))), 0) from monitors where workspace_id = $1`,
		workspace, sandbox).Scan(&monitors, &bytes)
	switch {
	case err != nil || !more:
		return err
	case monitors > schema.MaxMonitors:
		return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("the workspace has %d monitors, as many as it may; delete one first", schema.MaxMonitors)}
	case bytes > schema.MaxKeywordBytes:
		return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("the keywords of the workspace's monitors have more than %d bytes together; delete some first", schema.MaxKeywordBytes)}
	}
	return nil
}

// UpdateMonitor runs change on the locked monitor and stores what it made of it. What it has
// found stays. UpdatedAt is when what it looks for was changed: a new name leaves it.
func (s *Store) UpdateMonitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID, change func(*schema.Monitor) error) (schema.Monitor, error) {
	var m schema.Monitor
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		sandbox, err := lockWorkspace(ctx, tx, workspace)
		if err != nil {
			return err
		}
		row := tx.QueryRow(ctx, sql.Text(`select {monitor_columns} from monitors m left join searches s on s.monitor_id = m.id where m.id = $1 and m.workspace_id = $2 for no key update of m`), id, workspace)
		if err := scanMonitor(row, &m); err != nil {
			return err
		}
		before := m
		if err := change(&m); err != nil {
			return err
		}
		if !m.LooksAs(before) {
			m.UpdatedAt = s.Now()
		}
		given := arguments(m, sandbox)
		delete(given, "workspace")
		delete(given, "sandbox")
		delete(given, "created")
		given["updated"] = m.UpdatedAt
		more := m.KeywordBytes() > before.KeywordBytes()
		if _, err := tx.Exec(ctx, `
			update monitors set name = @name, include = @include, exclude = @exclude, language = @language, platforms = @platforms,
				paused = @paused, updated_at = @updated
			where id = @id`, given); err != nil {
			return err
		}
		if err := s.changeSearch(ctx, tx, &m, before, sandbox); err != nil {
			return err
		}
		if err := audit.Write(ctx, tx, s.Now(), entry(m, before)); err != nil {
			return err
		}
		return changed(ctx, tx, workspace, sandbox, more)
	})
	return m, db.OrNotFound(err, "monitor")
}

// DeleteMonitor removes a monitor, which finds nothing more.
func (s *Store) DeleteMonitor(ctx context.Context, workspace schema.WorkspaceID, id schema.MonitorID) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		sandbox, err := lockWorkspace(ctx, tx, workspace)
		if err != nil {
			return err
		}
		var name string
		err = tx.QueryRow(ctx, `delete from monitors where id = $1 and workspace_id = $2 returning name`, id, workspace).Scan(&name)
		if err == nil {
			err = audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("monitor", id, name)})
		}
		if err != nil {
			return err
		}
		return changed(ctx, tx, workspace, sandbox, false)
	})
	return db.OrNotFound(err, "monitor")
}

// entry is what the audit log says of a monitor that is made, or changed.
func entry(m, before schema.Monitor) audit.Entry {
	return audit.Entry{Workspace: m.Workspace, Subject: audit.Of("monitor", m.ID, m.Name), Changes: audit.Differences(
		people.Change{Field: "name", Before: before.Name, After: m.Name},
		people.Change{Field: "keywords", Before: strings.Join(before.Include, ", "), After: strings.Join(m.Include, ", ")},
		people.Change{Field: "excluded", Before: strings.Join(before.Exclude, ", "), After: strings.Join(m.Exclude, ", ")},
		people.Change{Field: "paused", Before: strconv.FormatBool(before.Paused), After: strconv.FormatBool(m.Paused)},
	)}
}
