package walk

import (
	"encoding/binary"
	"io"
)

// Chunk is where a chunk of a PNG or a RIFF file stands: its content is from Body to End, and the next
// begins at Next.
type Chunk struct {
	Kind                   string
	Start, Body, End, Next int64
}

// PNG visits the chunks of a picture up to IEND (PNG 3rd edition, 5.3): length, kind, content, checksum.
// Without an IEND it was cut off.
func PNG(content io.ReaderAt, size int64, visit func(Chunk) error) error {
	const signature, checksum = 8, 4
	start := int64(signature)
	for range maxParts {
		var head [8]byte
		if err := read(content, head[:], start, size); err != nil {
			return err
		}
		c := Chunk{Kind: string(head[4:]), Start: start, Body: start + 8}
		c.End = c.Body + int64(binary.BigEndian.Uint32(head[:]))
		if c.Next = c.End + checksum; c.Next > size {
			return ErrCut
		}
		if err := visit(c); err != nil || c.Kind == "IEND" {
			return done(err)
		}
		start = c.Next
	}
	return ErrTooMany
}

// RIFF is a file of chunks in chunks, as WebP and AVI are: four bytes of kind, four of size, the content,
// and a byte more where that is odd.
type RIFF struct {
	content io.ReaderAt
	count   int   // so far
	at      int64 // what was walked over ends there
}

// RIFFHead is what stands before the chunks of a RIFF file, in bytes: its mark, its size, what it is.
const RIFFHead = 12

// NewRIFF returns a file of content.
func NewRIFF(content io.ReaderAt) *RIFF { return &RIFF{content: content} }

// At returns where the chunk begins that a walk could not pass, or what is less than a chunk behind them.
func (r *RIFF) At() int64 { return r.at }

// Walk visits the chunks between two offsets.
func (r *RIFF) Walk(start, end int64, visit func(Chunk) error) error {
	for r.at = start; start+8 <= end; r.at = start {
		if r.count++; r.count > maxParts {
			return ErrTooMany
		}
		var head [8]byte
		if err := read(r.content, head[:], start, end); err != nil {
			return err
		}
		c := Chunk{Kind: string(head[:4]), Start: start, Body: start + 8}
		if c.End = c.Body + int64(binary.LittleEndian.Uint32(head[4:])); c.End > end {
			return ErrCut
		}
		c.Next = min(c.End+c.End&1, end)
		if err := visit(c); err != nil {
			return done(err)
		}
		start = c.Next
	}
	return nil
}
