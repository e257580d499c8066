package compose_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
)

// TestAFullDiskIsWaitedOut fills the disk of a part while posts are sent: what is
// acknowledged is kept, what cannot be kept is refused, and work goes on by itself once
// there is space.
func TestAFullDiskIsWaitedOut(t *testing.T) {
	t.Parallel()
	for part, size := range map[string]string{"postgres": "384m", "log": "48m"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(openDir(t), "data")
			disk := filepath.Join(data, part)
			embeddedtest.SmallDisk(t, disk, size)
			w := newWorldWith(t, childConfig{Data: data})
			filler := fillDisk(t, disk)
			var load []attempt
			w.surviveOutage(func() { load = w.createOnFullDisk(filler, part == "postgres") }, func() { freeDisk(t, filler) }, 3*time.Second, 60*time.Second)
			w.checkAcknowledged(load)
			for _, a := range load {
				if !a.refused() && a.status != http.StatusCreated {
					t.Errorf("a request on a full disk was answered %d", a.status)
				}
			}
			refused := countRefused(load)
			t.Logf("%d of %d requests were refused", refused, len(load))
			if (refused > 0) != (part == "postgres") {
				t.Errorf("%d of %d requests were refused with the disk of %s full", refused, len(load), part)
			}
		})
	}
}

// fillDisk makes the file that fills the disk, empty so far.
func fillDisk(t *testing.T, disk string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func freeDisk(t *testing.T, filler *os.File) {
	t.Helper()
	if err := filler.Truncate(0); err != nil {
		t.Error(err)
	}
}

// refused reports whether a post was not created for want of something that comes back.
func (a attempt) refused() bool { return a.status == http.StatusServiceUnavailable || a.status == 0 }

func countRefused(load []attempt) (n int) {
	for _, a := range load {
		if a.refused() {
			n++
		}
	}
	return n
}

// tellsFullDisk reports whether /readyz tells of a full disk, with which no process is ready.
func (w *world) tellsFullDisk() bool {
	w.Helper()
	a := w.readiness()
	if a.Disk == "full" && a.Ready {
		w.Error("it is ready with a full disk")
	}
	return a.Disk == "full"
}

// createOnFullDisk takes all space there is, again and again for a while, and creates posts
// meanwhile; it returns what became of them. A busy machine gets the time to create some,
// and to refuse one where that is what should come.
func (w *world) createOnFullDisk(filler *os.File, refuses bool) []attempt {
	w.Helper()
	const minimum, maximum, some = 5 * time.Second, time.Minute, 20
	account := w.connect(schema.Mastodon, 1)[0].String()
	load := make([]attempt, 0, 1000)
	block := make([]byte, 64<<10)
	at, isLogged := int64(0), false
	enough := func() bool { return len(load) >= some && (!refuses || countRefused(load) > 0) }
	for began := time.Now(); time.Since(began) < minimum || !enough() && time.Since(began) < maximum; {
		for {
			n, err := filler.WriteAt(block, at)
			if at += int64(n); err != nil {
				break // it is full
			}
		}
		isLogged = isLogged || w.tellsFullDisk()
		load = append(load, w.createOnce(account, fmt.Sprintf("disk %05d", len(load))))
	}
	if !isLogged {
		w.Error("/readyz never told that the disk is full")
	}
	return load
}
