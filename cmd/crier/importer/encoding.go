package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// text is a file of text in UTF-8, with line feeds at the ends of its lines.
type text struct {
	*bufio.Reader
	skipped int64 // bytes before what is read: a mark of the byte order, a line sep=
	comma   rune  // as a line sep= says; 0: none does
	// exact: each byte that is read stands at its own place in the file, if not as the same byte.
	exact bool
}

var (
	byteOrderMark = []byte("\uFEFF")
	// separatorLine is what Excel reads before the header: which character separates cells.
	separatorLine = regexp.MustCompile(`^"?sep=(.)"?(?:\r\n|\n)`)
)

// peeked is how much of a file is looked at to find out how it is written.
const peeked = 64 << 10

// openText reads UTF-8, and UTF-16 that begins with its mark. Lines may end in CR, LF or both.
func openText(r io.Reader) (*text, error) {
	t := &text{Reader: bufio.NewReaderSize(r, peeked), exact: true}
	if start, _ := t.Peek(2); string(start) == "\xff\xfe" || string(start) == "\xfe\xff" {
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		t.Reader, t.exact = bufio.NewReaderSize(transform.NewReader(t.Reader, decoder), peeked), false
	}
	if mark, err := t.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		if err := t.skip(len(mark)); err != nil {
			return nil, err
		}
	}
	start, _ := t.Peek(peeked) // a shorter file is looked at as far as it goes
	if bytes.IndexByte(start, 0) >= 0 {
		return nil, errors.New("the file is no text in UTF-8: save the table as CSV UTF-8, or as .xlsx")
	}
	if endsInCR(start) {
		t.Reader = bufio.NewReaderSize(carriageReturns{t.Reader}, peeked)
		start, _ = t.Peek(peeked)
	}
	if line := separatorLine.FindSubmatch(start); line != nil {
		t.comma = rune(line[1][0])
		return t, t.skip(len(line[0]))
	}
	return t, nil
}

func (t *text) skip(n int) error {
	if _, err := t.Discard(n); err != nil {
		return fmt.Errorf("reading the header: %w", err)
	}
	t.skipped += int64(n)
	return nil
}

// endsInCR reports whether the first line ends in a carriage return alone. What stands in quotes
// ends no line.
func endsInCR(start []byte) bool {
	quoted := false
	for i, c := range start {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 < len(start) && start[i+1] != '\n'
		}
	}
	return false
}

// carriageReturns reads a file whose lines end in carriage returns.
type carriageReturns struct{ from io.Reader }

func (c carriageReturns) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	for i := range p[:n] {
		if p[i] == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
