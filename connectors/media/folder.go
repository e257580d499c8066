package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"crier/schema"
)

// Folder keeps content as files, in folders by the last digits of the id, which are
// random. A file stands under its name only once it is whole and on disk. A Folder is
// safe for concurrent use.
type Folder struct {
	root  string
	quota *DiskQuota // that its files take
}

// NewFolder makes the folder if it is not there.
func NewFolder(root string) (*Folder, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of media: %w", err)
	}
	return &Folder{root: root}, nil
}

func (f *Folder) path(id schema.MediaID) string {
	name := id.String()
	return filepath.Join(f.root, name[len(name)-2:], name)
}

// Put moves a file of the same file system in under an id. It is durable once Put has
// returned. What is there already stays: then the error is errTaken.
func (f *Folder) Put(_ context.Context, id schema.MediaID, file *File) error {
	path := f.path(id)
	if err := flush(file.Path); err != nil {
		return noRoom(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return noRoom(err)
	}
	if err := os.Link(file.Path, path); errors.Is(err, fs.ErrExist) {
		return errTaken
	} else if err != nil {
		return noRoom(err)
	}
	file.quota = nil // it stays taken
	for _, folder := range []string{filepath.Dir(path), f.root} {
		if err := flush(folder); err != nil {
			return noRoom(err)
		}
	}
	return file.Close()
}

// errTaken is that an id has content of another upload.
var errTaken = errors.New("there is content of this id")

// flush writes what the system holds of a file or folder to disk.
func flush(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Open returns the content of an id, or NotFound.
func (f *Folder) Open(_ context.Context, id schema.MediaID) (Content, error) {
	file, err := os.Open(f.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoMedia()
	}
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	return file, nil
}

// Remove removes the content of an id; it is no error that there is none.
func (f *Folder) Remove(_ context.Context, id schema.MediaID) error {
	info, err := os.Lstat(f.path(id))
	if err == nil {
		err = os.Remove(f.path(id))
	}
	switch {
	case err == nil:
		f.quota.Give(info.Size())
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("removing media: %w", err)
	}
	return nil
}

// size returns the bytes of all content.
func (f *Folder) size(ctx context.Context) (bytes int64, err error) {
	err = f.each(ctx, func(info fs.FileInfo) error {
		bytes += info.Size()
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("counting media: %w", err)
	}
	return bytes, nil
}

// Before visits what was put in before a time.
func (f *Folder) Before(ctx context.Context, at time.Time, visit func(schema.MediaID) error) error {
	err := f.each(ctx, func(info fs.FileInfo) error {
		id, err := schema.ParseID[schema.MediaID](info.Name())
		if err != nil || info.ModTime().After(at) {
			return nil //nolint:nilerr // not one of ours, or young: left alone
		}
		return visit(id)
	})
	if err != nil {
		return fmt.Errorf("listing media: %w", err)
	}
	return nil
}

// each visits all files. What was removed meanwhile is left out.
func (f *Folder) each(ctx context.Context, visit func(fs.FileInfo) error) error {
	return filepath.WalkDir(f.root, func(_ string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil || entry.IsDir():
			return ctx.Err()
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // it was removed meanwhile
		}
		return visit(info)
	})
}
