package metadata

import (
	"encoding/binary"
	"errors"

	"crier/connectors/media/exif"
	"crier/connectors/media/walk"
)

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
	var head [walk.RIFFHead]byte
	if err := p.read(head[:], 0); err != nil {
		return err
	}
	w := &webpWalk{planner: p, file: walk.NewRIFF(p.content), end: min(int64(binary.LittleEndian.Uint32(head[4:]))+8, p.size), flagsAt: -1}
	if w.end < walk.RIFFHead {
		return walk.ErrDamaged
	}
	if err := w.file.Walk(walk.RIFFHead, w.end, w.chunk); err != nil {
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
	file    *walk.RIFF
	end     int64
	flagsAt int64 // of the extended header; -1: there is none
	flags   byte
	turned  bool // an orientation stays
}

func (w *webpWalk) chunk(c walk.Chunk) error {
	switch {
	case c.Kind == "VP8X" && w.flagsAt < 0 && c.Body < c.End:
		w.flagsAt = c.Body
		var flags [1]byte
		err := w.read(flags[:], c.Body)
		w.flags = flags[0]
		return err
	case c.Kind == "EXIF" && w.flagsAt >= 0 && !w.turned:
		turn, err := w.exif(c.Body, c.End-c.Body)
		if err != nil || !turn.Turns() {
			return w.cutChunk(c, err)
		}
		w.turned = true
		return w.replaceUnlessSame(c.Start, c.Next, webpTurn(turn))
	case c.Kind == "ANMF":
		return w.frame(c)
	case !webpKept[c.Kind]:
		return w.cutChunk(c, nil)
	}
	return nil
}

func (w *webpWalk) cutChunk(c walk.Chunk, err error) error {
	if err != nil {
		return err
	}
	return w.cut(c.Start, c.Next)
}

// frame looks into a picture of an animation, which may have chunks of its own that are not known.
func (w *webpWalk) frame(c walk.Chunk) error {
	const own = 16
	before := w.plan.Removed()
	err := w.file.Walk(c.Body+own, c.End, func(inner walk.Chunk) error {
		if webpKept[inner.Kind] {
			return nil
		}
		return w.cut(inner.Start, inner.Next)
	})
	if removed := w.plan.Removed() - before; err == nil && removed > 0 {
		size := binary.LittleEndian.AppendUint32(nil, uint32(c.End-c.Body-removed))
		err = w.replace(c.Start+4, c.Body, size)
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
	file, depth := walk.NewRIFF(p.content), 0
	var visit func(c walk.Chunk) error
	visit = func(c walk.Chunk) error {
		switch c.Kind {
		case "IDIT", "_PMX", "JUNK", "ISMP":
			return p.junk(c)
		case "RIFF", "LIST":
			var kind [4]byte
			if c.End-c.Body < int64(len(kind)) {
				return nil
			}
			if err := p.read(kind[:], c.Body); err != nil {
				return err
			}
			switch string(kind[:]) {
			case "INFO", "exif":
				return p.junk(c)
			case "AVI ", "AVIX", "hdrl", "strl", "odml":
				if depth++; depth > deepest {
					return walk.ErrDamaged
				}
				err := file.Walk(c.Body+4, c.End, visit)
				depth--
				return err
			}
		}
		return nil
	}
	if err := file.Walk(0, p.size, visit); !errors.Is(err, walk.ErrCut) {
		return err
	}
	return nil // recorders that were switched off leave sizes that are wrong at the end
}

// junk makes of a chunk one that everybody passes over.
func (p *planner) junk(c walk.Chunk) error {
	if c.Kind != "JUNK" {
		if err := p.overwrite(c.Start, c.Start+4, "JUNK"); err != nil {
			return err
		}
	}
	return p.blank(c.Body, c.End)
}
