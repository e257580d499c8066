package postgrestest

import (
	"context"

	"crier/schema"
)

// EndedPost is a post with one target that was posted, and one that was refused.
func (f *Fixture) EndedPost() schema.Post {
	f.Helper()
	p := f.Create(f.Post(2, 0))
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "native " + p.ID.String()}})
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	return p
}

// AgeEnded makes what has ended older by an interval.
func (f *Fixture) AgeEnded(interval string) {
	f.Helper()
	f.Exec(`update ended_posts set ended_at = ended_at - interval '` + interval + `'`)
	f.Exec(`update posts set updated_at = updated_at - interval '` + interval + `', created_at = created_at - interval '` + interval + `'`)
}

// Archive moves what has ended to history and returns how many posts.
func (f *Fixture) Archive() int {
	f.Helper()
	return f.RunChore(f.Delay.Archive)
}

// ExpiredUpload is media that nothing uses, and has expired.
func (f *Fixture) ExpiredUpload() schema.MediaID {
	f.Helper()
	id := schema.NewID[schema.MediaID](f.Store.Now())
	f.Exec(`insert into media (id, workspace_id, state, secret, facts, alt_text, file_name, created_at, expires_at)
		values ('` + UUIDText(schema.PostID(id)) + `', '` + UUIDText(schema.PostID(f.Workspace)) + `', 1, '', '{}', '', '', now(), now())`)
	return id
}

// RunChore runs a chore's chunks until none is left, and returns the number of rows.
func (f *Fixture) RunChore(do func(context.Context) (rows int, more bool, err error)) (rows int) {
	f.Helper()
	for more := true; more; {
		n, next, err := do(f.Context())
		if err != nil {
			f.Error(err) // not Fatal, which is for the test's own goroutine alone
			return rows
		}
		rows, more = rows+n, next
	}
	return rows
}

// DeleteCollections deletes the jobs of collections, which a sweep makes for each account.
func (f *Fixture) DeleteCollections() {
	f.Helper()
	f.Exec(`delete from jobs where id in (select id from collections)`)
}

// Sweep makes a whole pass of each sweep, and returns what they repaired.
func (f *Fixture) Sweep() map[string]int {
	f.Helper()
	f.Exec(`update sweeps set ended_at = '-infinity'`) // none rests
	all := map[string]int{}
	for _, over := range schema.Sweeps() {
		f.RunChore(func(ctx context.Context) (rows int, more bool, err error) {
			repaired, more, err := f.Delay.Sweep(ctx, over)
			for kind, n := range repaired {
				all[kind] += n
			}
			return Sum(repaired), more, err
		})
	}
	return all
}

// Sum adds up what a sweep repaired.
func Sum(repaired map[string]int) (n int) {
	for _, rows := range repaired {
		n += rows
	}
	return n
}
