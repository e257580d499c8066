package metadata

import (
	"encoding/binary"
	"errors"

	"crier/connectors/media/walk"
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
	w := &webmPlan{planner: p, file: walk.NewEBML(p.content)}
	if err := w.file.Walk(0, p.size, w.visit); !errors.Is(err, walk.ErrCut) || !w.hasBegun {
		return err
	}
	return nil // a recording that was cut off plays to there
}

type webmPlan struct {
	*planner
	file     *walk.EBML
	hasBegun bool // a cluster was seen
}

func (w *webmPlan) visit(e *walk.Element) error {
	switch e.ID {
	case ebmlSegment, ebmlInfo:
		return w.file.Walk(e.Body, e.End, w.visit)
	case ebmlCluster:
		w.hasBegun = true
		if e.IsOpen {
			e.End = e.Body // its elements are passed over one by one
		}
	case ebmlTags, ebmlAttachments, ebmlTitle, ebmlFileName, ebmlDate, ebmlVoid:
		if e.IsOpen {
			return walk.ErrDamaged
		}
		return w.void(e.Start, e.Body, e.End)
	}
	return nil
}

// void makes of an element one that everybody passes over.
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
	if first[0] == ebmlVoid {
		return w.blank(body, end)
	}
	return w.overwrite(start, end, string(head))
}
