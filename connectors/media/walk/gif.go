package walk

import (
	"bufio"
	"io"
)

// The blocks of a GIF (GIF89a, appendix A).
const (
	GIFExtension = 0x21
	GIFImage     = 0x2c
	GIFTrailer   = 0x3b
	// GIFNothing are zeros between blocks, which some programs write and viewers pass over or stop at.
	GIFNothing = 0
)

// Labels of extensions.
const (
	GIFPlainText   = 0x01 // is drawn
	GIFControl     = 0xf9 // how long the next picture is shown
	GIFApplication = 0xff
)

// Block is where a block of a GIF stands.
type Block struct {
	Kind       byte
	Label      byte // of an extension
	Start, End int64
	// Application names whose extension it is, by eleven bytes.
	Application string
}

// GIF visits the blocks up to the trailer, which many files do not have: the end between two blocks is an
// end too.
func GIF(content io.ReaderAt, size int64, visit func(Block) error) error {
	const header = 13 // bytes, without the table of colors
	g := &gif{r: bufio.NewReaderSize(io.NewSectionReader(content, 0, size), 32<<10)}
	head, err := g.take(header)
	if err != nil {
		return err
	}
	if err := g.skip(colorTable(head[10])); err != nil {
		return err
	}
	for range maxParts {
		b := Block{Start: g.at}
		if b.Kind, err = g.r.ReadByte(); err != nil {
			return nil //nolint:nilerr // the file has no trailer
		}
		g.at++
		if err := g.pass(&b); err != nil {
			return err
		}
		b.End = g.at
		if err := visit(b); err != nil || b.Kind == GIFTrailer {
			return done(err)
		}
	}
	return ErrTooMany
}

type gif struct {
	r  *bufio.Reader
	at int64 // of what is read next
}

func (g *gif) take(n int) ([]byte, error) {
	raw := make([]byte, n)
	g.at += int64(n)
	if _, err := io.ReadFull(g.r, raw); err != nil {
		return nil, ErrCut
	}
	return raw, nil
}

func (g *gif) skip(n int) error {
	g.at += int64(n)
	if _, err := g.r.Discard(n); err != nil {
		return ErrCut
	}
	return nil
}

// pass goes over the rest of a block.
func (g *gif) pass(b *Block) error {
	switch b.Kind {
	case GIFTrailer:
		return nil
	case GIFNothing:
		return g.zeros()
	case GIFImage:
		head, err := g.take(9)
		if err != nil {
			return err
		}
		if err := g.skip(colorTable(head[8]) + 1); err != nil { // and the size of codes
			return err
		}
	case GIFExtension:
		label, err := g.take(1)
		if err != nil {
			return err
		}
		const name = 11
		b.Label = label[0]
		if head, err := g.r.Peek(1 + name); err == nil && b.Label == GIFApplication && head[0] == name {
			b.Application = string(head[1:])
		}
	default:
		return ErrDamaged
	}
	return g.subBlocks()
}

// zeros goes to a byte that is none: a file that ends with them was cut off.
func (g *gif) zeros() error {
	for {
		next, err := g.r.Peek(1)
		if err != nil {
			return ErrCut
		}
		if next[0] != 0 {
			return nil
		}
		if err := g.skip(1); err != nil {
			return err
		}
	}
}

// subBlocks goes on until an empty one.
func (g *gif) subBlocks() error {
	for {
		length, err := g.take(1)
		if err != nil || length[0] == 0 {
			return err
		}
		if err := g.skip(int(length[0])); err != nil {
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
