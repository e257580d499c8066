package simulation

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"crier/schema"
)

// Room is what a gallery keeps at most. What is larger is published all the same, and not
// shown.
type Room struct {
	Bytes int64 // in all
	Item  int64 // bytes of one
	Items int
}

// UsualRoom is that of a sandbox.
func UsualRoom() Room { return Room{Bytes: 256 << 20, Item: 32 << 20, Items: 10_000} }

// Gallery keeps the bytes of media that simulators take, for whoever looks at what was
// published: files in a folder, of which the oldest go where there is no room. Keeping is never
// a reason to refuse media. It is safe for concurrent use.
type Gallery struct {
	folder string
	room   Room

	mu    sync.Mutex
	sizes map[string]int64 // by file
	order []string         // files, the oldest first
	total int64
}

// OpenGallery opens the gallery in a folder, which is made if need be.
func OpenGallery(folder string, room Room) (*Gallery, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making gallery folder: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading gallery folder: %w", err)
	}
	var files []os.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	g := &Gallery{folder: folder, room: room, sizes: map[string]int64{}}
	for _, file := range files {
		g.grow(file.Name(), file.Size())
	}
	return g, nil
}

// Bytes returns how much the gallery holds.
func (g *Gallery) Bytes() int64 {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total
}

// fileOf names the file of a platform's content. What platforms call it may hold any sign.
func fileOf(p schema.Platform, content string) string {
	sum := sha256.Sum256([]byte(content))
	return p.String() + "-" + base64.RawURLEncoding.EncodeToString(sum[:18])
}

// grow has a file reach up to an end, and makes room for it.
func (g *Gallery) grow(file string, end int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	size, known := g.sizes[file]
	if !known {
		g.order = append(g.order, file)
	}
	if end > size || !known {
		g.total += max(end, size) - size
		g.sizes[file] = max(end, size)
	}
	for len(g.order) > 1 && (g.total > g.room.Bytes || len(g.order) > g.room.Items) {
		oldest := slices.IndexFunc(g.order, func(other string) bool { return other != file })
		g.removeLocked(g.order[oldest])
	}
}

func (g *Gallery) remove(file string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.removeLocked(file)
}

func (g *Gallery) removeLocked(file string) {
	g.total -= g.sizes[file]
	delete(g.sizes, file)
	g.order = slices.DeleteFunc(g.order, func(other string) bool { return other == file })
	_ = os.Remove(filepath.Join(g.folder, file)) // what stays is found at the next start
}

func (g *Gallery) size(file string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sizes[file]
}

func (g *Gallery) clear(p schema.Platform) {
	if g == nil {
		return
	}
	g.mu.Lock()
	files := slices.Clone(g.order)
	g.mu.Unlock()
	for _, file := range files {
		if len(file) > len(p.String()) && file[:len(p.String())+1] == p.String()+"-" {
			g.remove(file)
		}
	}
}

// reception writes what arrives into a gallery, from an offset on. Its writes never fail: what
// cannot be kept is dropped.
type reception struct {
	gallery *Gallery
	name    string
	file    *os.File // nil: nothing is kept
	at      int64
}

// receive begins at an offset of a file. A gap before it is of bytes that were dropped.
func (g *Gallery) receive(name string, offset int64) io.WriteCloser {
	r := &reception{gallery: g, name: name, at: offset}
	if offset > g.size(name) {
		return r
	}
	file, err := os.OpenFile(filepath.Join(g.folder, name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		r.file = file
	}
	return r
}

func (r *reception) Write(p []byte) (int, error) {
	if r.file == nil {
		return len(p), nil
	}
	end := r.at + int64(len(p))
	if end <= r.gallery.room.Item {
		r.gallery.grow(r.name, end)
		if _, err := r.file.WriteAt(p, r.at); err == nil {
			r.at = end
			return len(p), nil
		}
	}
	_ = r.Close() // it is removed
	r.gallery.remove(r.name)
	return len(p), nil
}

func (r *reception) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}

// dropped takes what nobody keeps.
type dropped struct{ io.Writer }

func (dropped) Close() error { return nil }

// NewContent names content that will arrive; empty where nothing is kept.
func (w *World) NewContent() string {
	if w.gallery == nil {
		return ""
	}
	return strconv.FormatInt(w.NewID(), 10)
}

// Keep keeps what is written to it as content, from an offset on.
func (w *World) Keep(content string, offset int64) io.WriteCloser {
	if w.gallery == nil || content == "" {
		return dropped{io.Discard}
	}
	return w.gallery.receive(fileOf(w.platform, content), offset)
}

// Receive reads media to its end, keeps it as content, from an offset on, and returns its type
// by its bytes, and its size.
func (w *World) Receive(content string, offset int64, media io.Reader) (mediaType string, size int64, err error) {
	keeping := w.Keep(content, offset)
	mediaType, size, err = Sniff(io.TeeReader(media, keeping))
	return mediaType, size, errors.Join(err, keeping.Close())
}

// Content opens what was kept; it is os.ErrNotExist where it is not, or not any more.
func (w *World) Content(content string) (*os.File, error) {
	if !w.HasContent(content) {
		return nil, os.ErrNotExist
	}
	return os.Open(filepath.Join(w.gallery.folder, fileOf(w.platform, content)))
}

// HasContent reports whether content is kept.
func (w *World) HasContent(content string) bool {
	return w.gallery != nil && content != "" && w.gallery.size(fileOf(w.platform, content)) > 0
}
