package twitter

import (
	"slices"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/unicode/norm"

	"crier/connectors"
)

// The weights of github.com/twitter/twitter-text, configuration v3, in characters.
const (
	linkWeight  = 23 // whatever its length: X replaces it by one of its own
	emojiWeight = 2  // of a whole sequence
	lightWeight = 1
	heavyWeight = 2
)

// Weight is how many of the 280 characters a text takes: it is counted in NFC, by
// character, with links and emoji at a weight of their own.
func Weight(text string) int {
	text = norm.NFC.String(text)
	weight, from := 0, 0
	for _, link := range links(text) {
		weight += plainWeight(text[from:link.start]) + linkWeight
		from = link.end
	}
	return weight + plainWeight(text[from:])
}

// plainWeight weighs a text without links.
func plainWeight(text string) int {
	if connectors.IsASCII(text) {
		return len(text) * lightWeight
	}
	weight := 0
	for clusters := graphemes.FromString(text); clusters.Next(); {
		weight += clusterWeight([]rune(clusters.Value()))
	}
	return weight
}

func clusterWeight(cluster []rune) int {
	if isEmojiSequence(cluster) {
		return emojiWeight
	}
	weight := 0
	for _, r := range cluster {
		weight += runeWeight(r)
	}
	return weight
}

func runeWeight(r rune) int {
	switch {
	case r <= 0x10FF, // Latin to Georgian
		r >= 0x2000 && r <= 0x200D, // spaces and joiners
		r >= 0x2010 && r <= 0x201F, // hyphens and quotation marks
		r >= 0x2032 && r <= 0x2037: // primes
		return lightWeight
	default:
		return heavyWeight
	}
}

// The characters that make a sequence out of an emoji.
const (
	zeroWidthJoiner = 0x200D
	keycap          = 0x20E3
	emojiVariation  = 0xFE0F
)

// isEmojiSequence reports whether a grapheme cluster of several characters is one emoji:
// a flag, a keycap, or a sign with variation, skin tone, tags or joined signs. A single
// one weighs as much by its character already.
func isEmojiSequence(cluster []rune) bool {
	if len(cluster) < 2 {
		return false
	}
	if cluster[len(cluster)-1] == keycap {
		return true
	}
	if isRegionalIndicator(cluster[0]) {
		return isRegionalIndicator(cluster[1])
	}
	return !slices.ContainsFunc(cluster, func(r rune) bool { return !isSign(r) && !isModifier(r) })
}

func isRegionalIndicator(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func isModifier(r rune) bool {
	return r == zeroWidthJoiner || r == emojiVariation ||
		r >= 0x1F3FB && r <= 0x1F3FF || // skin tones
		r >= 0xE0020 && r <= 0xE007F // tags
}

// isSign reports whether a character can be an emoji; a few of them are punctuation,
// mathematical signs or, as ℹ, letters.
func isSign(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm) || r == 'ℹ' || r == '‼' || r == '⁉' || r == '〰'
}
