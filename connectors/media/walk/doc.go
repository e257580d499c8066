// Package walk goes through the parts that files of media are made of: segments of JPEG, chunks of PNG
// and RIFF, blocks of GIF, elements of EBML. It reads the heads of parts and, where it is asked to, their
// content. No size in a file is trusted, and a walk has a bound: a file can be millions of empty parts.
// Boxes are package bmff's.
package walk

import (
	"errors"
	"fmt"
	"io"
)

// The errors of a walk.
var (
	ErrDamaged = errors.New("a size in the file contradicts the file")
	ErrCut     = errors.New("the file ends too early")
	ErrTooMany = errors.New("the file has too many parts")
)

// ErrDone is what a visitor returns that has seen enough: the walk ends without an error.
var ErrDone = errors.New("enough was seen")

// maxParts bounds the parts of a picture. No program writes a file with a thousandth of them.
const maxParts = 1_000_000

func done(err error) error {
	if errors.Is(err, ErrDone) {
		return nil
	}
	return err
}

// read fills a slice from an offset on, of content that ends at end.
func read(content io.ReaderAt, into []byte, at, end int64) error {
	if at+int64(len(into)) > end {
		return ErrCut
	}
	if len(into) == 0 { // some readers say at their end that there is nothing to read
		return nil
	}
	if _, err := content.ReadAt(into, at); err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	return nil
}
