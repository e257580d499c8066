package metadata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"crier/connectors/media/heif"
)

// TestFilesThatCostTooMuchAreRefused has small files that name the same parts again and again.
func TestFilesThatCostTooMuchAreRefused(t *testing.T) {
	brand := box("ftyp", []byte("isom\x00\x00\x02\x00isom"))
	block := slices.Concat([]byte("\x00\x00\x00\x00freeGPS "), make([]byte, 100))
	table := make([]byte, 8)
	for range 3 {
		table = binary.BigEndian.AppendUint32(table, uint32(len(brand)+8))
		table = binary.BigEndian.AppendUint32(table, uint32(len(block)))
	}
	for name, film := range map[string][]byte{
		"blocks of positions over each other": slices.Concat(brand, box("mdat", block), box("moov", box("gps ", table))),
		"boxes of items":                      slices.Concat(brand, bytes.Repeat(box("meta", make([]byte, 4)), maxMetas+1)),
	} {
		if _, err := Find(bytes.NewReader(film), int64(len(film)), "video/mp4"); !errors.Is(err, errTooMuch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	places := box("iloc", []byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x00\x20\x00")) // 8,192 of one item, each of no bytes
	photo := slices.Concat(box("ftyp", []byte("heic\x00\x00\x00\x00heic")), box("meta", make([]byte, 4),
		box("pitm", []byte("\x00\x00\x00\x00\x00\x01")),
		box("iinf", []byte("\x00\x00\x00\x00\x00\x01"), box("infe", []byte("\x02\x00\x00\x00\x00\x01\x00\x00hvc1\x00"))), places, places))
	if _, err := Find(bytes.NewReader(photo), int64(len(photo)), heif.HEIC); err == nil {
		t.Error("places of items have no bound")
	}
}
