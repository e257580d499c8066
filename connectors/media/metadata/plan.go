package metadata

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"crier/connectors/media/heif"
	"crier/connectors/media/walk"
)

// Edit says what takes the place of a part of a file.
type Edit struct {
	At, Length int64
	With       []byte
	Pad        bool // zeros follow until the length is the same
}

// size is how many bytes take the place.
func (e Edit) size() int64 {
	if e.Pad {
		return e.Length
	}
	return int64(len(e.With))
}

// Plan is what is to be done to a file: edits in the order of their places, none over another.
type Plan struct {
	Edits []Edit
	// Tracks names the timed metadata tracks of a film, such as gpmd, and its subtitles: they stay.
	Tracks []string
}

// maxEdits bounds a plan. No program writes a file with a thousandth of them.
const maxEdits = 100_000

// deepest is how deep the chunks of an AVI are within each other that are walked through.
const deepest = 5

var errTooMuch = errors.New("the file has too many parts that are no picture")

// finders are by media type.
var finders = map[string]func(*planner) error{
	"image/jpeg": (*planner).jpeg, "image/png": (*planner).png, "image/webp": (*planner).webp, "image/gif": (*planner).gif,
	heif.HEIC: (*planner).heif, heif.AVIF: (*planner).heif,
	"video/mp4": (*planner).movie, "video/quicktime": (*planner).movie,
	"video/webm": (*planner).webm, "video/x-msvideo": (*planner).avi,
}

// Knows reports whether metadata is looked for in files of a media type.
func Knows(mediaType string) bool { return finders[mediaType] != nil }

// Find returns the plan of a file of a media type that was probed. A type that is not known has none.
func Find(content io.ReaderAt, size int64, mediaType string) (Plan, error) {
	find := finders[mediaType]
	if find == nil {
		return Plan{}, nil
	}
	p := &planner{content: content, size: size}
	if err := find(p); err != nil {
		return Plan{}, fmt.Errorf("looking for metadata: %w", err)
	}
	return p.finish()
}

// Removed returns by how many bytes the file is shorter afterwards.
func (p Plan) Removed() (bytes int64) {
	for _, e := range p.Edits {
		bytes += e.Length - e.size()
	}
	return bytes
}

// planner collects the edits of a file.
type planner struct {
	content io.ReaderAt
	size    int64
	plan    Plan
}

// cut removes what is from start to end.
func (p *planner) cut(start, end int64) error { return p.replace(start, end, nil) }

// replace puts other bytes in the place of those from start to end.
func (p *planner) replace(start, end int64, with []byte) error {
	if start >= end {
		return nil
	}
	if n := len(p.plan.Edits); n > 0 && len(with) == 0 {
		if last := &p.plan.Edits[n-1]; last.At+last.Length == start && len(last.With) == 0 && !last.Pad {
			last.Length += end - start
			return nil
		}
	}
	return p.add(Edit{At: start, Length: end - start, With: with})
}

// overwrite puts bytes at the beginning of what is from start to end, and zeros in the rest.
func (p *planner) overwrite(start, end int64, with string) error {
	if start >= end {
		return nil
	}
	return p.add(Edit{At: start, Length: end - start, With: []byte(with), Pad: true})
}

func (p *planner) add(e Edit) error {
	if len(p.plan.Edits) >= maxEdits {
		return errTooMuch
	}
	p.plan.Edits = append(p.plan.Edits, e)
	return nil
}

// finish puts the edits in order. Those of a file that names the same part twice are joined where
// they blank it, and are an error otherwise.
func (p *planner) finish() (Plan, error) {
	slices.SortStableFunc(p.plan.Edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Length, a.Length))
	})
	merged := p.plan.Edits[:0]
	for _, e := range p.plan.Edits {
		if n := len(merged); n > 0 && merged[n-1].At+merged[n-1].Length > e.At {
			last := &merged[n-1]
			if !last.Pad || !e.Pad {
				return Plan{}, walk.ErrDamaged
			}
			last.Length = max(last.Length, e.At+e.Length-last.At)
			continue
		}
		merged = append(merged, e)
	}
	p.plan.Edits = merged
	if n := len(merged); n > 0 && merged[n-1].At+merged[n-1].Length > p.size {
		return Plan{}, walk.ErrDamaged
	}
	return p.plan, nil
}

func (p *planner) read(into []byte, at int64) error {
	if at+int64(len(into)) > p.size {
		return walk.ErrCut
	}
	if _, err := p.content.ReadAt(into, at); err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	return nil
}

// gifApplications are the applications whose extensions a GIF is shown by: how often it repeats, and its color
// profile. XMP is an extension of another.
var gifApplications = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// gif cuts comments, the extensions of applications, and what follows the end.
func (p *planner) gif() error {
	return walk.GIF(p.content, p.size, func(b walk.Block) error {
		switch {
		case b.Kind == walk.GIFTrailer:
			return p.cut(b.End, p.size)
		case b.Kind == walk.GIFImage, b.Label == walk.GIFControl, b.Label == walk.GIFPlainText, slices.Contains(gifApplications, b.Application):
			return nil
		default:
			return p.cut(b.Start, b.End)
		}
	})
}
