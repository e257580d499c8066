package bluesky

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"crier/connectors"
	"crier/connectors/egress"

	"golang.org/x/net/publicsuffix"
)

// facet marks a part of a text (app.bsky.richtext.facet).
type facet struct {
	Index    byteSlice `json:"index"`
	Features []feature `json:"features"`
}

// byteSlice counts bytes of the UTF-8 text, the end excluded.
type byteSlice struct {
	Start int `json:"byteStart"`
	End   int `json:"byteEnd"`
}

// feature is what a facet's part of the text is. One of its fields is set.
type feature struct {
	Type string `json:"$type"`
	URI  string `json:"uri,omitempty"`
	DID  string `json:"did,omitempty"`
	Tag  string `json:"tag,omitempty"`
}

const (
	linkFeature    = "app.bsky.richtext.facet#link"
	mentionFeature = "app.bsky.richtext.facet#mention"
	tagFeature     = "app.bsky.richtext.facet#tag"
)

const (
	maxTagGraphemes = 64
	maxTagBytes     = 640
)

// What starts a feature must follow a space or, for links and mentions, an opening
// parenthesis, as in Bluesky's own app.
var (
	linkPattern    = regexp.MustCompile(`(?i)(?:^|[\s\p{Z}(])(https?://[^\s\p{Z}]+|([a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)+)[^\s\p{Z}]*)`)
	mentionPattern = regexp.MustCompile(`(?:^|[\s\p{Z}(])@([a-zA-Z0-9.-]+)\b`)
	tagPattern     = regexp.MustCompile(`(?:^|[\s\p{Z}])[#＃]([^\s\p{Z}\x{00AD}\x{200B}-\x{200D}\x{2060}\x{20E2}]+)`)
	handlePattern  = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)
)

const maxHandle = 253

// facetsOf finds links, mentions and hashtags. resolve returns the DID of a handle, or
// an empty one where there is none: the mention then stays text.
func facetsOf(text string, resolve func(handle string) (did string, err error)) ([]facet, error) {
	mentioned, err := mentions(text, resolve)
	if err != nil {
		return nil, err
	}
	return withoutOverlaps(slices.Concat(links(text), mentioned, tags(text))), nil
}

// withoutOverlaps orders facets and keeps the first of those that overlap, such as a
// link that has a mention in its path: clients cannot show both.
func withoutOverlaps(facets []facet) []facet {
	slices.SortStableFunc(facets, func(a, b facet) int { return a.Index.Start - b.Index.Start })
	end := 0
	return slices.DeleteFunc(facets, func(f facet) bool {
		if f.Index.Start < end {
			return true
		}
		end = f.Index.End
		return false
	})
}

// links finds addresses: whole ones, and bare domains under a known suffix.
func links(text string) []facet {
	var found []facet
	for _, m := range linkPattern.FindAllStringSubmatchIndex(text, -1) {
		start := m[2]
		address := withoutClosing(text[start:m[3]])
		uri := address
		if m[4] >= 0 {
			if !isBareLink(address, text[m[4]:m[5]]) {
				continue
			}
			uri = "https://" + address
		}
		if uri = asciiURI(uri); uri == "" {
			continue
		}
		found = append(found, mark(start, start+len(address), feature{Type: linkFeature, URI: uri}))
	}
	return found
}

func mark(start, end int, f feature) facet {
	return facet{Index: byteSlice{start, end}, Features: []feature{f}}
}

// withoutClosing cuts off the punctuation that ends the sentence an address stands in.
// A closing parenthesis stays where the address itself opens one.
func withoutClosing(address string) string {
	for {
		trimmed := strings.TrimRight(address, ".,;:!?\"'”’»…。、！？」』")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
			trimmed = strings.TrimSuffix(trimmed, ")")
		}
		if trimmed == address {
			return address
		}
		address = trimmed
	}
}

