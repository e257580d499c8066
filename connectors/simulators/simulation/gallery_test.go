package simulation_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func galleryWorld(t *testing.T, folder string) (*simulation.World, *simulation.Gallery) {
	t.Helper()
	gallery, err := simulation.OpenGallery(folder, simulation.Room{Bytes: 200, Item: 40, Items: 20})
	if err != nil {
		t.Fatal(err)
	}
	return simulation.NewWorld(simulation.Config{Platform: schema.Mastodon, Now: func() time.Time { return noon }, Gallery: gallery}), gallery
}

func contentOf(t *testing.T, w *simulation.World, content string) string {
	t.Helper()
	file, err := w.Content(content)
	if err != nil {
		return "nothing"
	}
	defer file.Close()
	all, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func receive(t *testing.T, w *simulation.World, content string, offset int64, media io.Reader) {
	t.Helper()
	if _, _, err := w.Receive(content, offset, media); err != nil {
		t.Fatal(err)
	}
}

func TestContentIsPutTogether(t *testing.T) {
	folder := t.TempDir()
	w, _ := galleryWorld(t, folder)
	a, b := w.NewContent(), w.NewContent()
	receive(t, w, a, 0, strings.NewReader("first "))
	receive(t, w, a, 6, strings.NewReader("second "))
	receive(t, w, a, 6, strings.NewReader("SECOND ")) // once more
	receive(t, w, a, 13, strings.NewReader("third"))
	receive(t, w, b, 5, strings.NewReader("without what was before"))
	again, gallery := galleryWorld(t, folder)
	for name, world := range map[string]*simulation.World{"at once": w, "after a restart": again} {
		if got := contentOf(t, world, a); got != "first SECOND third" {
			t.Errorf("%s: %q", name, got)
		}
		if got := contentOf(t, world, b); got != "nothing" {
			t.Errorf("%s: %q of what came without its beginning", name, got)
		}
	}
	if got := gallery.Bytes(); got != 18 {
		t.Errorf("%d bytes after a restart", got)
	}
	if err := again.Reset(); err != nil || gallery.Bytes() != 0 || contentOf(t, again, a) != "nothing" {
		t.Errorf("after a reset: %v, %d bytes", err, gallery.Bytes())
	}
}

func TestAGalleryIsBounded(t *testing.T) {
	w, gallery := galleryWorld(t, t.TempDir())
	large := w.NewContent()
	receive(t, w, large, 0, strings.NewReader(strings.Repeat("x", 40)))
	receive(t, w, large, 40, strings.NewReader("one more"))
	if contentOf(t, w, large) != "nothing" || gallery.Bytes() != 0 {
		t.Errorf("%d bytes of what is too large", gallery.Bytes())
	}
	receive(t, w, large, 48, strings.NewReader("and more"))
	if w.HasContent(large) {
		t.Error("the end of what was dropped is kept")
	}
	first := w.NewContent()
	receive(t, w, first, 0, strings.NewReader("the oldest"))
	for range 5 {
		receive(t, w, w.NewContent(), 0, strings.NewReader(strings.Repeat("x", 40)))
	}
	if got := gallery.Bytes(); got != 200 || w.HasContent(first) {
		t.Errorf("%d bytes; the oldest is there: %t", got, w.HasContent(first))
	}
	for range 30 {
		receive(t, w, w.NewContent(), 0, strings.NewReader("x"))
	}
	if got := gallery.Bytes(); got != 20 {
		t.Errorf("%d bytes of 20 items", got)
	}
}
