package media

import (
	"bytes"
	"errors"
	"io"
)

// documentShape finds out whether a PDF is one from its first byte on, and whole: its last
// lines say where its table stands, and end it (ISO 32000-1, 7.5.2 and 7.5.5). Readers look
// for its mark in the first 1,024 bytes, so that a page may stand before it.
func documentShape(content io.ReaderAt, size int64) (shape, error) {
	const mark, lastLines = "%PDF-", 1024
	var head [len(mark)]byte
	if _, err := content.ReadAt(head[:], 0); err != nil || string(head[:]) != mark {
		return shape{}, errors.New("something else stands before the document")
	}
	tail := make([]byte, min(size, lastLines))
	if _, err := content.ReadAt(tail, size-int64(len(tail))); err != nil {
		return shape{}, errCut
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return shape{}, errCut
	}
	return shape{}, nil
}