// isBareLink reports whether an address without a scheme is one: its domain is under a
// suffix of the public list, and a path, a query, a port or nothing follows. So neither
// file.go nor an e-mail address becomes a link.
func isBareLink(address, domain string) bool {
	rest, ok := strings.CutPrefix(address, domain)
	if !ok || rest != "" && !strings.ContainsRune("/?#:", rune(rest[0])) {
		return false
	}
	domain = strings.ToLower(domain)
	suffix, icann := publicsuffix.PublicSuffix(domain)
	return suffix != domain && (icann || strings.Contains(suffix, "."))
}

// asciiURI returns the address in the characters a URI has (RFC 3986), or nothing if it is none. One that
// has no others stays as it was written, as in Bluesky's own app: also with a "%" that begins no escape.
func asciiURI(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	host, port := authority, ""
	if end := strings.LastIndexByte(authority, ':'); end > strings.LastIndexByte(authority, ']') {
		host, port = authority[:end], authority[end:]
	}
	if !isPort(port) {
		return ""
	}
	ascii, err := egress.ASCIIHost(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if host == "" || err != nil {
		return ""
	}
	if strings.Contains(ascii, ":") {
		ascii = "[" + ascii + "]"
	}
	return strings.ToLower(scheme) + "://" + ascii + port + escaped(path)
}

// isPort reports whether what follows a host is nothing, or the number of a port.
func isPort(text string) bool {
	if text == "" {
		return true
	}
	n, err := strconv.ParseUint(text[1:], 10, 16)
	return err == nil && n > 0
}

// escaped escapes the bytes of characters that no URI has, control characters among them.
func escaped(text string) string {
	var all strings.Builder
	for i := range len(text) {
		if b := text[i]; b <= ' ' || b >= unicode.MaxASCII || strings.IndexByte("\"<>\\^`{|}", b) >= 0 {
			fmt.Fprintf(&all, "%%%02X", b)
			continue
		}
		all.WriteByte(text[i])
	}
	return all.String()
}

// mentions finds handles after an @ and resolves each once.
func mentions(text string, resolve func(string) (string, error)) ([]facet, error) {
	var found []facet
	resolved := map[string]string{}
	for _, m := range mentionPattern.FindAllStringSubmatchIndex(text, -1) {
		handle := strings.ToLower(text[m[2]:m[3]])
		if !isHandle(handle) {
			continue
		}
		did, ok := resolved[handle]
		if !ok {
			var err error
			if did, err = resolve(handle); err != nil {
				return nil, err
			}
			resolved[handle] = did
		}
		if did != "" {
			found = append(found, mark(m[2]-len("@"), m[3], feature{Type: mentionFeature, DID: did}))
		}
	}
	return found, nil
}

// isHandle checks a handle's syntax (atproto.com/specs/handle).
func isHandle(handle string) bool {
	return len(handle) <= maxHandle && handlePattern.MatchString(handle)
}

// tags finds hashtags: after a # comes something that is more than digits and
// punctuation. Punctuation at the end belongs to the sentence.
func tags(text string) []facet {
	var found []facet
	for _, m := range tagPattern.FindAllStringSubmatchIndex(text, -1) {
		tag := strings.TrimRightFunc(text[m[2]:m[3]], unicode.IsPunct)
		if !isTag(tag) {
			continue
		}
		hash := strings.LastIndexAny(text[m[0]:m[2]], "#＃")
		found = append(found, mark(m[0]+hash, m[2]+len(tag), feature{Type: tagFeature, Tag: tag}))
	}
	return found
}

// emojiVariation after a # makes the emoji of a key, not a tag.
const emojiVariation = '\ufe0f'

func isTag(tag string) bool {
	if strings.HasPrefix(tag, string(emojiVariation)) || len(tag) > maxTagBytes {
		return false
	}
	meaningful := strings.ContainsFunc(tag, func(r rune) bool {
		return !unicode.IsDigit(r) && !unicode.IsPunct(r)
	})
	return meaningful && connectors.Graphemes(tag) <= maxTagGraphemes
}
