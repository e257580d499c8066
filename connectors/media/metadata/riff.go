package metadata

import (
	"encoding/binary"
	"errors"

	"crier/connectors/media/exif"
)

// riffHead is the size of what begins a RIFF file, in bytes: its mark, its size, what it is.
const riffHead = 12

// riffChunk is a chunk of a RIFF file: four bytes of kind, four of size, the content, and a byte more
// where that is odd.
type riffChunk struct {
	kind             string
	start, body, end int64 // end is of the content
	next             int64
}

// chunks visits the chunks between two offsets.
func (p *planner) chunks(start, end int64, count *int, visit func(riffChunk) error) error {
	for start+8 <= end {
		if *count++; *count > maxChunks {
			return errTooMuch
		}
		var head [8]byte
		if err := p.read(head[:], start); err != nil {
			return err
		}
		c := riffChunk{string(head[:4]), start, start + 8, start + 8 + int64(binary.LittleEndian.Uint32(head[4:])), 0}
		if c.end > end {
			return errCutShort
		}
		c.next = min(c.end+c.end&1, end)
		if err := visit(c); err != nil {
			return err
		}
		start = c.next
	}
	return nil
}

// lossy is the name of a chunk, whose blank is part of it.
const lossy = "VP8 "

// webpKept are the chunks that a picture is shown by (RFC 9649, 2.7).
var webpKept = map[string]bool{lossy: true, "VP8L": true, "VP8X": true, "ALPH": true, "ANIM": true, "ANMF": true, "ICCP": true}

// The flags of a WebP's extended header.
const (
	webpExif = 0x08
	webpXMP  = 0x04
)

// webp cuts Exif, XMP and what is not known, and corrects the sizes and flags that tell of them.
func (p *planner) webp() error {
	var head [riffHead]byte
	if err := p.read(head[:], 0); err != nil {
		return err
	}
	w := &webpWalk{planner: p, end: min(int64(binary.LittleEndian.Uint32(head[4:]))+8, p.size), flagsAt: -1}
	if w.end < riffHead {
		return errDamaged
	}
	if err := p.chunks(riffHead, w.end, &w.count, w.chunk); err != nil {
		return err
	}
	size := w.end - 8 - p.plan.Removed()
	if err := p.cut(w.end, p.size); err != nil {
		return err
	}
	if size != int64(binary.LittleEndian.Uint32(head[4:])) {
		if err := p.replace(4, 8, binary.LittleEndian.AppendUint32(nil, uint32(size))); err != nil {
			return err
		}
	}
	return w.correctFlags()
}

type webpWalk struct {
	*planner
	end     int64
	count   int
	flagsAt int64 // of the extended header; -1: there is none
	flags   byte
	turned  bool // an orientation stays
}

func (w *webpWalk) chunk(c riffChunk) error {
	switch {
	case c.kind == "VP8X" && w.flagsAt < 0 && c.body < c.end:
		w.flagsAt = c.body
		var flags [1]byte
		err := w.read(flags[:], c.body)
		w.flags = flags[0]
		return err
	case c.kind == "EXIF" && w.flagsAt >= 0 && !w.turned:
		turn, err := w.exif(c.body, c.end-c.body)
		if err != nil || !turn.Turns() {
			return w.cutChunk(c, err)
		}
		w.turned = true
		return w.replaceUnlessSame(c.start, c.next, webpTurn(turn))
	case c.kind == "ANMF":
		return w.frame(c)
	case !webpKept[c.kind]:
		return w.cutChunk(c, nil)
	}
	return nil
}

func (w *webpWalk) cutChunk(c riffChunk, err error) error {
	if err != nil {
		return err
	}
	return w.cut(c.start, c.next)
}

// frame looks into a picture of an animation, which may have chunks of its own that are not known.
func (w *webpWalk) frame(c riffChunk) error {
	const own = 16
	before := w.plan.Removed()
	err := w.chunks(c.body+own, c.end, &w.count, func(inner riffChunk) error {
		if webpKept[inner.kind] {
			return nil
		}
		return w.cut(inner.start, inner.next)
	})
	if removed := w.plan.Removed() - before; err == nil && removed > 0 {
		size := binary.LittleEndian.AppendUint32(nil, uint32(c.end-c.body-removed))
		err = w.replace(c.start+4, c.body, size)
	}
	return err
}

func webpTurn(turn exif.Orientation) []byte {
	raw := turn.Bytes()
	return append(binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(raw))), raw...)
}

// correctFlags makes the flags of the extended header tell what is there.
func (w *webpWalk) correctFlags() error {
	flags := w.flags &^ (webpExif | webpXMP)
	if w.turned {
		flags |= webpExif
	}
	if w.flagsAt < 0 || flags == w.flags {
		return nil
	}
	return w.replace(w.flagsAt, w.flagsAt+1, []byte{flags})
}

// avi overwrites what an AVI says of itself (INFO), when it was taken (IDIT), XMP (_PMX) and what fills
// it. Chunks stay where they are: its index names offsets.
func (p *planner) avi() error {
	count, depth := 0, 0
	var visit func(c riffChunk) error
	visit = func(c riffChunk) error {
		switch c.kind {
		case "IDIT", "_PMX", "JUNK", "ISMP":
			return p.junk(c)
		case "RIFF", "LIST":
			var kind [4]byte
			if c.end-c.body < int64(len(kind)) {
				return nil
			}
			if err := p.read(kind[:], c.body); err != nil {
				return err
			}
			switch string(kind[:]) {
			case "INFO", "exif":
				return p.junk(c)
			case "AVI ", "AVIX", "hdrl", "strl", "odml":
				if depth++; depth > deepest {
					return errDamaged
				}
				err := p.chunks(c.body+4, c.end, &count, visit)
				depth--
				return err
			}
		}
		return nil
	}
	if err := p.chunks(0, p.size, &count, visit); !errors.Is(err, errCutShort) {
		return err
	}
	return nil // recorders that were switched off leave sizes that are wrong at the end
}

// junk makes of a chunk one that everybody passes over.
func (p *planner) junk(c riffChunk) error {
	if c.kind != "JUNK" {
		if err := p.overwrite(c.start, c.start+4, "JUNK"); err != nil {
			return err
		}
	}
	return p.blank(c.body, c.end)
}
