// Package film reads what MP4 and QuickTime say of a film: how large it is, how long, and how its
// pictures are coded (ISO/IEC 14496-12). Nothing is decoded; of tables no more is read than a bound.
//
//	moov → trak → mdia → stbl → stsd  codec, chroma and depth; of sound its codec and channels
//	                          → stts  durations of pictures
//	     → mvex, sidx, moof           length of what was recorded in fragments
package film

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"crier/connectors/media/bmff"
	"crier/schema"
)

// Film is what a file says.
type Film struct {
	Width, Height int           // as shown
	Duration      time.Duration // zero: it does not say
	SoundOnly     bool
	schema.FilmFacts
}

// Read reads a film. Of several tracks of pictures the largest counts.
func Read(content io.ReaderAt, size int64) (Film, error) {
	r := &reader{file: bmff.New(content), inner: bmff.New(content)}
	if _, err := r.file.Film(size, r.top); err != nil {
		return Film{}, err
	}
	if !r.found {
		return Film{}, errors.New("the file has no movie header")
	}
	return r.film(), nil
}

// reader is what was read of a film.
type reader struct {
	file      *bmff.File
	inner     *bmff.File // walks fragments, with a bound of its own
	found     bool       // moov was seen
	scale     uint32     // units a second, of the film
	units     float64    // its length in them; zero: not known
	tracks    []*track
	fragments fragments
}

func (r *reader) top(b bmff.Box) error {
	switch b.Kind {
	case "moov":
		r.found = true
		return r.file.Children(b, 0, r.inMovie)
	case "sidx":
		r.fragments.index(r.inner, b)
	case "moof":
		r.fragments.read(r.inner, b)
	}
	return nil
}

func (r *reader) inMovie(b bmff.Box) error {
	switch b.Kind {
	case "mvhd":
		return r.movieHeader(b)
	case "trak":
		if len(r.tracks) >= maxTracks {
			return errors.New("the file has too many tracks")
		}
		t := &track{file: r.file}
		r.tracks = append(r.tracks, t)
		return r.file.Children(b, 0, t.inTrack)
	case "mvex":
		r.fragments.isUsed = true
		return r.file.Children(b, 0, r.fragments.inExtends(r.file))
	}
	return nil
}

// maxTracks bounds the tracks that are kept. Films have a handful.
const maxTracks = 20_000

// movieHeader reads the length, which fragments do not count into.
func (r *reader) movieHeader(b bmff.Box) error {
	raw, version, err := r.file.Times(b, 20, 32)
	if err != nil {
		return err
	}
	r.scale, r.units = lengthOf(raw[4:], version)
	return nil
}

// lengthOf reads the scale and the length behind two times; a length with all bits set is not known.
func lengthOf(raw []byte, version byte) (scale uint32, units float64) {
	if version == 1 {
		scale, long := binary.BigEndian.Uint32(raw[16:]), binary.BigEndian.Uint64(raw[20:])
		if long == math.MaxUint64 {
			return scale, 0
		}
		return scale, float64(long)
	}
	scale, short := binary.BigEndian.Uint32(raw[8:]), binary.BigEndian.Uint32(raw[12:])
	if short == math.MaxUint32 {
		return scale, 0
	}
	return scale, float64(short)
}

// duration is no longer than a Duration can be; zero where there is no scale.
func duration(units float64, scale uint32) time.Duration {
	if scale == 0 {
		return 0
	}
	return Seconds(units / float64(scale))
}

// Seconds is a duration of so many seconds that is no longer than a Duration can be.
func Seconds(s float64) time.Duration {
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(min(s*float64(time.Second), float64(math.MaxInt64/2)))
}

// heard returns the sound that counts of several tracks: the first of AAC, which phones write beside what
// their own players know.
func (r *reader) heard() (found sound) {
	for _, t := range r.tracks {
		if t.handler == "soun" && (found.codec == "" || found.codec != "aac" && t.sound.codec == "aac") {
			found = t.sound
		}
	}
	return found
}

// film puts together what was read.
func (r *reader) film() Film {
	f := Film{Duration: duration(r.units, r.scale)}
	var picture *track
	hasSound, hasPictures := false, false
	for _, t := range r.tracks {
		hasSound = hasSound || t.handler == "soun"
		hasPictures = hasPictures || t.handler == "vide"
		if t.width*t.height > f.Width*f.Height {
			f.Width, f.Height = t.width, t.height
		}
		if t.handler == "vide" && (picture == nil || t.width*t.height > picture.width*picture.height) {
			picture = t
		}
	}
	f.SoundOnly = hasSound && !hasPictures && f.Width == 0
	if r.fragments.isUsed {
		f.Duration = max(f.Duration, r.fragments.duration(r.scale, r.tracks))
	}
	if picture == nil {
		return f
	}
	f.FilmFacts = picture.coding
	heard := r.heard()
	f.Sound, f.Channels = heard.codec, heard.channels
	rate := picture.rate
	if rate.pictures == 0 {
		rate = r.fragments.rates[picture.id]
	}
	f.FrameRate, f.Unsteady = rate.result(picture.scale)
	f.Edited = picture.edits.leaveOut(picture, r.scale)
	return f
}
