package textsearch

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Marks that change the consonant of a kana before them, and their half width.
const (
	voiced         = '\u3099'
	semiVoiced     = '\u309A'
	voicedHalf     = '\uFF9E'
	semiVoicedHalf = '\uFF9F'
)

// accents are marks that people leave out when they search. Those of other scripts make other letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036F, Stride: 1}, // Latin, Greek, Cyrillic
	{Lo: 0x0591, Hi: 0x05C7, Stride: 1}, // Hebrew points
	{Lo: 0x064B, Hi: 0x065F, Stride: 1}, // Arabic vowels
	{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1},
	{Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
	{Lo: 0x20D0, Hi: 0x20FF, Stride: 1},
	{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // how an emoji is drawn
	{Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
}}

// spelled are letters that Unicode does not divide and people write as others.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ı': "i", 'ς': "σ",
	'\u00AD': "", '\u200B': "", '\u200C': "", '\u200D': "", '\u2060': "", '\uFEFF': "", // invisible
	'\u2018': "'", '\u2019': "'", '\u201C': `"`, '\u201D': `"`,
}

// folds is what each character of the basic plane becomes; most texts have no others.
type folds struct {
	single [1 << 16]uint16   // the character; 0: none; several: see many
	many   map[uint16]string // what becomes several characters
}

const several = 0xFFFF

// basic is made at the first search: it takes some milliseconds.
var basic = sync.OnceValue(func() *folds {
	f := &folds{many: map[uint16]string{}}
	for r := rune(1); r < several; r++ {
		switch folded := []rune(foldRune(r)); {
		case len(folded) == 1 && folded[0] < several:
			f.single[r] = uint16(folded[0])
		case len(folded) > 0:
			f.single[r], f.many[uint16(r)] = several, string(folded)
		}
	}
	return f
})

// append appends a text without case and accents, in the compatibility form.
func (f *folds) append(to []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			c := byte(r)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
		case r == voiced || r == voicedHalf:
			to = compose(to, voiced)
		case r == semiVoiced || r == semiVoicedHalf:
			to = compose(to, semiVoiced)
		case r >= several:
			to = append(to, foldRune(r)...)
		case f.single[r] == several:
			to = append(to, f.many[uint16(r)]...)
		case f.single[r] != 0:
			to = utf8.AppendRune(to, rune(f.single[r]))
		}
	}
	return to
}

// compose joins a mark with the kana before it, as most people write it.
func compose(to []byte, mark rune) []byte {
	_, size := utf8.DecodeLastRune(to)
	last := len(to) - size
	return append(to[:last], norm.NFC.Bytes(utf8.AppendRune(to[last:len(to):len(to)], mark))...)
}

// foldRune is what one character becomes.
func foldRune(r rune) string {
	if unicode.Is(unicode.Hangul, r) && unicode.IsLetter(r) {
		return norm.NFKC.String(string(r)) // a syllable stays one
	}
	var folded []byte
	for _, part := range norm.NFKD.String(string(r)) {
		part = unicode.ToLower(part)
		as, known := spelled[part]
		switch {
		case known:
			folded = append(folded, as...)
		case part == voiced || part == semiVoiced:
			folded = compose(folded, part)
		case !unicode.Is(accents, part):
			folded = utf8.AppendRune(folded, part)
		}
	}
	return string(folded)
}
