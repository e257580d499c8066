package listing

import (
	"iter"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

var address = regexp.MustCompile(`(?i)\bhttps?://\S+`)

// SameText compares what was sent with what a platform shows, by letters, digits and signs
// such as emoji: platforms change space, quotes and markup, and put addresses of their own in
// the place of links, which count as equal therefore. A post that is taken for another is
// worth less than one that goes out twice.
func SameText(a, b string) bool {
	linksA, linksB := address.FindAllString(a, -1), address.FindAllString(b, -1)
	if len(linksA) != len(linksB) {
		return false
	}
	return SameLetters(address.ReplaceAllString(a, " "), address.ReplaceAllString(b, " "))
}

// Compared compares a text that was sent with one that a platform shows: whether it is the same, or nearly.
func Compared(sent, listed string) (alike, near bool) {
	return SameText(sent, listed), MostlySame(sent, listed)
}

// SameLetters compares texts by letters, digits and signs such as emoji. What has none of them
// is compared by all but its space.
func SameLetters(a, b string) bool {
	foldedA, foldedB := fold(a, isEssential), fold(b, isEssential)
	if foldedA != "" || foldedB != "" {
		return foldedA == foldedB
	}
	return fold(a, isVisible) == fold(b, isVisible)
}

// isVisible leaves out space, and signs that nobody sees, such as a zero width joiner.
func isVisible(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc) }

// MostlySame reports whether what a platform shows may be a text that was sent, changed on the way:
// most of the shorter one's letters stand in the other one, three by three. What shows no letters may be
// any text; what was sent without any is shown without any.
func MostlySame(sent, listed string) bool {
	a, b := []rune(fold(sent, isEssential)), []rune(fold(listed, isEssential))
	if len(b) == 0 {
		return true
	}
	if len(a) == 0 {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	there := make(map[[3]rune]int, len(b)+1)
	for triple := range triples(b) {
		there[triple]++
	}
	common := 0
	for triple := range triples(a) {
		if there[triple] > 0 {
			there[triple]--
			common++
		}
	}
	return 2*common >= len(a)
}

// triples yields each letter of a text with those beside it; the ends are beside 0.
func triples(letters []rune) iter.Seq[[3]rune] {
	return func(yield func([3]rune) bool) {
		for i, letter := range letters {
			triple := [3]rune{1: letter}
			if i > 0 {
				triple[0] = letters[i-1]
			}
			if i+1 < len(letters) {
				triple[2] = letters[i+1]
			}
			if !yield(triple) {
				return
			}
		}
	}
}

func isEssential(r rune) bool {
	if unicode.Is(unicode.Variation_Selector, r) {
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) || r > unicode.MaxASCII && unicode.In(r, unicode.S)
}

// fold keeps of a text what keep says, in one form and case.
func fold(text string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if !keep(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
}

var (
	scheme   = regexp.MustCompile(`(?i)\b(?:https?://|mailto:)`)
	escapes  = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	punycode = regexp.MustCompile(`(?i)\bxn--[a-z0-9-]+`)
)

// PlainAddresses brings the addresses in a text to one form: platforms write them with a scheme or without
// it, escaped or not, and hosts in punycode or in letters.
func PlainAddresses(text string) string {
	text = scheme.ReplaceAllString(text, "")
	text = escapes.ReplaceAllStringFunc(text, func(escaped string) string {
		if plain, err := url.PathUnescape(escaped); err == nil && utf8.ValidString(plain) {
			return plain
		}
		return escaped
	})
	return punycode.ReplaceAllStringFunc(text, func(label string) string {
		if plain, err := idna.Punycode.ToUnicode(strings.ToLower(label)); err == nil {
			return plain
		}
		return label
	})
}
