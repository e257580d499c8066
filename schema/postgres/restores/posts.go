package restores

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// KnownPost is a post that a restore holds, with what is known of it.
type KnownPost struct {
	Known
	schema.Post
	Findings []schema.Finding
}

// Posts returns posts that the restore holds and that are selected, after one by their ids, at most limit.
func (s *Store) Posts(ctx context.Context, r *schema.Restore, of schema.HeldSelection, after schema.PostID, limit int) (posts []KnownPost, err error) {
	var known []Known
	for at, more := [16]byte(after), true; more && len(known) < limit; {
		var page []Known
		if page, at, more, err = Page(ctx, s.Pool, r, of, at); err != nil {
			return nil, db.Wrap(err, "reading posts that a restore holds")
		}
		known = append(known, page...)
	}
	posts, err = s.withContent(ctx, known[:min(limit, len(known))])
	return posts, db.Wrap(err, "reading posts that a restore holds")
}

// withContent adds posts and findings. What ended meanwhile is left out.
func (s *Store) withContent(ctx context.Context, known []Known) ([]KnownPost, error) {
	ids := lists.Map(known, func(k Known) schema.PostID { return k.ID })
	rows, err := s.Pool.Query(ctx, sql.Text(`select {post_columns} from posts p where p.id = any($1)`), ids)
	read, err := db.Collect(rows, err, tables.ScanPost)
	if err == nil {
		err = tables.AddTargets(ctx, s.Pool, read)
	}
	if err != nil {
		return nil, err
	}
	rows, err = s.Pool.Query(ctx, `
		select post_id, n, kind, at, native_id, url from restore_findings where post_id = any($1) order by post_id, at, kind, n`, ids)
	findings, err := db.Collect(rows, err, func(row pgx.Row, f *schema.Finding) error {
		return row.Scan((*[16]byte)(&f.Post), &f.N, &f.Kind, &f.At, &f.NativeID, &f.URL)
	})
	if err != nil {
		return nil, err
	}
	byID, found := map[schema.PostID]schema.Post{}, map[schema.PostID][]schema.Finding{}
	for _, p := range read {
		byID[p.ID] = p
	}
	for _, f := range findings {
		found[f.Post] = append(found[f.Post], f)
	}
	var all []KnownPost
	for _, k := range known {
		if p, ok := byID[k.ID]; ok {
			all = append(all, KnownPost{k, p, found[k.ID]})
		}
	}
	return all, nil
}

// AccountLook is how the look at an account's posts came out.
type AccountLook struct {
	Account schema.AccountID
	Error   string
}

// Looks is how far the looks at the platforms are.
type Looks struct {
	Accounts  int           // that are connected
	Done      int           // of them
	NotListed int           // those of platforms that show nobody what they have
	Failed    []AccountLook // those that could not be looked at, at most some
}

// maxFailed is how many of the accounts that could not be looked at are named.
const maxFailed = 100

// Looks returns how far the looks at the platforms are.
func (s *Store) Looks(ctx context.Context, r *schema.Restore) (l Looks, err error) {
	err = s.Pool.QueryRow(ctx, `
		select count(*), count(*) filter (where l.looked_upto > '-infinity'), count(*) filter (where l.looked_upto = '-infinity')
		from accounts a left join restore_looks l on l.account_id = a.id where a.disconnected_at is null and a.created_at < $1`,
		r.MarkedAt).Scan(&l.Accounts, &l.Done, &l.NotListed)
	if err == nil {
		var rows pgx.Rows
		rows, err = s.Pool.Query(ctx, `select account_id, error from restore_looks where error <> '' order by account_id limit $1`, maxFailed)
		l.Failed, err = db.Collect(rows, err, func(row pgx.Row, a *AccountLook) error { return row.Scan((*[16]byte)(&a.Account), &a.Error) })
	}
	return l, db.Wrap(err, "reading how far the looks are")
}
