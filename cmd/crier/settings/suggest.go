package settings

import "slices"

// suggest is the setting that somebody may have meant by a key that is none.
func (s *Settings) suggest(key string) string {
	const most = 3 // letters that are wrong
	best, distance := "", most+1
	for _, flag := range s.known {
		if d := editDistance(key, flag.Name); d < distance || d == distance && flag.Name < best {
			best, distance = flag.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// editDistance is how many letters must be added, taken away or replaced to make b of a.
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
