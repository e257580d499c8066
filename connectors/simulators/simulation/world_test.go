package simulation_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newWorld(journal *simulation.Journal) *simulation.World {
	return simulation.NewWorld(simulation.Config{
		Platform: schema.Mastodon,
		Now:      func() time.Time { return noon },
		Journal:  journal,
		BaseURL:  func() string { return "http://simulator.test/mastodon" },
	})
}

func add(t *testing.T, w *simulation.World, p simulation.Post) simulation.Post {
	t.Helper()
	stored, _, err := w.Add(p)
	if err != nil {
		t.Fatalf("Add: %v", err)
	}
	return stored
}

func ids(posts []simulation.Post) []string {
	var all []string
	for _, p := range posts {
		all = append(all, p.ID)
	}
	return all
}

func TestAccountFollowsFromItsCredential(t *testing.T) {
	first, second := newWorld(nil), newWorld(nil)
	if once, again := first.Account("a"), first.Account("a"); once != again {
		t.Error("one credential is two accounts")
	}
	if first.Account("a").ID == first.Account("b").ID {
		t.Error("two credentials are one account")
	}
	if got, want := second.Account("a").ID, first.Account("a").ID; got != want {
		t.Errorf("in another run the account is %s, was %s", got, want)
	}
}

func TestNewIDAscendsThoughTheClockStands(t *testing.T) {
	w := newWorld(nil)
	var ids [4][]int64
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			for range 500 {
				ids[i] = append(ids[i], w.NewID())
			}
		})
	}
	group.Wait()
	for _, ids := range ids {
		if !slices.IsSorted(ids) {
			t.Error("ids of one caller do not ascend")
		}
	}
	all := slices.Concat(ids[:]...)
	slices.Sort(all)
	if distinct := len(slices.Compact(all)); distinct != 4*500 {
		t.Errorf("%d distinct ids of %d", distinct, 4*500)
	}
	if last := all[len(all)-1]; last >= 1<<53 {
		t.Errorf("id %d is no exact JSON number", last)
	}
}

func TestAddFillsIn(t *testing.T) {
	w := newWorld(nil)
	p := add(t, w, simulation.Post{Account: "a", Text: "hello"})
	if p.ID == "" || !p.CreatedAt.Equal(noon) || p.Platform != schema.Mastodon {
		t.Errorf("stored %+v", p)
	}
	if got, ok := w.Post("a", p.ID); !ok || got.Text != "hello" {
		t.Errorf("Post = %+v, %t", got, ok)
	}
	if _, ok := w.Post("b", p.ID); ok {
		t.Error("another account has the post too")
	}
}

func TestAddOfAKeyIsOnce(t *testing.T) {
	w := newWorld(nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	times := 0
	for i := range 32 {
		group.Go(func() {
			_, added, err := w.Add(simulation.Post{Account: "a", Key: "k", Text: fmt.Sprint(i)})
			if err != nil {
				t.Errorf("Add: %v", err)
			}
			if added {
				mu.Lock()
				times++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if posts := w.Posts(); times != 1 || len(posts) != 1 {
		t.Errorf("added %d times, %d posts", times, len(posts))
	}
	if _, added, _ := w.Add(simulation.Post{Account: "b", Key: "k"}); !added {
		t.Error("another account's key stood in the way")
	}
	if p, ok := w.PostOfKey("b", "k"); !ok || p.Account != "b" {
		t.Errorf("PostOfKey = %+v, %t", p, ok)
	}
}

func TestNewestIsOfOneAccountAndBackwards(t *testing.T) {
	w := newWorld(nil)
	first := add(t, w, simulation.Post{Account: "a"})
	add(t, w, simulation.Post{Account: "b"})
	second := add(t, w, simulation.Post{Account: "a"})
	newest := w.Newest("a")
	add(t, w, simulation.Post{Account: "a"})
	if got, want := ids(slices.Collect(newest)), []string{second.ID, first.ID}; !slices.Equal(got, want) {
		t.Errorf("Newest = %v, want %v", got, want)
	}
}

func TestResetForgets(t *testing.T) {
	w := newWorld(nil)
	account := w.Account("a").ID
	before := add(t, w, simulation.Post{Account: account, Key: "k"})
	upload, err := w.PutUpload(simulation.Upload{Account: account})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Reset(); err != nil {
		t.Fatalf("Reset: %v", err)
	}
	if _, ok := w.Upload(upload.ID); ok || len(w.Posts()) != 0 {
		t.Error("something is left")
	}
	if after := add(t, w, simulation.Post{Account: account, Key: "k"}); after.ID <= before.ID {
		t.Errorf("id %s after %s", after.ID, before.ID)
	}
	if w.Account("a").ID != account {
		t.Error("the account is another")
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, folder := range map[string]string{"memory": "", "journal": b.TempDir()} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(openJournal(b, folder))
			for i := 0; b.Loop(); i++ {
				p := simulation.Post{Account: fmt.Sprint(i % 1000), Key: fmt.Sprint(i), Text: "a post of usual length"}
				if _, added, err := w.Add(p); !added || err != nil {
					b.Fatal(added, err)
				}
			}
		})
	}
}
