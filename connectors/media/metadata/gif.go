package metadata

import (
	"slices"

	"crier/connectors/media/walk"
)

// gifKept are the applications whose extensions a GIF is shown by: how often it repeats, and its color
// profile. XMP is an extension of another.
var gifKept = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// gif cuts comments, the extensions of applications, and what follows the end.
func (p *planner) gif() error {
	return walk.GIF(p.content, p.size, func(b walk.Block) error {
		switch {
		case b.Kind == walk.GIFTrailer:
			return p.cut(b.End, p.size)
		case b.Kind == walk.GIFImage, b.Label == walk.GIFControl, b.Label == walk.GIFPlainText, slices.Contains(gifKept, b.Application):
			return nil
		default:
			return p.cut(b.Start, b.End)
		}
	})
}
