package film

import (
	"encoding/binary"
	"math"

	"crier/connectors/media/bmff"
)

// rate is how long the pictures of a track last, in its units.
type rate struct {
	pictures, units float64
	durations       map[uint32]float64 // how many pictures last how long
}

// Bounds of what is read of tables.
const (
	maxDurations = 1_000_000 // entries of a table
	maxKinds     = 10_000    // durations that are told apart
	pieceEntries = 8192      // that are read at once
)

func (r *rate) add(pictures float64, each uint32) {
	if r.durations == nil {
		r.durations = make(map[uint32]float64)
	}
	r.pictures, r.units = r.pictures+pictures, r.units+pictures*float64(each)
	if _, known := r.durations[each]; known || len(r.durations) < maxKinds {
		r.durations[each] += pictures
	}
}

// readTable reads stts (8.6.1.2): how many pictures last how long, one after the other.
func (r *rate) readTable(file *bmff.File, b bmff.Box) error {
	const entry = 8
	head, err := file.Content(b, 8, 8)
	if err != nil {
		return err
	}
	left := min(int64(binary.BigEndian.Uint32(head[4:])), maxDurations, (b.End-b.Body-8)/entry)
	for at := b.Body + 8; left > 0; {
		raw := make([]byte, entry*min(left, pieceEntries))
		if err := file.Read(raw, at); err != nil {
			return err
		}
		at, left = at+int64(len(raw)), left-int64(len(raw))/entry
		for ; len(raw) > 0; raw = raw[entry:] {
			r.add(float64(binary.BigEndian.Uint32(raw)), binary.BigEndian.Uint32(raw[4:]))
		}
	}
	return nil
}

// result returns pictures a second in the mean, and whether more than a twentieth of them last longer or
// shorter than that by a tenth, and by more than the file's unit.
func (r *rate) result(scale uint32) (perSecond float64, unsteady bool) {
	if r.units == 0 || scale == 0 || r.pictures < 2 {
		return 0, false
	}
	mean := r.units / r.pictures
	others := 0.0
	for each, pictures := range r.durations {
		if math.Abs(float64(each)-mean) > max(mean/10, 1) {
			others += pictures
		}
	}
	const thousandth = 1000
	perSecond = math.Round(thousandth*float64(scale)/mean) / thousandth
	return perSecond, others > 1 && others > r.pictures/20
}
