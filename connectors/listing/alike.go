package listing

import (
	"regexp"
	"strings"
	"unicode"

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

// SameLetters compares texts by letters, digits and signs such as emoji. What has none of them
// is compared by all but its space.
func SameLetters(a, b string) bool {
	foldedA, foldedB := fold(a, isEssential), fold(b, isEssential)
	if foldedA != "" || foldedB != "" {
		return foldedA == foldedB
	}
	isVisible := func(r rune) bool { return !unicode.IsSpace(r) }
	return fold(a, isVisible) == fold(b, isVisible)
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
