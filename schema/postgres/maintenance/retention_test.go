package maintenance_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestPostsGoByTheMonthOnceTheyAreOldEnough(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	upload := f.ExpiredUpload()
	old, young := f.usingUpload(upload), f.EndedPost()
	draft := f.Post(1, time.Hour)
	draft.Status = schema.Draft
	f.Create(draft)
	f.Exec(`update posts set updated_at = '2020-05-07Z', created_at = '2020-05-01Z' where id in ('` + postgrestest.UUIDText(old.ID) + `', '` + postgrestest.UUIDText(draft.ID) + `')`)
	f.Exec(`update ended_posts set ended_at = '2020-05-07Z'`)
	f.Archive()
	f.wantIn([3]int{1, 1, 0}, [3]int{2, 3, 0})

	if n := f.RunChore(f.NewReader().Delay.ForgetPosts); n != 1+3 {
		t.Errorf("it came to %d rows, want a post's and three tables", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{1, 2, 0})
	if _, err := f.Gateway.Post(t.Context(), f.Workspace, old.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("the old post: %v", err)
	}
	for _, p := range []schema.Post{young, draft} {
		if got := f.Read(p); len(got.Targets) == 0 {
			t.Errorf("post %s is not whole", p.ID)
		}
	}
	if n := f.Count(`select count(*) from media_uses`); n != 0 {
		t.Error("what only the old post used is used still")
	}
	if n := f.RunChore(f.NewReader().Delay.ForgetPosts); n != 0 {
		t.Errorf("again it came to %d rows", n)
	}
}

// usingUpload is a post that was published with it.
func (f *fixture) usingUpload(id schema.MediaID) schema.Post {
	f.Helper()
	p := f.Post(1, 0)
	p.Content.Entries[0].Media = []schema.Media{{MediaID: id}}
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	return p
}
