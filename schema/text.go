package schema

import (
	"strings"
	"unicode"
)

// UnixLines returns a text whose lines end with LF.
func UnixLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// WithoutInvisible returns a text without the signs that show nothing, such as marks of direction and
// joiners, blanks excepted.
func WithoutInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, text)
}

// Pasted returns what somebody copied from a page or a chat, such as a handle, without the blanks around it
// and the invisible signs that came along.
func Pasted(text string) string { return strings.TrimSpace(WithoutInvisible(text)) }

// IsBlank reports whether a text shows nothing at all.
func IsBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !isInvisible(r) })
}

// invisible are the signs that show nothing beside those of Unicode's category Cf: fillers that count as
// letters, a joiner that counts as a mark, variation selectors, and the pattern of Braille without a dot.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, {Lo: 0xfffe, Hi: 0xffff, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

func isInvisible(r rune) bool {
	// Arabic signs of number and of the end of an aya are of Cf, and visible.
	isVisible := r >= 0x0600 && r <= 0x0605 || r == 0x06dd || r == 0x070f || r == 0x08e2 || r == 0x110bd || r == 0x110cd
	return unicode.Is(unicode.Cf, r) && !isVisible || unicode.Is(invisible, r)
}
