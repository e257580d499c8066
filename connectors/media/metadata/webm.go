package metadata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"crier/connectors/media/walk"
)

// The elements of Matroska (RFC 9559) that matter here.
const (
	ebmlHead    = 0x1A45DFA3
	ebmlSegment = 0x18538067
	ebmlInfo    = 0x1549A966
	ebmlCluster = 0x1F43B675
	ebmlVoid    = 0xEC
)

// Which elements a film is played by, in the file, in its segment, and in what is said of that. All others
// become void: tags, attachments, titles, dates, names of files, and the sums over what was changed.
var (
	inFile    = []uint64{ebmlHead, ebmlSegment}
	inSegment = append([]uint64{
		ebmlInfo, 0x114D9B74, 0x1654AE6B, 0x1C53BB6B, 0x1043A770, // and places, tracks, cues, chapters
	}, cluster...)
	cluster = []uint64{ebmlCluster, 0xE7, 0x5854, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF} // and what one of no known size has
	inInfo  = []uint64{0x2AD7B1, 0x4489, 0x4D80, 0x5741}                        // unit, duration, programs
)

// webm overwrites tags and attachments, the title, and when the film was made.
func (p *planner) webm() error {
	w := &webmPlan{planner: p, file: walk.NewEBML(p.content)}
	return w.walk(0, p.size, inFile)
}

type webmPlan struct {
	*planner
	file     *walk.EBML
	hasBegun bool // a cluster was seen
	isOpen   bool // the last one is of no known size
}

// walk goes through elements. Where a recording was cut off, the cluster stays, which plays to there;
// anything else is no recording.
func (w *webmPlan) walk(start, end int64, copied []uint64) error {
	err := w.file.Walk(start, end, w.visit(copied))
	if !errors.Is(err, walk.ErrCut) || !w.hasBegun {
		return err
	}
	at, played := w.file.At(), cluster[:1]
	if w.isOpen {
		played = cluster
	}
	begins := make([]byte, min(4, end-at))
	if err := w.read(begins, at); err != nil {
		return err
	}
	isPlayed := slices.ContainsFunc(played, func(id uint64) bool {
		return bytes.HasPrefix(begins, bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, id), "\x00"))
	})
	if isPlayed || len(begins) < 2 { // which is no element
		return nil
	}
	return w.void(at, at, end)
}

// visit keeps elements, and overwrites the others.
func (w *webmPlan) visit(copied []uint64) func(*walk.Element) error {
	return func(e *walk.Element) error {
		switch {
		case !slices.Contains(copied, e.ID):
			if e.IsOpen {
				return walk.ErrDamaged
			}
			return w.void(e.Start, e.Body, e.End)
		case e.ID == ebmlSegment:
			return w.walk(e.Body, e.End, inSegment)
		case e.ID == ebmlInfo:
			return w.walk(e.Body, e.End, inInfo)
		case e.ID == ebmlCluster:
			w.hasBegun, w.isOpen = true, e.IsOpen
			if e.IsOpen {
				e.End = e.Body // its elements are passed over one by one
			}
		}
		return nil
	}
}

// void makes of an element, whose content begins at body, one that everybody passes over; body is start of what
// is none.
func (w *webmPlan) void(start, body, end int64) error {
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
	if first[0] == ebmlVoid && body > start {
		return w.blank(body, end)
	}
	return w.overwrite(start, end, string(head))
}
