package postgrestest

import (
	"bytes"
	"io"
)

// Dump is a backup in memory: the text of each table.
type Dump map[string]*bytes.Buffer

// Create begins a table of the dump.
func (d Dump) Create(name string) (io.Writer, error) {
	d[name] = new(bytes.Buffer)
	return d[name], nil
}

// Open reads a table of the dump.
func (d Dump) Open(name string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(d[name].Bytes())), nil
}
