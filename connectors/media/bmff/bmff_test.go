package bmff

import (
	"bytes"
	"testing"
)

func TestAWalkEnds(t *testing.T) {
	content := bytes.Repeat([]byte{0, 0, 0, 8, 'f', 'r', 'e', 'e'}, MaxBoxes+1)
	visited := 0
	err := New(bytes.NewReader(content)).Walk(0, int64(len(content)), func(Box) error { visited++; return nil })
	if err == nil || visited != MaxBoxes {
		t.Errorf("%d boxes are visited, %v", visited, err)
	}
}
