package compose

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"crier/compose/embedded"
	"crier/schema/postgres/backup"
)

// A backup is a zip archive: manifest.json (a backup.Dump with its format), tables/NAME
// in PostgreSQL's text format of COPY, and keyset.json, without which nothing sealed can
// be read. It holds every secret, so only its owner may read the file.
const (
	backupFormat   = 1
	backupManifest = "manifest.json"
	backupKeyset   = "keyset.json"
	backupTables   = "tables/"
)

type manifest struct {
	Format int `json:"format"`
	backup.Dump
}

// Backup writes everything that PostgreSQL holds, under one snapshot, and the keyset to a
// new file, beside a running serve or without one. The file appears once it is whole.
func Backup(ctx context.Context, c Config, file string) (backup.Dump, error) {
	var dump backup.Dump
	err := operate(ctx, c, func(ctx context.Context, o *operator) error {
		return writeWhole(file, func(w io.Writer) (err error) {
			dump, err = backUp(ctx, o.config, w)
			return err
		})
	})
	return dump, err
}

func backUp(ctx context.Context, c Config, w io.Writer) (backup.Dump, error) {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed) // the snapshot is held for as long as this takes
	})
	var hasKeyset bool
	dump, err := backup.Backup(ctx, c.Postgres, func(table string) (io.Writer, error) {
		if !hasKeyset { // first, so that no key which the snapshot needs is gone by then
			if err := keepKeyset(archive, c.keyset()); err != nil {
				return nil, err
			}
			hasKeyset = true
		}
		return archive.Create(backupTables + table)
	})
	if err != nil {
		return dump, err
	}
	text, err := json.MarshalIndent(manifest{backupFormat, dump}, "", "  ")
	if err != nil {
		return dump, fmt.Errorf("describing the backup: %w", err)
	}
	return dump, errors.Join(addToArchive(archive, backupManifest, text), archive.Close())
}

func keepKeyset(archive *zip.Writer, file string) error {
	keyset, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the keyset: %w", err)
	}
	return addToArchive(archive, backupKeyset, keyset)
}

func addToArchive(archive *zip.Writer, name string, content []byte) error {
	w, err := archive.Create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		return fmt.Errorf("writing %s of the backup: %w", name, err)
	}
	return nil
}

// writeWhole makes a file atomically, and never replaces one.
func writeWhole(file string, write func(io.Writer) error) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already", file)
	}
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".part-*") // readable by its owner alone
	if err != nil {
		return fmt.Errorf("making the backup's file: %w", err)
	}
	err = write(part)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Link(part.Name(), file)
	}
	return errors.Join(err, os.Remove(part.Name()))
}

// Restore fills an empty PostgreSQL, embedded or by URL, from a backup, and puts the keyset
// in its place. What was open in the backup is held from then on. No crier may run on the data folder.
func Restore(ctx context.Context, c Config, file string) (restored Restored, err error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return restored, fmt.Errorf("opening the backup: %w", err)
	}
	defer archive.Close()
	m, err := readManifest(archive)
	if err != nil {
		return restored, err
	}
	data, err := embedded.OpenData(c.Data)
	if err != nil {
		return restored, err
	}
	restored, err = restore(ctx, c, data, archive, m.Dump)
	return restored, errors.Join(err, data.Close())
}

func restore(ctx context.Context, c Config, data *embedded.Data, archive *zip.ReadCloser, dump backup.Dump) (restored Restored, err error) {
	restored.Dump = dump
	if err := restoreKeyset(c.keyset(), archive); err != nil {
		return restored, err
	}
	fill := func(c Config) error {
		err := backup.Restore(ctx, c.Postgres, dump, func(table string) (io.ReadCloser, error) {
			return archive.Open(backupTables + table)
		})
		if err == nil {
			err = restored.adopt(ctx, c)
		}
		return err
	}
	if c.Postgres == "" {
		return restored, withPostgres(ctx, c, data, fill)
	}
	return restored, fill(c)
}

func readManifest(archive *zip.ReadCloser) (manifest, error) {
	var m manifest
	text, err := readFromArchive(archive, backupManifest)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("reading %s of the backup: %w", backupManifest, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup has format %d; this version of crier reads %d", m.Format, backupFormat)
	}
	return m, nil
}

// restoreKeyset puts the keyset in its place. It refuses to replace a different one: either
// the backup's secrets or those sealed with the other would become unreadable.
func restoreKeyset(file string, archive *zip.ReadCloser) error {
	keyset, err := readFromArchive(archive, backupKeyset)
	if err != nil {
		return err
	}
	present, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return writeWhole(file, func(w io.Writer) error {
			_, err := w.Write(keyset)
			return err
		})
	case err != nil:
		return fmt.Errorf("reading the keyset: %w", err)
	case !bytes.Equal(present, keyset):
		return fmt.Errorf("%s is another keyset than the backup's: move it away first", file)
	}
	return nil
}

func readFromArchive(archive *zip.ReadCloser, name string) ([]byte, error) {
	f, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("this is no backup of crier: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading %s of the backup: %w", name, err)
	}
	return text, nil
}
