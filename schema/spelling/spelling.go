// Package spelling finds the name that somebody may have meant.
package spelling

import (
	"slices"
	"strings"
)

// maxLength is the longest name, in bytes, that is compared letter by letter: the time that takes
// grows with the length of both.
const maxLength = 64

// maxWrong is how many letters of a name may be wrong. Of a short one it is a third.
const maxWrong = 3

// Nearest returns which of the names is most like a word, whatever its case and however its parts
// are joined; empty where none is like it.
func Nearest(word string, names []string) string {
	folded := Fold(word)
	if folded == "" || len(folded) > maxLength {
		return ""
	}
	best, distance := "", min(maxWrong, max(1, len(folded)/3))+1
	for _, name := range names {
		if d := editDistance(folded, Fold(name)); d < distance || d == distance && best != "" && name < best {
			best, distance = name, d
		}
	}
	return best
}

// DidYouMean ends a message about a word that is none of the names: empty where none is like it.
func DidYouMean(word string, names []string) string {
	nearest := Nearest(word, names)
	if nearest == "" {
		return ""
	}
	return "; did you mean " + nearest + "?"
}

var withoutJoints = strings.NewReplacer("_", "", "-", "", " ", "")

// Fold makes scheduled_for and ScheduledFor the same.
func Fold(name string) string {
	return strings.ToLower(withoutJoints.Replace(name))
}

// editDistance is how many letters must be added, removed or replaced to make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			replaced := above[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, above[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
