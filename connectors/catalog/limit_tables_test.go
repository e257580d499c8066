package catalog_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/wording"
)

// limitTable is a table of both sets of limits: a row for each platform, or one for each set where they differ.
type limitTable struct {
	columns []string
	row     func(schema.Constraints) []string // empty: the platform has none of it
}

func (l limitTable) String() string {
	var table strings.Builder
	write := func(cells ...string) {
		table.WriteString("|")
		for _, cell := range cells {
			fmt.Fprintf(&table, "%s |", strings.TrimRight(" "+cell, " "))
		}
		table.WriteString("\n")
	}
	write(append([]string{"platform", "limits"}, l.columns...)...)
	write(slices.Repeat([]string{"---"}, len(l.columns)+2)...)
	for _, p := range schema.Platforms() {
		c := catalog.Constraints(p)
		own := l.row(c)
		widest := l.row(widened(c))
		switch {
		case len(own) == 0:
		case slices.Equal(own, widest):
			write(append([]string{p.String(), "both"}, own...)...)
		default:
			write(append([]string{p.String(), "specification"}, own...)...)
			write(append([]string{p.String(), "platform"}, widest...)...)
		}
	}
	return table.String()
}

// widened is what a platform takes of the accounts of which it takes most.
func widened(c schema.Constraints) schema.Constraints {
	for _, w := range c.Wider {
		w.Apply(&c, schema.Account{})
	}
	return c
}

var limitTables = map[string]limitTable{
	"limits of texts": {
		[]string{"text", "beside media", "title", "first comment", "tags and addresses"},
		func(c schema.Constraints) []string {
			comment := "no"
			if c.FirstComment.Supported {
				comment = length(c.FirstComment.Max, c.FirstComment.MaxBytes)
			}
			text := length(c.Text.Max, c.Text.MaxBytes)
			if c.Text.Required {
				text += ", required"
			}
			return []string{text, maximum(c.Caption), maximum(c.Title.Max), comment, counts(
				count{c.Hashtags, "hashtags"}, count{c.Cashtags, "cashtag"}, count{c.Mentions, "mentions"}, count{c.Links, "different links"})}
		},
	},
	"limits of media": {
		[]string{"items", "of these videos", "at least", "aspect ratio", "alternative text", "documents"},
		func(c schema.Constraints) []string {
			m := c.Media
			items := maximum(m.Max)
			if m.Required {
				items += ", required"
			}
			aspect := ratios(m.MinAspect, m.MaxAspect)
			if m.AspectOfImages && aspect != "" {
				aspect += ", of pictures"
			}
			videos := maximum(m.MaxVideos)
			if m.Mixed {
				videos += " beside pictures"
			}
			if !slices.Contains(m.Kinds, schema.Video) {
				videos = "none"
			}
			return []string{items, videos, sides(m.MinWidth, m.MinHeight), aspect, maximum(cmp.Or(m.MaxAltText, schema.MaxAltText)), bytesOf(m.MaxDocumentBytes)}
		},
	},
	"limits of pictures": {
		[]string{"types", "size", "GIF", "pixels in all", "sides"},
		func(c schema.Constraints) []string {
			m := c.Media
			if !slices.Contains(m.Kinds, schema.Image) {
				return nil
			}
			gif := gifs(m)
			if !slices.Contains(m.Kinds, schema.GIF) {
				gif = "no"
			}
			size := sides(m.MaxWidth, m.MaxHeight)
			if m.MaxSides > 0 {
				size = maximum(m.MaxSides) + " together"
			}
			return []string{types(m.ImageTypes), bytesOf(m.MaxImageBytes), gif, maximum(int(m.MaxPixels)), size}
		},
	},
	"limits of films": {
		[]string{"types", "size", "length", "pixels in all", "refused but for", "advised"},
		func(c schema.Constraints) []string {
			m := c.Media
			if !slices.Contains(m.Kinds, schema.Video) {
				return nil
			}
			lasts := ""
			if m.MaxVideoDuration > 0 {
				lasts = wording.Duration(m.MaxVideoDuration)
			}
			return []string{types(m.VideoTypes), bytesOf(m.MaxVideoBytes), lasts, maximum(int(m.MaxVideoPixels)), coded(m.Film), coded(m.FilmAdvice)}
		},
	},
}

type count struct {
	max int
	of  string
}

func counts(all ...count) string {
	var found []string
	for _, c := range all {
		if c.max > 0 {
			found = append(found, fmt.Sprintf("%d %s", c.max, c.of))
		}
	}
	return strings.Join(found, ", ")
}

// maximum is a number; empty: there is no limit.
func maximum(n int) string {
	if n == 0 {
		return ""
	}
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func length(characters, bytes int) string {
	text := maximum(characters)
	if bytes > 0 {
		text += fmt.Sprintf(", %s bytes", maximum(bytes))
	}
	return text
}

func bytesOf(n int64) string {
	const mega = 1_000_000
	switch {
	case n == 0:
		return ""
	case n%(1<<30) == 0:
		return maximum(int(n>>30)) + " GiB"
	case n%(1<<20) == 0:
		return maximum(int(n>>20)) + " MiB"
	default:
		return maximum(int(n/mega)) + " MB"
	}
}

func sides(width, height int) string {
	if width == 0 && height == 0 {
		return ""
	}
	return fmt.Sprintf("%d × %d", width, height)
}

func ratios(minimum, maximum float64) string {
	if minimum == 0 && maximum == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g to %.3g", minimum, maximum)
}

// types are media types without what all of them begin with.
func types(all []string) string {
	short := make([]string, len(all))
	for i, value := range all {
		_, name, _ := strings.Cut(value, "/")
		short[i] = map[string]string{"quicktime": "mov", "x-msvideo": "avi"}[name]
		short[i] = strings.ToUpper(cmp.Or(short[i], name))
	}
	return strings.Join(short, ", ")
}

// gifs is how large GIFs may be.
func gifs(m schema.MediaLimits) string {
	of := func(l schema.GIFLimits, says string) string {
		if l == (schema.GIFLimits{}) {
			return ""
		}
		size := ""
		if l.MaxWidth > 0 {
			size = ", " + sides(l.MaxWidth, l.MaxHeight)
		}
		return says + counts(count{l.MaxFrames, "pictures"}, count{int(l.MaxPixels), "pixels in all of them"}) + size
	}
	all := []string{bytesOf(m.MaxGIFBytes), of(m.GIF, ""), of(m.GIFAdvice, "advised ")}
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), ", ")
}

// coded is how films are to be coded.
func coded(f schema.FilmLimits) string {
	var all []string
	add := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(len(f.Codecs) > 0, "%s", strings.Join(f.Codecs, " or "))
	add(len(f.Sounds) > 0, "sound of %s", strings.Join(f.Sounds, " or "))
	add(f.MaxChannels > 0, "%d channels", f.MaxChannels)
	add(f.MinFrameRate > 0, "from %g pictures a second", f.MinFrameRate)
	add(f.MaxFrameRate > 0, "up to %g a second", f.MaxFrameRate)
	add(f.MinDuration > 0, "%s at least", wording.Duration(f.MinDuration))
	add(f.MinSide > 0, "%d pixels a side at least", f.MinSide)
	add(f.MaxSide > 0, "%d pixels a side", f.MaxSide)
	add(f.MaxWidth > 0, "%d pixels wide", f.MaxWidth)
	add(f.Plain, "4:2:0 of 8 bits")
	add(f.Steady, "a steady rate")
	add(f.Whole, "nothing cut off by an edit list")
	return strings.Join(all, ", ")
}
