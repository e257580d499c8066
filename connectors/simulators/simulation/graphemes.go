package simulation

import "github.com/clipperhouse/uax29/v2/graphemes"

// Graphemes returns how many user-perceived characters a text has (unicode.org/reports/tr29).
func Graphemes(text string) int {
	n := 0
	for clusters := graphemes.FromString(text); clusters.Next(); {
		n++
	}
	return n
}
