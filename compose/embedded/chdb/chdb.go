// Package chdb binds the C API of libchdb, ClickHouse's engine as a library, without
// cgo. The API is described in chdb.h of the chdb-core project.
//
// The engine belongs in a process of its own: a fault in it ends the process, and its
// memory is not Go's. A process can open one data folder, over as many connections as
// it likes; a connection runs one query at a time.
package chdb

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is a loaded libchdb, of which a process can have one. Its fields are the
// functions of the C API that are used here, with C's types.
type Library struct {
	connect       func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn     func(conn unsafe.Pointer)
	query         callFunc
	stream        callFunc
	fetch         func(conn, stream unsafe.Pointer) unsafe.Pointer
	cancel        func(conn, stream unsafe.Pointer)
	destroy       func(result unsafe.Pointer)
	buffer        func(result unsafe.Pointer) unsafe.Pointer
	length        func(result unsafe.Pointer) uintptr
	errorText     func(result unsafe.Pointer) unsafe.Pointer
	enableSignals func(enabled int32)
}

// Load loads the library at path.
func Load(path string) (*Library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", path, err)
	}
	l := &Library{}
	for name, function := range map[string]any{
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.closeConn,
		"chdb_query_with_params_n":         &l.query,
		"chdb_stream_query_with_params_n":  &l.stream,
		"chdb_stream_fetch_result":         &l.fetch,
		"chdb_stream_cancel_query":         &l.cancel,
		"chdb_destroy_query_result":        &l.destroy,
		"chdb_result_buffer":               &l.buffer,
		"chdb_result_length":               &l.length,
		"chdb_result_error":                &l.errorText,
		"chdb_set_signal_handlers_enabled": &l.enableSignals,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("finding %s in libchdb: %w", name, err)
		}
		purego.RegisterFunc(function, symbol)
	}
	// Unless told not to, the first connection takes SIGSEGV and others from Go, whose
	// runtime needs them to turn faults into panics.
	l.enableSignals(0)
	return l, nil
}

// Connect opens a connection; arguments are those of clickhouse-local, --path first of
// all. The first connection of the process starts the engine.
func (l *Library) Connect(arguments ...string) (*Conn, error) {
	var pins pinner
	defer pins.Unpin()
	argv := make([]unsafe.Pointer, 0, len(arguments)+2)
	for _, argument := range append([]string{"clickhouse"}, arguments...) {
		argv = append(argv, pins.text(argument))
	}
	handle := l.connect(int32(len(argv)), pins.list(append(argv, nil)))
	if handle == nil {
		return nil, errors.New("connecting to engine: refused, see its output")
	}
	return &Conn{l, handle}, nil
}
