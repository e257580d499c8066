package compose_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"crier/compose"
	"crier/compose/embedded/embeddedtest"
	"crier/schema/postgres"
)

func TestACopiedDataFolderGetsAnIdentityOfItsOwn(t *testing.T) {
	besideOthers(t)
	url, logger := embeddedtest.Postgres(t), slog.New(slog.DiscardHandler)
	open := func() *postgres.Store {
		store, err := postgres.Open(t.Context(), postgres.Config{URL: url, MaxConns: 2, Logger: logger})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	take := func(folder string, store *postgres.Store) [16]byte {
		node, err := compose.TakeNode(t.Context(), folder, store, logger)
		if err != nil {
			t.Fatal(err)
		}
		return node
	}
	folder, copied := embeddedtest.Dir(t), embeddedtest.Dir(t)
	running, beside := open(), open()
	node := take(folder, running)
	if err := os.CopyFS(filepath.Join(copied, "data"), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(copied, "data")
	other := take(copied, beside)
	if other == node {
		t.Fatal("both folders have the same identity")
	}
	running.Close()
	beside.Close()
	again := open()
	defer again.Close()
	if got := take(folder, again); got != node {
		t.Error("the folder lost its identity")
	}
	if got := take(copied, again); got != other {
		t.Error("its copy did not keep the new one")
	}
}
