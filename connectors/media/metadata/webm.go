package metadata

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The elements of Matroska (RFC 9559) that matter here.
const (
	ebmlSegment     = 0x18538067
	ebmlInfo        = 0x1549A966
	ebmlTitle       = 0x7BA9
	ebmlFileName    = 0x7384
	ebmlDate        = 0x4461
	ebmlTags        = 0x1254C367
	ebmlAttachments = 0x1941A469
	ebmlCluster     = 0x1F43B675
	ebmlVoid        = 0xEC
)

// webm overwrites tags and attachments, the title, and when the film was made.
func (p *planner) webm() error {
	w := &webmWalk{planner: p}
	if err := w.walk(0, p.size, 0); !errors.Is(err, errCutShort) || !w.hasBegun {
		return err
	}
	return nil // a recording that was cut off plays to there
}

type webmWalk struct {
	*planner
	elements int
	hasBegun bool // a cluster was seen
}

// maxElements bounds a walk. A film of four hours has some ten thousand clusters; in those of unknown
// size each block counts.
const maxElements = 2_000_000

func (w *webmWalk) walk(start, end int64, depth int) error {
	if depth > deepest {
		return errDamaged
	}
	for start < end {
		if w.elements++; w.elements > maxElements {
			return errTooMuch
		}
		id, body, size, isKnown, err := w.header(start, end)
		if err != nil {
			return err
		}
		next := body + size
		switch id {
		case ebmlSegment, ebmlInfo:
			if err := w.walk(body, next, depth+1); err != nil {
				return err
			}
		case ebmlCluster:
			w.hasBegun = true
			if !isKnown {
				next = body // its elements are passed over one by one
			}
		case ebmlTags, ebmlAttachments, ebmlTitle, ebmlFileName, ebmlDate, ebmlVoid:
			if !isKnown {
				return errDamaged
			}
			if err := w.void(start, body, next); err != nil {
				return err
			}
		}
		start = next
	}
	return nil
}

// void makes of an element one that everybody passes over.
func (w *webmWalk) void(start, body, end int64) error {
	head := []byte{ebmlVoid}
	if length := end - start; length >= 9 {
		head = binary.BigEndian.AppendUint64(head, 1<<56|uint64(length-9))
	} else {
		head = append(head, 0x80|byte(length-2))
	}
	var first [1]byte
	if err := w.read(first[:], start); err != nil {
		return err
	}
	if first[0] == ebmlVoid {
		return w.blank(body, end)
	}
	return w.overwrite(start, end, string(head))
}

// header reads the id and the size of an element. One of unknown size goes to the end.
func (w *webmWalk) header(start, end int64) (id uint64, body, size int64, isKnown bool, err error) {
	id, n, err := w.number(start)
	if err != nil {
		return 0, 0, 0, false, err
	}
	raw, m, err := w.number(start + n)
	if err != nil {
		return 0, 0, 0, false, err
	}
	body = start + n + m
	mask := uint64(1)<<(7*m) - 1
	value := raw & mask
	if value == mask {
		return id, body, max(end-body, 0), false, nil
	}
	if body > end || value > uint64(end-body) {
		return 0, 0, 0, false, errCutShort
	}
	return id, body, int64(value), true, nil
}

// number reads a number of variable length with the bit that ends its leading zeros.
func (w *webmWalk) number(at int64) (value uint64, length int64, err error) {
	var raw [8]byte
	if err := w.read(raw[:1], at); err != nil {
		return 0, 0, err
	}
	following := bits.LeadingZeros8(raw[0])
	if following > 7 {
		return 0, 0, errDamaged
	}
	if err := w.read(raw[1:1+following], at+1); err != nil {
		return 0, 0, err
	}
	length = int64(following) + 1
	return binary.BigEndian.Uint64(raw[:]) >> (64 - 8*length), length, nil
}
