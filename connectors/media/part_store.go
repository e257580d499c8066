package media

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gabriel-vasile/mimetype"

	"crier/schema"
)

// partStore is where the parts of uploads lie until they are whole, each at its place in one file:
// putting them together costs nothing. Beside the file each part that is whole and on disk has
// a mark, so that after a death it is known which are there. A part store is of one process and safe
// for concurrent use.
type partStore struct {
	root  string
	quota *DiskQuota

	mu      sync.Mutex
	writing map[partPlace]*partWriter
	closing map[schema.MediaID]bool // being put together
	taken   map[partPlace]bool      // parts that were counted as taken, whether they are whole or not
}

// partPlace is a part of an upload.
type partPlace struct {
	id     schema.MediaID
	number int
}

func newPartStore(root string, quota *DiskQuota) *partStore {
	return &partStore{
		root: root, quota: quota, writing: make(map[partPlace]*partWriter), closing: make(map[schema.MediaID]bool),
		taken: make(map[partPlace]bool),
	}
}

// partContent is the name of the file of all parts.
const partContent = "content"

func (s *partStore) folder(id schema.MediaID) string {
	return filepath.Join(s.root, "parts-"+id.String())
}
func (s *partStore) content(id schema.MediaID) string {
	return filepath.Join(s.folder(id), partContent)
}
func (s *partStore) mark(id schema.MediaID, number int) string {
	return filepath.Join(s.folder(id), strconv.Itoa(number))
}

// has reports whether a part is there. A mark that a death has left empty is none.
func (s *partStore) has(id schema.MediaID, number int) bool {
	mark, err := os.ReadFile(s.mark(id, number))
	return err == nil && len(mark) == hex.EncodedLen(md5.Size)
}

// keep writes a part to its place. Whoever sent it before and has not ended is cut off: most
// often that is a connection that its sender has given up.
func (s *partStore) keep(u schema.Upload, part schema.UploadPart, content io.Reader) (sum []byte, err error) {
	place := partPlace{u.ID, part.Number}
	w := &partWriter{at: part.Offset}
	if err := s.begin(place, w); err != nil {
		return nil, err
	}
	defer s.end(place, w)
	if err := s.take(place, part.Size); err != nil {
		return nil, err
	}
	if err := w.open(s.content(u.ID)); err != nil {
		return nil, noRoom(err)
	}
	defer func() { err = errors.Join(err, w.file.Close()) }()
	if err := ignoreMissing(os.Remove(s.mark(u.ID, part.Number))); err != nil {
		return nil, noRoom(err)
	}
	hash := md5.New()
	n, err := io.Copy(io.MultiWriter(w, hash), io.LimitReader(content, part.Size+1))
	switch {
	case err != nil:
		return nil, err
	case n != part.Size:
		return nil, refused(fmt.Sprintf("part %d has to have %d bytes", part.Number, part.Size), nil)
	case part.Number == 1:
		err = begins(w.file, part.Size)
	}
	if err != nil {
		return nil, err
	}
	sum = hash.Sum(nil)
	return sum, w.finish(s.mark(u.ID, part.Number), sum)
}

// begins refuses the first part of what is no media.
func begins(content io.ReaderAt, size int64) error {
	detected, err := mimetype.DetectReader(io.NewSectionReader(content, 0, size))
	if err != nil {
		return fmt.Errorf("probing media: %w", err)
	}
	if name, _, ok := formatOf(detected.String()); !ok {
		return refused("the file is no media that can be posted: it is "+name, nil)
	}
	return nil
}

func (s *partStore) begin(place partPlace, w *partWriter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing[place.id] {
		return beingAssembled()
	}
	if before := s.writing[place]; before != nil {
		before.stop()
	}
	s.writing[place] = w
	return nil
}

// take takes the room of a part, once.
func (s *partStore) take(place partPlace, bytes int64) error {
	s.mu.Lock()
	known := s.taken[place] || s.has(place.id, place.number)
	s.taken[place] = true
	s.mu.Unlock()
	if known {
		return nil
	}
	err := s.quota.Take(bytes)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taken, place)
	}
	return err
}

func (s *partStore) end(place partPlace, w *partWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing[place] == w {
		delete(s.writing, place)
	}
}

// close keeps parts from changing until end is called.
func (s *partStore) close(id schema.MediaID) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing[id] {
		return nil, beingAssembled()
	}
	s.closing[id] = true
	for place, w := range s.writing {
		if place.id == id {
			w.stop()
			delete(s.writing, place)
		}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.closing, id)
	}, nil
}

func beingAssembled() error {
	return &schema.Error{Kind: schema.Unavailable, Message: "the parts of this upload are being put together; ask again in a moment"}
}

// open returns what the parts make, which is all there, if it is what was announced.
func (s *partStore) open(ctx context.Context, u schema.Upload) (*File, error) {
	content, err := os.Open(s.content(u.ID))
	if err != nil {
		return nil, fmt.Errorf("opening the parts of an upload: %w", err)
	}
	file, err := announced(ctx, u.Announced, content)
	return file, errors.Join(err, content.Close())
}

// announced makes a File of content that is what its sender said.
func announced(ctx context.Context, a schema.Announced, content *os.File) (*File, error) {
	info, err := content.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the parts of an upload: %w", err)
	}
	if info.Size() != a.Size {
		return nil, fmt.Errorf("the parts of an upload make %d bytes of %d", info.Size(), a.Size)
	}
	if err := checkSum(ctx, a, content); err != nil {
		return nil, err
	}
	facts, err := Probe(content, a.Size)
	return &File{MediaFacts: facts, Path: content.Name()}, err
}

// clear removes all that has come for an upload.
func (s *partStore) clear(id schema.MediaID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.taken, func(place partPlace, _ bool) bool { return place.id == id })
	s.quota.Give(diskBytes(s.content(id)))
	if err := os.RemoveAll(s.folder(id)); err != nil {
		return fmt.Errorf("removing the parts of an upload: %w", err)
	}
	return nil
}

// partWriter writes one part until it is told to stop; after that it writes nothing more.
type partWriter struct {
	mu      sync.Mutex
	file    *os.File
	at      int64
	stopped bool
}

func (w *partWriter) open(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	w.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	return err
}

// Write implements io.Writer.
func (w *partWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return 0, overtaken()
	}
	n, err := w.file.WriteAt(p, w.at)
	w.at += int64(n)
	if err != nil {
		err = noRoom(err)
	}
	return n, err
}

func (w *partWriter) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// finish marks the part once it is on disk.
func (w *partWriter) finish(mark string, sum []byte) error {
	if err := w.file.Sync(); err != nil {
		return noRoom(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return overtaken()
	}
	if err := os.WriteFile(mark, hex.AppendEncode(nil, sum), 0o600); err != nil {
		return noRoom(err)
	}
	for _, path := range []string{mark, filepath.Dir(mark)} {
		if err := flush(path); err != nil {
			return noRoom(err)
		}
	}
	return nil
}

func overtaken() error {
	return &schema.Error{Kind: schema.InvalidState, Message: "this part is being sent once more, and what comes later counts"}
}
