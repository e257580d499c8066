package mastodon

import (
	"hash/fnv"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// shownLength is how much of an address a link shows; the rest is in the HTML, hidden.
const shownLength = 30

var (
	urlPrefix  = regexp.MustCompile(`(?i)^https?://(?:www\.)?`)
	paragraphs = regexp.MustCompile(`\n\n+`)
)

// contentOf makes HTML of a text and what was found in it, as Mastodon does: paragraphs,
// line breaks, and links of URLs, hashtags and mentions of accounts elsewhere.
func contentOf(text string, found []entity, base string) string {
	if text == "" {
		return ""
	}
	var linked strings.Builder
	last := 0
	for _, e := range found {
		linked.WriteString(html.EscapeString(text[last:e.start]))
		linked.WriteString(link(e, text[e.start:e.end], base))
		last = e.end
	}
	linked.WriteString(html.EscapeString(text[last:]))
	var content strings.Builder
	for _, paragraph := range paragraphs.Split(linked.String(), -1) {
		content.WriteString("<p>" + strings.ReplaceAll(paragraph, "\n", "<br />") + "</p>")
	}
	return content.String()
}

func link(e entity, text, base string) string {
	switch e.kind {
	case urlEntity:
		return urlLink(e.name)
	case hashtagEntity:
		return `<a href="` + html.EscapeString(tagURL(e, base)) + `" class="mention hashtag" rel="tag">#<span>` +
			html.EscapeString(e.name) + `</span></a>`
	default:
		if e.domain == "" {
			return html.EscapeString(text)
		}
		return `<span class="h-card" translate="no"><a href="` + html.EscapeString(profileURL(e)) +
			`" class="u-url mention">@<span>` + html.EscapeString(e.name) + `</span></a></span>`
	}
}

// urlLink hides the scheme and what is beyond the length that is shown.
func urlLink(address string) string {
	prefix := urlPrefix.FindString(address)
	visible := []rune(address[len(prefix):])
	hidden, class := "", ""
	if len(visible) > shownLength {
		visible, hidden, class = visible[:shownLength], string(visible[shownLength:]), "ellipsis"
	}
	return `<a href="` + html.EscapeString(address) + `" target="_blank" rel="nofollow noopener" translate="no">` +
		`<span class="invisible">` + html.EscapeString(prefix) + `</span>` +
		`<span class="` + class + `">` + html.EscapeString(string(visible)) + `</span>` +
		`<span class="invisible">` + html.EscapeString(hidden) + `</span></a>`
}

func tagURL(e entity, base string) string { return base + "/tags/" + strings.ToLower(e.name) }

func profileURL(mention entity) string { return "https://" + mention.domain + "/@" + mention.name }

// mentionsOf and tagsOf list what the links in a text are to.
func mentionsOf(found []entity) []mentionEntry {
	mentions := []mentionEntry{}
	for _, e := range found {
		if e.kind == mentionEntity && e.domain != "" {
			acct := e.name + "@" + e.domain
			mentions = append(mentions, mentionEntry{
				ID: remoteID(acct), Username: e.name, Acct: acct, URL: profileURL(e),
			})
		}
	}
	return mentions
}

func tagsOf(found []entity, base string) []tagEntry {
	tags := []tagEntry{}
	for _, e := range found {
		if e.kind == hashtagEntity {
			tags = append(tags, tagEntry{Name: strings.ToLower(e.name), URL: tagURL(e, base)})
		}
	}
	return tags
}

// remoteID gives an account elsewhere the id this server knows it by.
func remoteID(acct string) string {
	sum := fnv.New32a()
	sum.Write([]byte(strings.ToLower(acct)))
	return strconv.FormatUint(uint64(sum.Sum32()), 10)
}
