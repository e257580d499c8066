package feeds

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// changeSearch has a changed monitor searched for as it is. Only other words are searched for again:
// what was found with the words is filtered here, and each search is taken from a day's few.
func (s *Store) changeSearch(ctx context.Context, tx pgx.Tx, m *schema.Monitor, before schema.Monitor, sandbox bool) error {
	switch {
	case !m.Searches():
		m.Search = nil
		_, err := tx.Exec(ctx, `delete from searches where monitor_id = $1`, m.ID)
		return err
	case !before.Searches() || !slices.Equal(m.Include, before.Include):
		m.Search = &schema.MonitorSearch{Until: m.UpdatedAt}
		return s.beginSearch(ctx, tx, *m, sandbox)
	case m.Language != before.Language: // with one nothing can be found, which was not to be asked again soon
		m.Search = &schema.MonitorSearch{Until: m.Search.Until}
		_, err := tx.Exec(ctx, `
			update searches s set problem = '',
				due_at = least(due_at, @now::timestamptz + (select count(*) from searches b where b.workspace_id = s.workspace_id) * @pace::interval)
			where monitor_id = @monitor`,
			pgx.StrictNamedArgs{"monitor": m.ID, "now": m.UpdatedAt, "pace": schema.SearchPace.String()})
		return err
	default:
		return nil
	}
}

// beginSearch has a monitor searched for from now on, where it looks at a platform without a stream.
// Who is new waits for a turn as all others of the workspace do.
func (s *Store) beginSearch(ctx context.Context, tx pgx.Tx, m schema.Monitor, sandbox bool) error {
	if !m.Searches() {
		return nil
	}
	_, err := tx.Exec(ctx, `
		insert into searches (monitor_id, workspace_id, sandbox, due_at, read_until, began_at)
		select @monitor, @workspace, @sandbox, @now::timestamptz + (1 + count(*)) * @pace::interval, @now, @now
		from searches where workspace_id = @workspace
		on conflict (monitor_id) do update set
			read_until = @now, began_at = @now, due_at = least(searches.due_at, excluded.due_at), keyword = 0, page = 0, place = '', problem = ''`,
		pgx.StrictNamedArgs{"monitor": m.ID, "workspace": m.Workspace, "sandbox": sandbox, "now": m.UpdatedAt, "pace": schema.SearchPace.String()})
	return err
}

// DueSearches returns the monitors whose turn it is to be searched for, the longest due first.
func (s *Store) DueSearches(ctx context.Context, sandbox bool, limit int) ([]schema.SearchStep, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select {monitor_columns}, s.read_until, s.began_at, s.keyword, s.page, s.place, s.due_at,
			(select count(*) from searches b where b.workspace_id = s.workspace_id)
		from searches s join monitors m on m.id = s.monitor_id join workspaces w on w.id = m.workspace_id
		where s.sandbox = $1 and s.due_at <= $2 and w.deleting_at is null
		order by s.due_at limit $3`), sandbox, s.Now(), limit)
	due, err := db.Collect(rows, err, func(row pgx.Row, step *schema.SearchStep) error {
		return scanSearched(row, &step.Monitor, &step.Until, &step.Began, &step.Keyword, &step.Page, &step.Place, &step.NextAt, &step.Sharing)
	})
	return due, db.Wrap(err, "reading what is to be searched")
}

// maxSearching is how many accounts of a workspace are tried to search with.
const maxSearching = 5

// SearchAccounts returns the accounts of a workspace on a platform that work, the oldest first.
func (s *Store) SearchAccounts(ctx context.Context, workspace schema.WorkspaceID, platform schema.Platform) ([]schema.Account, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select {account_columns} from accounts a join workspaces w on w.id = a.workspace_id
		where a.workspace_id = $1 and a.platform = $2 and a.disconnected_at is null and a.ended = $3 and not a.needs_reconnect
		order by a.id limit $4`), workspace, int16(platform), int16(schema.NotEnded), maxSearching)
	accounts, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Account) error { return tables.ScanAccount(row, a) })
	return accounts, db.Wrap(err, "reading the accounts to search with")
}

// AdvanceSearch stores how far a monitor was searched for with what was found, in one transaction
// that also prolongs the claim. Nothing is stored where the monitor was changed since the step was
// read, or another process has the claim: held is false then.
func (s *Store) AdvanceSearch(ctx context.Context, claim schema.StreamClaim, step schema.SearchStep, finds []schema.Find) (found int, held bool, err error) {
	err = s.Announcing(ctx, "storing what a search has found", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		if held, err = advance(ctx, tx, claim); err != nil || !held {
			return announcement, err
		}
		tag, err := tx.Exec(ctx, `
			update searches s set read_until = @until, began_at = @began, keyword = @keyword, page = @page, place = @place, due_at = @next,
				problem = @problem
			from monitors m where s.monitor_id = @monitor and m.id = s.monitor_id and m.updated_at = @version`, pgx.StrictNamedArgs{
			"until": step.Until, "began": step.Began, "keyword": step.Keyword, "page": step.Page, "place": step.Place, "next": step.NextAt,
			"problem": step.Problem, "monitor": step.Monitor.ID, "version": step.Monitor.UpdatedAt,
		})
		if err != nil || tag.RowsAffected() == 0 {
			return announcement, err
		}
		found, announcement, err = s.keep(ctx, tx, finds)
		return announcement, err
	})
	if err != nil {
		found = 0 // nothing is stored
	}
	return found, held, err
}
