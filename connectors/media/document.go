package media

import (
	"bytes"
	"io"
)

// documentShape finds out whether a PDF is whole: its last lines say where its table
// stands, and end it (ISO 32000-1, 7.5.5).
func documentShape(content io.ReaderAt, size int64) (shape, error) {
	const lastLines = 1024
	tail := make([]byte, min(size, lastLines))
	if _, err := content.ReadAt(tail, size-int64(len(tail))); err != nil {
		return shape{}, errCut
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return shape{}, errCut
	}
	return shape{}, nil
}
