package simulation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"crier/schema"
)

// Journal keeps a world in a file, one JSON document a line, in the order things
// happened. It is written before a call is answered, but not synced: it outlives the
// process, not the machine.
type Journal struct {
	file    *os.File
	size    int64    // of whole lines
	records []record // of earlier runs, until a world has them
}

// record is one line. Exactly one field is set; an upload may come again.
type record struct {
	Post   *Post   `json:"post,omitempty"`
	Upload *Upload `json:"upload,omitempty"`
}

// OpenJournal opens the journal of a platform in a folder, which is made if need be. A
// last line that a crash tore is cut off; any other damage is an error.
func OpenJournal(folder string, p schema.Platform) (*Journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making journal folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, p.String()+".jsonl"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening journal: %w", err)
	}
	journal := &Journal{file: file}
	if err := journal.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading journal of %s: %w", p, err), file.Close())
	}
	return journal, nil
}

func (j *Journal) read() error {
	content, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(content, '\n') + 1
	for number, line := range bytes.Split(bytes.TrimSuffix(content[:whole], []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		j.records = append(j.records, r)
	}
	j.size = int64(whole)
	return j.file.Truncate(j.size)
}

// replayed hands over what earlier runs wrote, once.
func (j *Journal) replayed() []record {
	if j == nil {
		return nil
	}
	records := j.records
	j.records = nil
	return records
}

// write appends a record; the world's lock keeps the order.
func (j *Journal) write(r record) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding journal record: %w", err)
	}
	written, err := j.file.Write(append(line, '\n'))
	if err != nil {
		// What was written of the line would join the next one.
		return errors.Join(fmt.Errorf("writing journal: %w", err), j.file.Truncate(j.size))
	}
	j.size += int64(written)
	return nil
}

func (j *Journal) truncate() error {
	if j == nil {
		return nil
	}
	if err := j.file.Truncate(0); err != nil {
		return fmt.Errorf("emptying journal: %w", err)
	}
	j.size = 0
	return nil
}

// Close closes the file. No world writes to it any more.
func (j *Journal) Close() error { return j.file.Close() }
