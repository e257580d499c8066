package metadata

import (
	"errors"
	"io"
	"sort"
)

// View is a file as its plan makes it. It is read as it is asked for, by several readers at once if
// the content can be.
type View struct {
	*io.SectionReader
}

// View returns the content of a file of the given size without what the plan removes.
func (p Plan) View(content io.ReaderAt, size int64) View {
	s := &spliced{content: content}
	at := int64(0) // in the content
	for _, e := range p.Edits {
		s.add(part{from: at, size: e.At - at, isContent: true})
		s.add(part{with: e.With, size: e.size()})
		at = e.At + e.Length
	}
	s.add(part{from: at, size: size - at, isContent: true})
	return View{io.NewSectionReader(s, 0, s.size)}
}

// spliced is content in parts.
type spliced struct {
	content io.ReaderAt
	parts   []part
	size    int64
}

// part is content from an offset on, or other bytes with zeros behind them.
type part struct {
	at        int64 // where it begins in what is read
	size      int64
	isContent bool
	from      int64
	with      []byte
}

func (s *spliced) add(p part) {
	if p.size <= 0 {
		return
	}
	p.at = s.size
	s.parts = append(s.parts, p)
	s.size += p.size
}

// ReadAt implements io.ReaderAt.
func (s *spliced) ReadAt(into []byte, offset int64) (n int, err error) {
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].at+s.parts[i].size > offset })
	for ; n < len(into) && i < len(s.parts); i++ {
		p := s.parts[i]
		within := offset + int64(n) - p.at
		piece := into[n:]
		if left := p.size - within; int64(len(piece)) > left {
			piece = piece[:left]
		}
		if err := p.read(s.content, piece, within); err != nil {
			return n, err
		}
		n += len(piece)
	}
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

func (p part) read(content io.ReaderAt, into []byte, within int64) error {
	if p.isContent {
		n, err := content.ReadAt(into, p.from+within)
		if n == len(into) {
			return nil
		}
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file is shorter than it was
		}
		return err
	}
	clear(into)
	if within < int64(len(p.with)) {
		copy(into, p.with[within:])
	}
	return nil
}
