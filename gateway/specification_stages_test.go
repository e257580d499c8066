package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/postgres"
)

// make makes a post or a thread and returns its path.
func (b *bench) make(r request) string {
	b.Helper()
	answer := b.send(r).Want(http.StatusCreated)
	if id := answer.At("thread", "id").Text(); id != "" {
		return "/threads/" + id
	}
	return "/posts/" + answer.At("post", "id").Text()
}

// scheduled is the creation of a post for mastodon in an hour, except for the changes.
func (b *bench) scheduled(changes string) request {
	return newPost(`{"status": null, "scheduledFor": "` + b.In(time.Hour) + `"}`).with(changes)
}

// idOf returns the post that a path of a post or thread is about.
func (b *bench) idOf(path string) schema.PostID {
	b.Helper()
	_, suffix, _ := strings.Cut(path, "_")
	id, err := schema.ParseID[schema.PostID]("post_" + suffix)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// due fails the test unless the post's job is due a while after a time of this bench, whose
// clock stands still or is the database's.
func (b *bench) due(path string, want time.Duration) {
	b.Helper()
	var at time.Time
	err := b.database.QueryRow(context.Background(), `select due_at from jobs where id = $1`, b.idOf(path)).Scan(&at)
	if err != nil {
		b.Fatal(err)
	}
	before := at.Add(-want)
	if before.Before(b.began.Add(-time.Minute)) || before.After(b.Store.Now().Add(time.Minute)) {
		b.Errorf("due at %s, want %s after a time from %s until now", at, want, b.began)
	}
}

// exec changes the database behind everybody's back.
func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.database.Exec(context.Background(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

// count reads one number of the database.
func (b *bench) count(sql string, args ...any) (n int) {
	b.Helper()
	if err := b.database.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func (b *bench) cancelled() string {
	b.Helper()
	path := b.make(b.scheduled(`{"content": "c"}`))
	b.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	return path
}

// onTwo is the creation of a post for mastodon and bluesky, due now.
func onTwo(content string) request {
	return newPost(`{"status": null, "publishNow": true, "content": "` + content + `", "platforms": ["mastodon", "bluesky"], "firstComment": "c"}`)
}

func (b *bench) processingPost() string {
	b.Helper()
	path := b.make(onTwo("o"))
	b.publish(path, 0, b.posts)
	return path
}

func (b *bench) postedPost() string {
	b.Helper()
	path := b.make(onTwo("p"))
	b.publish(path, 0, b.posts)
	b.publish(path, 1, b.posts)
	return path
}

func (b *bench) failedPost() string {
	b.Helper()
	path := b.make(onTwo("f"))
	b.publish(path, 0, refuses)
	b.publish(path, 1, refuses)
	return path
}

func (b *bench) partlyPosted() string {
	b.Helper()
	path := b.make(onTwo("h"))
	b.publish(path, 0, b.posts)
	b.publish(path, 1, refuses)
	return path
}

// outcome is what a platform makes of an entry of a target.
type outcome func(n int16, entry int) schema.Outcome

func (b *bench) posts(n int16, entry int) schema.Outcome {
	return schema.Outcome{Receipt: schema.Receipt{
		NativeID: fmt.Sprintf("n%d-%d", n, entry), URL: fmt.Sprintf("https://native.example/%d/%d", n, entry), PostedAt: b.Store.Now(),
	}}
}

func refuses(int16, int) schema.Outcome {
	return schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no links here"}}
}

// publish takes a target of a post through its entries until it is done, as the pipeline
// does, and returns how long it waited before each entry.
func (b *bench) publish(path string, n int16, becomes outcome) (pauses []time.Duration) {
	b.Helper()
	ctx := context.Background()
	store := postgres.NewPublish(b.Store, catalog.Constraints)
	ref := schema.TargetRef{Post: b.idOf(path), N: n}
	ref.Version = int32(b.count(`select version from posts where id = $1`, ref.Post)) //nolint:gosec // it is an int4
	for range 100 {
		b.exec(`update targets set next_at = null where post_id = $1 and n = $2`, ref.Post, ref.N)
		claimed, err := store.Claim(ctx, []schema.TargetRef{ref})
		if err != nil {
			b.Fatal(err)
		}
		if len(claimed) == 0 {
			return pauses
		}
		o := schema.Outcome{Progress: schema.Progress{Ready: true}}
		if claimed[0].Step != schema.StepPrepare {
			o = becomes(n, claimed[0].Entry)
		}
		result := claimed[0].After(o, b.Store.Now(), 0)
		if claimed[0].Step != schema.StepPrepare {
			pauses = append(pauses, result.NextIn)
		}
		if err := store.Finish(ctx, result); err != nil {
			b.Fatal(err)
		}
	}
	b.Fatal("the target does not end")
	return nil
}

// comment makes the first comments of a post's first target come to an end.
func (b *bench) comment(path string, state schema.CommentState) {
	b.Helper()
	b.exec(`update comments set state = $2, native_id = 'c1', url = 'https://native.example/c1', posted_at = now() where post_id = $1 and n = 0`,
		b.idOf(path), int16(state))
}
