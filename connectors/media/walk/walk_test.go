package walk

import (
	"bytes"
	"errors"
	"testing"
)

// Each walk of a file of more parts than any program writes ends.
func TestAWalkEnds(t *testing.T) {
	chunks, elements := bytes.Repeat(make([]byte, 8), maxParts+1), bytes.Repeat([]byte{0xec, 0x80}, maxElements+1)
	err := NewRIFF(bytes.NewReader(chunks)).Walk(0, int64(len(chunks)), func(Chunk) error { return nil })
	if !errors.Is(err, ErrTooMany) {
		t.Errorf("of RIFF: %v", err)
	}
	err = NewEBML(bytes.NewReader(elements)).Walk(0, int64(len(elements)), func(*Element) error { return nil })
	if !errors.Is(err, ErrTooMany) {
		t.Errorf("of EBML: %v", err)
	}
}

// A visitor that is done ends the whole walk, from within too.
func TestAVisitorIsDone(t *testing.T) {
	content := []byte{0xae, 0x84, 0xec, 0x80, 0xec, 0x80, 0xec, 0x80} // two in one, and one more
	file := NewEBML(bytes.NewReader(content))
	visited := 0
	var visit func(e *Element) error
	visit = func(e *Element) error {
		if visited++; e.ID == 0xec {
			return ErrDone
		}
		return file.Walk(e.Body, e.End, visit)
	}
	if err := file.Walk(0, int64(len(content)), visit); err != nil || visited != 2 {
		t.Errorf("%d elements are visited, %v", visited, err)
	}
}

// An element of nothing may be the last of a file.
func TestAnEmptyElementEndsAFile(t *testing.T) {
	content := []byte{0xec, 0x80}
	if err := NewEBML(bytes.NewReader(content)).Walk(0, int64(len(content)), func(*Element) error { return nil }); err != nil {
		t.Error(err)
	}
}

// An element in itself, by sizes that are not known, is followed a few levels deep.
func TestElementsWithinEachOther(t *testing.T) {
	content := bytes.Repeat([]byte{0xae, 0xff}, 100)
	file := NewEBML(bytes.NewReader(content))
	var visit func(e *Element) error
	visit = func(e *Element) error { return file.Walk(e.Body, e.End, visit) }
	if err := file.Walk(0, int64(len(content)), visit); err == nil {
		t.Error("all levels are walked through")
	}
}
