package listening

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folder brings texts into the form in which they are compared: without case, in the compatibility
// composition, with one space where there was any blank. It is of one goroutine at a time.
type folder struct {
	caser cases.Caser
	latin *[latinEnd]string
}

func newFolder() folder { return folder{cases.Fold(), latinFolds()} }

// append appends a text, folded. A blank ends what can compose or reorder, so that words can be
// folded one by one; those of letters that others leave alone are folded by a table.
func (f folder) append(to []byte, text string) []byte {
	begin := len(to)
	for at := 0; at < len(text); {
		if isBlank(text[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(text) && !isBlank(text[end]) {
			end++
		}
		before := len(to)
		if before > begin {
			to = append(to, ' ')
		}
		gap := len(to)
		if to = f.word(to, text[at:end]); len(to) == gap {
			to = to[:before]
		}
		at = end
	}
	return to
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// word appends a word, folded.
func (f folder) word(to []byte, word string) []byte {
	begin := len(to)
	for _, r := range word {
		switch {
		case r < utf8.RuneSelf:
			c := byte(r)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
		case r < latinEnd && f.latin[r] != "":
			to = append(to, f.latin[r]...)
		default:
			return append(to[:begin], f.whole(word)...)
		}
	}
	return to
}

// whole folds text of any script. What is invisible and joins no letters is left out, so that
// it hides no word.
func (f folder) whole(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\u00AD', '\u200B', '\u2060', '\uFEFF': // soft hyphen, zero width spaces
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = norm.NFKC.String(f.caser.String(norm.NFKC.String(text)))
	return strings.Join(strings.Fields(text), " ")
}

// latinEnd is where the marks begin that change the letters before them.
const latinEnd = 0x300

// latinFolds are the letters below latinEnd, folded; empty for what is a blank, or becomes one, or
// nothing.
var latinFolds = sync.OnceValue(func() *[latinEnd]string {
	var folds [latinEnd]string
	f := folder{caser: cases.Fold()}
	for r := rune(utf8.RuneSelf); r < latinEnd; r++ {
		// Between letters, blanks are kept.
		folded, _ := strings.CutPrefix(f.whole("x"+string(r)+"x"), "x")
		if folded = strings.TrimSuffix(folded, "x"); !strings.Contains(folded, " ") {
			folds[r] = folded
		}
	}
	return &folds
})

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
