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

// aviShape finds out whether an AVI is whole; more is not read of it.
func aviShape(content io.ReaderAt, size int64) (shape, error) {
	return shape{}, wholeRIFF(content, size)
}
