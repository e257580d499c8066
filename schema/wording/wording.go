// Package wording writes for people what Go writes for programmers.
package wording

import (
	"strconv"
	"strings"
	"time"
)

// parts are what a duration is divided into, the largest first.
var parts = []struct {
	name string
	size time.Duration
}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}}

// Duration is a duration in words, such as 2 minutes 20 seconds, to the millisecond. Up to two days are
// counted in hours.
func Duration(d time.Duration) string {
	var words []string
	d = d.Round(time.Millisecond)
	if d < 0 {
		return "minus " + Duration(-d)
	}
	for _, part := range parts {
		n := d / part.size
		if n == 0 || part.name == "day" && n < 3 {
			continue
		}
		words = append(words, count(strconv.Itoa(int(n)), part.name))
		d -= n * part.size
	}
	if d > 0 || len(words) == 0 {
		words = append(words, count(strconv.FormatFloat(d.Seconds(), 'f', -1, 64), "second"))
	}
	return strings.Join(words, " ")
}

func count(n, of string) string {
	if n == "1" {
		return n + " " + of
	}
	return n + " " + of + "s"
}
