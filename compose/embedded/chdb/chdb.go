// Package chdb binds the C API of libchdb, ClickHouse's engine as a library, without
// cgo. The API is described in chdb.h of the chdb-core project.
//
// The engine belongs in a process of its own: a fault in it ends the process, and its
// memory is not Go's. A process can open one data folder, over as many connections as
// it likes; a connection runs one query at a time.
package chdb

import (
	"errors"
	"unsafe"
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
