package listening

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns text as it is compared: without case, in the compatibility composition, with one
// space where there was any blank.
func fold(text string) string {
	folded := make([]byte, 0, len(text))
	blank := true // at the start blanks are left out
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return foldAll(text)
		case c == ' ' || '\t' <= c && c <= '\r':
			if !blank {
				folded = append(folded, ' ')
			}
			blank = true
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		folded = append(folded, c)
		blank = false
	}
	return strings.TrimSuffix(string(folded), " ")
}

// foldAll folds text of any script. What is invisible and joins no letters is left out, so that
// it hides no word.
func foldAll(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\u00AD', '\u200B', '\u2060', '\uFEFF': // soft hyphen, zero width spaces
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
	return strings.Join(strings.Fields(text), " ")
}

// atBoundary reports whether a word may begin or end at a place of folded text. Scripts that
// write no blanks between words have one everywhere.
func atBoundary(text []byte, at int) bool {
	before, _ := utf8.DecodeLastRune(text[:at])
	after, _ := utf8.DecodeRune(text[at:])
	return at == 0 || at == len(text) || !joined(before, after)
}

// joined reports whether two neighbours are of one word.
func joined(before, after rune) bool {
	if before < utf8.RuneSelf && after < utf8.RuneSelf {
		return asciiWord(before) && asciiWord(after)
	}
	if unicode.Is(unicode.M, after) { // belongs to the letter before it
		return isWord(before)
	}
	return isWord(before) && isWord(after) && !unicode.In(before, unspaced...) && !unicode.In(after, unspaced...)
}

// unspaced are the scripts that write no blanks between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func asciiWord(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_'
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}
