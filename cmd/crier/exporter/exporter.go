// Package exporter writes posts as a table that package importer reads: crier export.
//
//	GET /posts ─▶ spool, a line a post (a file)  ─▶ columns that any post fills ─▶ FILE.csv, .xlsx
//	           └▶ FILE.jsonl
//
// Which columns there are is known once all posts are read, so that a table is written from the
// spool: however many posts there are, one is in memory at a time.
package exporter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"crier/client"
)

// Config is what an export needs.
type Config struct {
	API    *client.Client
	Filter client.PostFilter
	File   string // .csv, .xlsx or .jsonl; its name says which
	// Progress is told how many posts are read, every thousand.
	Progress func(posts int)
}

// maxSheet is how many posts a sheet holds, besides its header.
const maxSheet = 1<<20 - 1

// Run writes the posts that the filter selects to the file, and returns how many these are. The file
// is there once it is whole.
func Run(ctx context.Context, c Config) (posts int, err error) {
	kind := strings.ToLower(filepath.Ext(c.File))
	if kind != ".csv" && kind != ".xlsx" && kind != ".jsonl" {
		return 0, fmt.Errorf("%s is neither .csv, .xlsx nor .jsonl", filepath.Base(c.File))
	}
	out, err := os.OpenFile(c.File+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, fmt.Errorf("opening the file: %w", err)
	}
	if kind == ".jsonl" {
		posts, err = c.writeLines(ctx, out)
	} else {
		posts, err = c.writeTable(ctx, out, kind)
	}
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return posts, errors.Join(err, os.Remove(c.File+".new"))
	}
	if err := os.Rename(c.File+".new", c.File); err != nil {
		return posts, fmt.Errorf("writing the file: %w", err)
	}
	return posts, nil
}

func (c Config) each(ctx context.Context, take func(*client.Post) error) (posts int, err error) {
	for post, err := range c.API.Posts.List(ctx, c.Filter) {
		if err != nil {
			return posts, err
		}
		if err := take(post); err != nil {
			return posts, err
		}
		if posts++; posts%1000 == 0 && c.Progress != nil {
			c.Progress(posts)
		}
	}
	return posts, nil
}

func (c Config) writeLines(ctx context.Context, out io.Writer) (int, error) {
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	posts, err := c.each(ctx, func(p *client.Post) error { return encoder.Encode(lineOf(p)) })
	return posts, errors.Join(err, buffered.Flush())
}

// writeTable reads the posts into a file of their own, and then writes them under the columns that
// any of them fills.
func (c Config) writeTable(ctx context.Context, out io.Writer, kind string) (posts int, err error) {
	spool, err := os.CreateTemp(filepath.Dir(c.File), ".export-*")
	if err != nil {
		return 0, fmt.Errorf("opening a file beside %s: %w", c.File, err)
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	buffered := bufio.NewWriter(spool)
	encoder, filled := json.NewEncoder(buffered), newColumns()
	posts, err = c.each(ctx, func(p *client.Post) error {
		cells := cellsOf(p)
		filled.add(cells)
		return encoder.Encode(cells)
	})
	if err = errors.Join(err, buffered.Flush()); err != nil {
		return posts, err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return posts, fmt.Errorf("reading what was read: %w", err)
	}
	if kind == ".xlsx" && posts > maxSheet {
		return posts, fmt.Errorf("a sheet holds %d posts at most, and these are %d: write .csv, or export them by parts", maxSheet, posts)
	}
	return posts, writeRows(out, kind, filled.names(), json.NewDecoder(bufio.NewReader(spool)))
}
