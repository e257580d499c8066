package film

import (
	"encoding/binary"
	"slices"
	"strings"

	"crier/connectors/media/bmff"
)

// sound is how a track of sound is coded; zero: the file does not say.
type sound struct {
	codec    string
	channels int
}

// soundCodecs are the names of sample entries of sound (mp4ra.org; QuickTime File Format).
var soundCodecs = map[string]string{
	"mp4a": "", ".mp3": "mp3", "ac-3": "ac3", "ec-3": "eac3", "Opus": "opus", "fLaC": "flac", "samr": "amr", "sawb": "amr",
	"lpcm": "pcm", "sowt": "pcm", "twos": "pcm", "in24": "pcm", "in32": "pcm", "fl32": "pcm", "fl64": "pcm", "raw": "pcm",
	"NONE": "pcm", "ipcm": "pcm", "fpcm": "pcm",
}

// sounds reads the first entry of stsd (14496-12, 12.2.3). QuickTime has longer ones, by their version.
func (t *track) sounds(b bmff.Box) error {
	const count, plain, short, long = 8, 28, 44, 64 // bytes before what is read
	isFirst := true
	return t.file.Children(b, count, func(entry bmff.Box) error {
		if !isFirst {
			return nil
		}
		isFirst = false
		raw, err := t.file.Content(entry, plain, long)
		if err != nil {
			return err
		}
		codec, known := soundCodecs[strings.TrimSpace(entry.Kind)]
		if !known {
			codec = printable(entry.Kind)
		}
		t.sound = sound{codec, int(binary.BigEndian.Uint16(raw[16:]))}
		own := int64(plain)
		switch version := binary.BigEndian.Uint16(raw[8:]); {
		case version == 1:
			own = short
		case version == 2 && len(raw) == long:
			own, t.sound.channels = long, int(binary.BigEndian.Uint32(raw[40:]))
		}
		_ = t.file.Children(entry, own, t.inSound) // what cannot be read says nothing
		return nil
	})
}

func (t *track) inSound(b bmff.Box) error {
	const maximum = 256 // bytes of what describes a stream
	switch b.Kind {
	case "wave":
		return t.file.Children(b, 0, t.inSound)
	case "esds":
		raw, err := t.file.Content(b, 4, maximum)
		if err == nil {
			t.stream(raw[4:])
		}
		return err
	}
	return nil
}

// The descriptors of a stream (14496-1, 7.2.6), each within the one before.
const (
	streamDescriptor  = 3
	decoderDescriptor = 4
	decoderSpecific   = 5
)

// stream reads esds: what mp4a is, and of AAC what is left of it, since entries say two channels of any.
func (t *track) stream(raw []byte) {
	const head, decoderHead = 3, 13 // bytes of the descriptors' own
	if raw = descriptor(raw, streamDescriptor); len(raw) < head {
		return
	}
	if raw = descriptor(raw[head:], decoderDescriptor); len(raw) < decoderHead {
		return
	}
	switch object := raw[0]; {
	case object == 0x69 || object == 0x6b:
		t.sound.codec = "mp3"
	case object == 0x40 || object >= 0x66 && object <= 0x68:
		t.sound.codec = "aac"
		t.aac(descriptor(raw[decoderHead:], decoderSpecific))
	}
}

// aac reads an AudioSpecificConfig (14496-3, 1.6.2.1).
func (t *track) aac(raw []byte) {
	bits := &bitReader{raw: raw}
	kind := bits.number(5)
	if kind == 31 {
		kind = 32 + bits.number(6)
	}
	if bits.number(4) == 15 {
		bits.number(24)
	}
	channels := bits.number(4)
	if bits.isOver {
		return
	}
	if slices.Contains([]uint32{5, 29, 42}, kind) { // with a band or a stereo picture that is made up, or extended
		t.sound.codec = "he-aac"
	}
	switch {
	case channels == 7:
		t.sound.channels = 8
	case channels > 0 && channels < 7:
		t.sound.channels = int(channels)
	}
}

// descriptor returns the content of a descriptor of a kind; nil: there is none.
func descriptor(raw []byte, kind byte) []byte {
	if len(raw) < 2 || raw[0] != kind {
		return nil
	}
	length, at := 0, 1
	for at < len(raw) && at <= 4 {
		length = length<<7 | int(raw[at]&0x7f)
		at++
		if raw[at-1]&0x80 == 0 {
			break
		}
	}
	return raw[at:min(at+length, len(raw))]
}
