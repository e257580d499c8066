package simulation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// openJournal opens the journal of a folder; none for an empty name.
func openJournal(t testing.TB, folder string) *simulation.Journal {
	t.Helper()
	if folder == "" {
		return nil
	}
	journal, err := simulation.OpenJournal(folder, schema.Mastodon)
	if err != nil {
		t.Fatalf("OpenJournal: %v", err)
	}
	t.Cleanup(func() { journal.Close() })
	return journal
}

func journalFile(folder string) string { return filepath.Join(folder, "mastodon.jsonl") }

func TestJournalBringsEverythingBack(t *testing.T) {
	folder := t.TempDir()
	before := newWorld(openJournal(t, folder))
	want := add(t, before, simulation.Post{
		Account: "a", Text: "line\nbreak é", ReplyTo: "7", Key: "k",
		Media:  []simulation.Media{{ID: "1", Type: "image/png", Size: 3, AltText: "dot"}},
		Fields: json.RawMessage(`{"visibility":"public"}`),
	})
	upload, err := before.PutUpload(simulation.Upload{Account: "a", Type: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	upload.AltText = "changed"
	if _, err := before.PutUpload(upload); err != nil {
		t.Fatal(err)
	}

	after := newWorld(openJournal(t, folder))
	if got, _ := after.Post("a", want.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("post %+v, was %+v", got, want)
	}
	if got, _ := after.Upload(upload.ID); !reflect.DeepEqual(got, upload) {
		t.Errorf("upload %+v, was %+v", got, upload)
	}
	if _, added, _ := after.Add(simulation.Post{Account: "a", Key: "k"}); added {
		t.Error("the key was forgotten")
	}
	if next := add(t, after, simulation.Post{Account: "a"}); next.ID <= upload.ID {
		t.Errorf("id %s is not above the earlier run's %s", next.ID, upload.ID)
	}
}

func TestJournalCutsATornLineOff(t *testing.T) {
	folder := t.TempDir()
	before := newWorld(openJournal(t, folder))
	first := add(t, before, simulation.Post{Account: "a"})
	add(t, before, simulation.Post{Account: "a"})
	content, err := os.ReadFile(journalFile(folder))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(journalFile(folder), int64(len(content)-5)); err != nil {
		t.Fatal(err)
	}

	torn := newWorld(openJournal(t, folder))
	third := add(t, torn, simulation.Post{Account: "a"})
	after := newWorld(openJournal(t, folder))
	if got := strings.Join(ids(after.Posts()), " "); got != first.ID+" "+third.ID {
		t.Errorf("posts %s, want %s and %s", got, first.ID, third.ID)
	}
}

func TestJournalRefusesDamage(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(journalFile(folder), []byte("{\"post\":{}}\n{\"po\n{\"post\":{}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := simulation.OpenJournal(folder, schema.Mastodon)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("OpenJournal = %v, want an error about line 2", err)
	}
}

func TestResetEmptiesTheJournal(t *testing.T) {
	folder := t.TempDir()
	before := newWorld(openJournal(t, folder))
	add(t, before, simulation.Post{Account: "a"})
	if err := before.Reset(); err != nil {
		t.Fatal(err)
	}
	post := add(t, before, simulation.Post{Account: "a"})
	after := newWorld(openJournal(t, folder))
	if got := ids(after.Posts()); len(got) != 1 || got[0] != post.ID {
		t.Errorf("posts %v, want %s alone", got, post.ID)
	}
}

func TestJournalHoldsNoCredential(t *testing.T) {
	folder := t.TempDir()
	w := newWorld(openJournal(t, folder))
	add(t, w, simulation.Post{Account: w.Account("secret-token").ID})
	content, err := os.ReadFile(journalFile(folder))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), "secret-token") {
		t.Error("the token is in the journal")
	}
}

func TestAddFailsWithItsJournal(t *testing.T) {
	journal := openJournal(t, t.TempDir())
	w := newWorld(journal)
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Add(simulation.Post{Account: "a"}); err == nil || len(w.Posts()) != 0 {
		t.Errorf("Add = %v, %d posts; want an error and no post", err, len(w.Posts()))
	}
}
