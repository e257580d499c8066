package media

import (
	"encoding/binary"
	"io"
)

// wholeRIFF holds the size that a RIFF file claims, as WebP and AVI are, against its own
// (RFC 9649, 2.4).
func wholeRIFF(content io.ReaderAt, size int64) error {
	var head [8]byte
	if _, err := content.ReadAt(head[:], 0); err != nil || int64(binary.LittleEndian.Uint32(head[4:]))+int64(len(head)) > size {
		return errCut
	}
	return nil
}

// riffChunk finds the first chunk of a kind in a RIFF file: where its content begins, and its length;
// 0: there is none.
func riffChunk(content io.ReaderAt, size int64, kind string) (at, length int64) {
	at = 12 // behind the file's own head
	for range mostBlocks {
		var head [8]byte
		if _, err := content.ReadAt(head[:], at); err != nil {
			return 0, 0
		}
		at, length = at+int64(len(head)), int64(binary.LittleEndian.Uint32(head[4:]))
		switch {
		case at+length > size:
			return 0, 0
		case string(head[:4]) == kind:
			return at, length
		}
		at += length + length&1
	}
	return 0, 0
}

// aviShape finds out whether an AVI is whole; more is not read of it.
func aviShape(content io.ReaderAt, size int64) (shape, error) {
	return shape{}, wholeRIFF(content, size)
}
