package film

import (
	"encoding/binary"
	"time"

	"crier/connectors/media/bmff"
)

// fragments is what is known of a film that was recorded in fragments (8.8): how long it is stands in
// mehd, else in an index (sidx), else only in the fragments.
type fragments struct {
	isUsed   bool
	extended float64                  // mehd, in the film's units
	indexed  map[uint32]time.Duration // by track
	each     map[uint32]uint32        // how long a picture lasts where its fragment does not say, by track
	begins   map[uint32]float64       // by track, in its units
	ends     map[uint32]float64       // likewise
	rates    map[uint32]rate          // of the beginning, by track
	failed   bool                     // they could not be read to their end
	samples  int64                    // that were read one by one
}

// maxSamples bounds the samples of fragments that are read one by one.
const maxSamples = 4_000_000

// inExtends reads what moov says of fragments.
func (f *fragments) inExtends(file *bmff.File) func(bmff.Box) error {
	return func(b bmff.Box) error {
		switch b.Kind {
		case "mehd":
			raw, version, err := file.Times(b, 8, 12)
			if err != nil {
				return nil //nolint:nilerr // then it does not say
			}
			f.extended = float64(binary.BigEndian.Uint32(raw[4:]))
			if version == 1 {
				f.extended = float64(binary.BigEndian.Uint64(raw[4:]))
			}
		case "trex":
			if raw, err := file.Content(b, 16, 16); err == nil && len(f.each) < maxTracks {
				set(&f.each, binary.BigEndian.Uint32(raw[4:]), binary.BigEndian.Uint32(raw[12:]))
			}
		}
		return nil
	}
}

func set[V any](m *map[uint32]V, key uint32, value V) {
	if *m == nil {
		*m = make(map[uint32]V)
	}
	(*m)[key] = value
}

// index reads sidx (8.16.3): how long the parts are that it lists.
func (f *fragments) index(file *bmff.File, b bmff.Box) {
	const maxIndex = 1 << 20
	raw, err := file.Content(b, 24, maxIndex)
	if err != nil {
		return
	}
	head := 24 // up to the number of parts
	if raw[0] == 1 {
		head = 32
	}
	track, scale := binary.BigEndian.Uint32(raw[4:]), binary.BigEndian.Uint32(raw[8:])
	if len(raw) < head {
		return
	}
	units := 0.0
	for parts := raw[head:]; len(parts) >= 12; parts = parts[12:] {
		if isIndex := parts[0]&0x80 != 0; !isIndex {
			units += float64(binary.BigEndian.Uint32(parts[4:]))
		}
	}
	if len(f.indexed) < maxTracks {
		f.isUsed = true
		set(&f.indexed, track, f.indexed[track]+duration(units, scale))
	}
}

// read reads a fragment. What cannot be read ends it: then the length is not known by fragments.
func (f *fragments) read(file *bmff.File, b bmff.Box) {
	f.isUsed = true
	if f.failed {
		return
	}
	f.failed = file.Children(b, 0, func(b bmff.Box) error {
		if b.Kind != "traf" {
			return nil
		}
		t := &trackFragment{fragments: f, file: file}
		return file.Children(b, 0, t.inFragment)
	}) != nil || f.samples > maxSamples
}

// trackFragment is what a fragment has of a track.
type trackFragment struct {
	*fragments
	file *bmff.File
	id   uint32
	each uint32
}

func (t *trackFragment) inFragment(b bmff.Box) error {
	switch b.Kind {
	case "tfhd":
		return t.header(b)
	case "tfdt":
		raw, version, err := t.file.Times(b, 8, 12)
		if err != nil {
			return err
		}
		begins := float64(binary.BigEndian.Uint32(raw[4:]))
		if version == 1 {
			begins = float64(binary.BigEndian.Uint64(raw[4:]))
		}
		if _, known := t.begins[t.id]; !known {
			set(&t.begins, t.id, begins)
		}
		set(&t.ends, t.id, begins)
	case "trun":
		return t.run(b)
	}
	return nil
}

// header reads tfhd (8.8.7), whose flags say what it has.
func (t *trackFragment) header(b bmff.Box) error {
	raw, err := t.file.Content(b, 8, 32)
	if err != nil {
		return err
	}
	flags := binary.BigEndian.Uint32(raw)
	t.id = binary.BigEndian.Uint32(raw[4:])
	if len(t.ends) >= maxTracks {
		return bmff.ErrDamaged
	}
	t.each = t.fragments.each[t.id]
	set(&t.ends, t.id, t.ends[t.id])
	const hasOffset, hasDescription, hasDuration = 0x1, 0x2, 0x8
	at := 8
	if flags&hasOffset != 0 {
		at += 8
	}
	if flags&hasDescription != 0 {
		at += 4
	}
	if flags&hasDuration != 0 {
		if at+4 > len(raw) {
			return bmff.ErrDamaged
		}
		t.each = binary.BigEndian.Uint32(raw[at:])
	}
	return nil
}

// run reads trun (8.8.8): samples that follow each other.
func (t *trackFragment) run(b bmff.Box) error {
	if _, known := t.ends[t.id]; !known {
		return bmff.ErrDamaged // it has no header
	}
	raw, err := t.file.Content(b, 8, 8)
	if err != nil {
		return err
	}
	flags, count := binary.BigEndian.Uint32(raw), int64(binary.BigEndian.Uint32(raw[4:]))
	const hasOffset, hasFirst, hasDuration = 0x1, 0x4, 0x100
	rates := t.rates[t.id]
	defer func() { set(&t.rates, t.id, rates) }()
	if flags&hasDuration == 0 {
		rates.add(float64(count), t.each)
		set(&t.ends, t.id, t.ends[t.id]+float64(count)*float64(t.each))
		return nil
	}
	at, entry := b.Body+8, int64(0)
	for bit := uint32(0x100); bit <= 0x800; bit <<= 1 {
		if flags&bit != 0 {
			entry += 4
		}
	}
	for _, bit := range []uint32{hasOffset, hasFirst} {
		if flags&bit != 0 {
			at += 4
		}
	}
	if at+count*entry > b.End {
		return bmff.ErrDamaged
	}
	if t.samples += count; t.samples > maxSamples {
		return bmff.ErrDamaged
	}
	for left := count; left > 0; {
		raw := make([]byte, entry*min(left, pieceEntries))
		if err := t.file.Read(raw, at); err != nil {
			return err
		}
		at, left = at+int64(len(raw)), left-int64(len(raw))/entry
		for ; len(raw) > 0; raw = raw[entry:] {
			each := binary.BigEndian.Uint32(raw)
			rates.add(1, each)
			t.ends[t.id] += float64(each)
		}
	}
	return nil
}

// duration returns the length; zero: nothing says it.
func (f *fragments) duration(scale uint32, tracks []*track) (longest time.Duration) {
	if longest = duration(f.extended, scale); longest > 0 {
		return longest
	}
	for _, indexed := range f.indexed {
		longest = max(longest, indexed)
	}
	if longest > 0 || f.failed {
		return longest
	}
	for _, t := range tracks {
		longest = max(longest, duration(f.ends[t.id]-f.begins[t.id], t.scale))
	}
	return longest
}
