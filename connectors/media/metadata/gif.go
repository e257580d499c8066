package metadata

import (
	"bufio"
	"bytes"
	"io"
)

// The blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifControl     = 0xf9 // how long the next picture is shown
	gifPlainText   = 0x01 // is drawn
	gifApplication = 0xff
	gifHeader      = 13 // bytes, without the table of colors
	maxBlocks      = 1_000_000
)

// gifKept are the applications whose extensions a GIF is shown by: how often it repeats, and its color
// profile. XMP is an extension of another.
var gifKept = [][]byte{[]byte("NETSCAPE2.0"), []byte("ANIMEXTS1.0"), []byte("ICCRGBG1012")}

// gif cuts comments, the extensions of applications, and what follows the end.
func (p *planner) gif() error {
	w := &gifWalk{p, bufio.NewReaderSize(io.NewSectionReader(p.content, 0, p.size), 32<<10), 0}
	head, err := w.take(gifHeader)
	if err != nil {
		return err
	}
	if err := w.skip(colorTable(head[10])); err != nil {
		return err
	}
	for range maxBlocks {
		start := w.at
		kind, err := w.r.ReadByte()
		if err != nil {
			return nil //nolint:nilerr // many files have no trailer
		}
		w.at++
		switch kind {
		case gifTrailer:
			return p.cut(w.at, p.size)
		case gifImage:
			err = w.image()
		case gifExtension:
			err = w.extension(start)
		default:
			return errDamaged
		}
		if err != nil {
			return err
		}
	}
	return errTooMuch
}

type gifWalk struct {
	*planner
	r  *bufio.Reader
	at int64 // of what is read next
}

func (w *gifWalk) take(n int) ([]byte, error) {
	raw := make([]byte, n)
	w.at += int64(n)
	if _, err := io.ReadFull(w.r, raw); err != nil {
		return nil, errCutShort
	}
	return raw, nil
}

func (w *gifWalk) skip(n int) error {
	w.at += int64(n)
	_, err := w.r.Discard(n)
	return short(err)
}

func (w *gifWalk) image() error {
	head, err := w.take(9)
	if err != nil {
		return err
	}
	if err := w.skip(colorTable(head[8]) + 1); err != nil { // and the size of codes
		return err
	}
	return w.subBlocks()
}

func (w *gifWalk) extension(start int64) error {
	label, err := w.take(1)
	if err != nil {
		return err
	}
	isKept := label[0] == gifControl || label[0] == gifPlainText
	if label[0] == gifApplication {
		name, err := w.r.Peek(1 + len(gifKept[0]))
		if err == nil && int(name[0]) == len(gifKept[0]) {
			for _, kept := range gifKept {
				isKept = isKept || bytes.Equal(name[1:], kept)
			}
		}
	}
	if err := w.subBlocks(); err != nil || isKept {
		return err
	}
	return w.cut(start, w.at)
}

// subBlocks goes on until an empty one.
func (w *gifWalk) subBlocks() error {
	for {
		length, err := w.r.ReadByte()
		if err != nil {
			return errCutShort
		}
		w.at++
		if length == 0 {
			return nil
		}
		if err := w.skip(int(length)); err != nil {
			return err
		}
	}
}

// colorTable returns the length of the table of colors that flags announce.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}
