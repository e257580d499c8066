package chdb

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"unsafe"
)

// Conn is a connection to the engine. One query at a time may run on it.
type Conn struct {
	lib    *Library
	handle unsafe.Pointer // chdb_connection *, which is a pointer to a pointer
}

// Parameter is the value of {name:Type} in a query, as ClickHouse writes it in text.
type Parameter struct{ Name, Value string }

// Close closes the connection. No query may be running on it.
func (c *Conn) Close() { c.lib.closeConn(c.handle) }

func (c *Conn) inner() unsafe.Pointer { return *(*unsafe.Pointer)(c.handle) }

// Query runs one statement and returns its whole output. Its errors are the engine's,
// with ClickHouse's "Code: N. DB::Exception: " in front.
func (c *Conn) Query(query, format string, parameters ...Parameter) ([]byte, error) {
	return c.lib.take(c.call(c.lib.query, query, format, parameters))
}

// Stream runs one statement that reads and calls each with the parts of its output as
// they are made; an error from each ends the query and is returned.
func (c *Conn) Stream(each func(part []byte) error, query, format string, parameters ...Parameter) error {
	stream := c.call(c.lib.stream, query, format, parameters)
	if stream == nil {
		return errors.New("starting stream: no memory")
	}
	defer c.lib.destroy(stream)
	if err := c.lib.failure(stream); err != nil {
		return err
	}
	for {
		part, err := c.lib.take(c.lib.fetch(c.inner(), stream))
		if err != nil {
			return err
		}
		if len(part) == 0 {
			return nil
		}
		if err := each(part); err != nil {
			c.lib.cancel(c.inner(), stream)
			return err
		}
	}
}

// callFunc runs a query with parameters, whole or as a stream.
type callFunc = func(conn, query unsafe.Pointer, queryLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer

func (c *Conn) call(function callFunc, query, format string, parameters []Parameter) unsafe.Pointer {
	var pins pinner
	defer pins.Unpin()
	var names, values []unsafe.Pointer
	var nameLens, valueLens []uintptr
	for _, p := range parameters {
		names, nameLens = append(names, pins.text(p.Name)), append(nameLens, uintptr(len(p.Name)))
		values, valueLens = append(values, pins.text(p.Value)), append(valueLens, uintptr(len(p.Value)))
	}
	return function(c.inner(),
		pins.text(query), uintptr(len(query)), pins.text(format), uintptr(len(format)),
		pins.list(names), pins.lengths(nameLens), pins.list(values), pins.lengths(valueLens),
		uintptr(len(parameters)))
}

// take copies a result out of the engine's memory and frees it there.
func (l *Library) take(result unsafe.Pointer) ([]byte, error) {
	if result == nil {
		return nil, nil
	}
	defer l.destroy(result)
	if err := l.failure(result); err != nil {
		return nil, err
	}
	// A copy of nothing is nil: an empty output has no header either.
	return bytes.Clone(unsafe.Slice((*byte)(l.buffer(result)), l.length(result))), nil
}

func (l *Library) failure(result unsafe.Pointer) error {
	if text := goString(l.errorText(result)); text != "" {
		return errors.New(text)
	}
	return nil
}

func goString(text unsafe.Pointer) string {
	if text == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(text, n)) != 0 {
		n++
	}
	return strings.Clone(unsafe.String((*byte)(text), n))
}

// pinner keeps the memory that is passed to C in place until the call is over.
type pinner struct{ runtime.Pinner }

// text returns s as C has it, with a zero at the end.
func (p *pinner) text(s string) unsafe.Pointer {
	b := append([]byte(s), 0)
	p.Pin(&b[0])
	return unsafe.Pointer(&b[0])
}

func (p *pinner) list(items []unsafe.Pointer) unsafe.Pointer {
	if len(items) == 0 {
		return nil
	}
	p.Pin(&items[0])
	return unsafe.Pointer(&items[0])
}

func (p *pinner) lengths(items []uintptr) unsafe.Pointer {
	if len(items) == 0 {
		return nil
	}
	p.Pin(&items[0])
	return unsafe.Pointer(&items[0])
}
