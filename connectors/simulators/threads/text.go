package threads

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// length counts a text: emoji by their bytes (developers.facebook.com/docs/threads/posts).
func length(text string) int {
	n := 0
	for _, r := range text {
		if isEmoji(r) {
			n += utf8.RuneLen(r)
		} else {
			n++
		}
	}
	return n
}

// isEmoji goes by Unicode's blocks of symbols and pictographs, and by what joins them.
func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0x200D || r == 0xFE0F || r == 0x20E3
}

var (
	address  = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+`)
	protocol = regexp.MustCompile(`(?i)^https?://`)
)

// links counts the addresses that differ, the attached one among them (create-posts/text-attachments).
func links(text, attached string) int {
	found := address.FindAllString(text, -1)
	if attached != "" {
		found = append(found, attached)
	}
	for i, link := range found {
		found[i] = strings.TrimSuffix(protocol.ReplaceAllString(link, ""), "/")
	}
	slices.Sort(found)
	return len(slices.Compact(found))
}
