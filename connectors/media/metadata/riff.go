package metadata

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"crier/connectors/media/exif"
	"crier/connectors/media/walk"
)

// lossy is the name of a chunk, whose blank is part of it.
const lossy = "VP8 "

// webpChunks are the chunks that a picture is shown by (RFC 9649, 2.7).
var webpChunks = map[string]bool{lossy: true, "VP8L": true, "VP8X": true, "ALPH": true, "ANIM": true, "ANMF": true, "ICCP": true}

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
	if err := w.walk(); err != nil {
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
	file   *walk.RIFF
	end    int64
	passed int64 // where the chunk ends that was come to last
	// pictured: a picture was passed.
	pictured bool
	flagsAt  int64 // of the extended header; -1: there is none
	flags    byte
	turned   bool // an orientation stays
}

// walk goes through the chunks. One of Exif or XMP behind the picture that goes beyond the end, as programs write
// it, goes with its beginning.
func (w *webpWalk) walk() error {
	w.passed = walk.RIFFHead
	err := w.file.Walk(walk.RIFFHead, w.end, w.chunk)
	if !errors.Is(err, walk.ErrCut) || w.file.At() != w.passed {
		return err
	}
	var kind [4]byte
	if err := w.read(kind[:], w.passed); err != nil || !w.pictured || string(kind[:]) != "EXIF" && string(kind[:]) != "XMP " {
		return walk.ErrCut
	}
	return w.cut(w.passed, w.end)
}

func (w *webpWalk) chunk(c walk.Chunk) error {
	w.passed, w.pictured = c.Next, w.pictured || slices.Contains([]string{"VP8 ", "VP8L", "ANMF"}, c.Kind)
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
	case !webpChunks[c.Kind]:
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
		if webpChunks[inner.Kind] {
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

// aviForm is the name of what an AVI's first list is, whose blank is part of it.
const aviForm = "AVI "

// aviChunks are the chunks and lists that an AVI is played by, by the list that they are in.
var aviChunks = map[string][]string{
	"":      {"RIFF"},
	aviForm: {"hdrl", "movi", "idx1"},
	"AVIX":  {"movi", "idx1"},
	"hdrl":  {"avih", "strl", "odml"},
	"strl":  {"strh", "strf", "strd", "indx", "vprp"},
	"odml":  {"dmlh"},
}

// notes are how cameras begin what they put where codecs have their own data (strd).
var notes = []string{"AVIF", "CASI", "Zora"}

// nothing is the kind of what zeros are as a chunk.
const nothing = "\x00\x00\x00\x00"

// avi overwrites all else: what an AVI says of itself (INFO), when it was taken (IDIT), XMP (_PMX), the
// notes of cameras, and what fills it. Chunks stay where they are: its index names offsets.
func (p *planner) avi() error {
	a := &aviWalk{planner: p, file: walk.NewRIFF(p.content)}
	return a.walk(0, p.size, "")
}

type aviWalk struct {
	*planner
	file  *walk.RIFF
	depth int
}

// walk goes through the chunks of a list. What goes beyond it, as recorders leave that were switched off,
// ends with it where it is of the film, and is blanked otherwise.
func (a *aviWalk) walk(start, end int64, list string) error {
	if a.depth++; a.depth > deepest {
		return walk.ErrDamaged
	}
	defer func() { a.depth-- }()
	err := a.file.Walk(start, end, func(c walk.Chunk) error { return a.chunk(c, list) })
	if err != nil && !errors.Is(err, walk.ErrCut) {
		return err
	}
	at := a.file.At()
	var head [walk.RIFFHead]byte
	if err == nil || at+walk.RIFFHead > end || a.read(head[:], at) != nil {
		return a.fill(at, end)
	}
	c := walk.Chunk{Kind: string(head[:4]), Start: at, Body: at + 8, End: end, Next: end}
	name := nameOf(c, list, string(head[8:]))
	switch isEmpty := binary.LittleEndian.Uint32(head[4:]) == 0; {
	case !isList(c.Kind):
	case slices.Contains(aviChunks[list], name) && (!isEmpty || goesOn(name)):
		return a.chunk(c, list)
	case isEmpty: // what follows may be the film
		return walk.ErrDamaged
	}
	return a.fill(at, end)
}

// goesOn reports whether a list whose size was not written is the film, to its end.
func goesOn(name string) bool { return name == "RIFF" || name == "movi" }

// fill replaces the bytes from start to end by one chunk that every reader skips.
func (a *aviWalk) fill(start, end int64) error {
	const head = 8
	if end-start < head {
		return a.blank(start, end)
	}
	size := uint32(min(end-start-head, math.MaxUint32))
	return a.overwrite(start, end, "JUNK"+string(binary.LittleEndian.AppendUint32(nil, size)))
}

func isList(kind string) bool { return kind == "RIFF" || kind == "LIST" }

// nameOf returns what a chunk is called in a list: a list itself by what its content begins with.
func nameOf(c walk.Chunk, list, begins string) string {
	if isList(c.Kind) && list != "" {
		return begins
	}
	return c.Kind
}

func (a *aviWalk) chunk(c walk.Chunk, list string) error {
	var raw [4]byte
	if c.End-c.Body >= int64(len(raw)) {
		if err := a.read(raw[:], c.Body); err != nil {
			return err
		}
	}
	begins := string(raw[:])
	name := nameOf(c, list, begins)
	switch {
	case c.Kind == nothing && c.Body == c.End: // zeros that fill
	case isList(c.Kind) && c.Body == c.End: // its size was to be written once the recording ends
		return walk.ErrCut
	case !slices.Contains(aviChunks[list], name), name == "strd" && slices.Contains(notes, begins):
		return a.junk(c)
	case name == "strh" && !slices.Contains([]string{"vids", "auds", "iavs", "mids"}, begins):
		a.name(begins)
	case isList(c.Kind) && aviChunks[begins] != nil:
		return a.walk(c.Body+int64(len(raw)), c.End, begins)
	}
	return nil
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
