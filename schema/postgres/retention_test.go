package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
)

func TestPostsGoByTheMonthOnceTheyAreOldEnough(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	upload := f.upload()
	old, kept := f.usingUpload(upload), f.ended()
	draft := f.post(1, time.Hour)
	draft.Status = schema.Draft
	f.create(draft)
	f.exec(`update posts set updated_at = '2020-05-07Z', created_at = '2020-05-01Z' where id in ('` + uuidText(old.ID) + `', '` + uuidText(draft.ID) + `')`)
	f.exec(`update ended_posts set ended_at = '2020-05-07Z'`)
	f.archive()
	f.wantIn([3]int{1, 1, 0}, [3]int{2, 3, 0})

	if n := f.chore(f.reader().delay.ForgetPosts); n != 1+3 {
		t.Errorf("it came to %d rows, want a post's and three tables", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{1, 2, 0})
	if _, err := f.gateway.Post(t.Context(), f.workspace, old.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("the old post: %v", err)
	}
	for _, p := range []schema.Post{kept, draft} {
		if got := f.read(p); len(got.Targets) == 0 {
			t.Errorf("post %s is not whole", p.ID)
		}
	}
	if n := f.count(`select count(*) from media_uses`); n != 0 {
		t.Error("what only the old post used is used still")
	}
	if n := f.chore(f.reader().delay.ForgetPosts); n != 0 {
		t.Errorf("again it came to %d rows", n)
	}
}

// upload is media that nothing uses, and has expired.
func (f *fixture) upload() schema.MediaID {
	f.Helper()
	id := schema.NewMediaID(f.store.Now())
	f.exec(`insert into media (id, workspace_id, state, secret, facts, alt_text, file_name, created_at, expires_at)
		values ('` + uuidText(schema.PostID(id)) + `', '` + uuidText(schema.PostID(f.workspace)) + `', 1, '', '{}', '', '', now(), now())`)
	return id
}

// usingUpload is a post that was published with it.
func (f *fixture) usingUpload(id schema.MediaID) schema.Post {
	f.Helper()
	p := f.post(1, 0)
	p.Content.Entries[0].Media = []schema.Media{{MediaID: id}}
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	return p
}
