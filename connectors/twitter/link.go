package twitter

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// span is a part of a text, in bytes.
type span struct{ start, end int }

// The parts of a link as github.com/twitter/twitter-text defines them. Without a
// protocol a host is of ASCII and accented Latin letters only.
const (
	accents   = `À-ÖØ-öø-ɏɓɔɖɗəɛɣɨɯɲʉʋʻ\x{0300}-\x{036F}Ḁ-ỿ`
	hostRune  = `[^\s\x{0000}-\x{002F}\x{003A}-\x{0040}\x{005B}-\x{0060}\x{007B}-\x{007F}\x{00A0}\x{2000}-\x{200A}\x{2028}-\x{202F}\x{205F}\x{3000}\x{FEFF}\x{FFFE}\x{FFFF}]`
	hostLabel = hostRune + `(?:(?:` + hostRune + `|[_-])*` + hostRune + `)?`
	asciiRune = `[a-z0-9` + accents + `]`
	barLabel  = asciiRune + `(?:[_-]|` + asciiRune + `)*`

	pathRune = `[a-z0-9Ѐ-ӿ!*';:=+,.$/%#\[\]\-–_~@|&` + accents + `]`
	pathEnd  = `[+\-a-z0-9Ѐ-ӿ=_#/` + accents + `]`
	parens   = `\((?:` + pathRune + `+|` + pathRune + `*\(` + pathRune + `+\)` + pathRune + `*)\)`
	path     = `/(?:` + pathRune + `*(?:` + parens + pathRune + `*)*(?:` + pathEnd + `|` + parens + `)|@` + pathRune + `+/)*`
	query    = `\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]`
)

var (
	hostPattern  = regexp.MustCompile(`(?i)(https?://)` + hostLabel + `(?:\.` + hostLabel + `)+|` + barLabel + `(?:\.` + barLabel + `)+`)
	tailPattern  = regexp.MustCompile(`(?i)^(?::[0-9]+)?(?:` + path + `)?(?:` + query + `)?`)
	shortPattern = regexp.MustCompile(`(?i)^https?://t\.co/([a-z0-9]+)(?:` + query + `)?`)
	// resolver is lenient except for lengths: X links hosts such as ☃.net.
	resolver = idna.New(idna.VerifyDNSLength(true))

	tldPattern = regexp.MustCompile(`^[A-Za-z]+`)
)

// maxShortSlug is the length of what follows t.co/ up to which it is a link.
const maxShortSlug = 40

// links returns the parts of a text that X replaces by links of its own, in order.
func links(text string) []span {
	if !strings.Contains(text, ".") {
		return nil
	}
	var found []span
	for at := 0; at < len(text); {
		m := hostPattern.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		candidate := span{at + m[0], at + m[1]}
		hostStart, protocol := candidate.start, m[3] > 0
		if protocol {
			hostStart = at + m[3]
		}
		link, ok := linkAt(text, candidate, hostStart, protocol)
		if !ok {
			at = candidate.end
			continue
		}
		found = append(found, link)
		at = link.end
	}
	return found
}

// linkAt returns the link that starts where a candidate does, if there is one.
func linkAt(text string, candidate span, hostStart int, protocol bool) (span, bool) {
	if !mayPrecede(text[:candidate.start], protocol) {
		return span{}, false
	}
	length, ok := hostLength(text[hostStart:candidate.end], text[candidate.end:])
	if !ok {
		return span{}, false
	}
	end := hostStart + length
	link := span{candidate.start, end + len(tailPattern.FindString(text[end:]))}
	if short := shortPattern.FindStringSubmatchIndex(text[link.start:link.end]); protocol && short != nil {
		link.end = link.start + short[1]
		return link, short[3]-short[2] <= maxShortSlug
	}
	return link, true
}

// mayPrecede reports whether a link may follow a text.
func mayPrecede(before string, protocol bool) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if size == 0 {
		return true
	}
	if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
		return false
	}
	if strings.ContainsRune("@＠$#＃\ufffe\ufeff\uffff", r) {
		return false
	}
	return protocol || !strings.ContainsRune("-_./", r)
}

// hostLength returns how much of a host, which is followed by rest, is a domain: as
// many labels as possible of which the last is a top level domain.
func hostLength(host, rest string) (int, bool) {
	labels := strings.Split(host, ".")
	end := len(host)
	for i := len(labels) - 1; i > 0; i-- {
		start := end - len(labels[i])
		tld, ok := topLevel(labels[i], rest)
		if ok && !strings.Contains(labels[i-1], "_") {
			length := start + len(tld)
			return length, resolvable(host[:length])
		}
		end = start - 1
		rest = "." + labels[i] + rest
	}
	return 0, false
}

// topLevel returns the top level domain a label starts with. What follows it must not
// read as going on with it.
func topLevel(label, rest string) (string, bool) {
	for _, tld := range []string{label, tldPattern.FindString(label)} {
		if tld == "" || !isTopLevel(tld) {
			continue
		}
		after := label[len(tld):] + rest
		if after == "" || !strings.ContainsRune("0123456789@+-", rune(after[0])) && !isLetter(after[0]) {
			return tld, true
		}
	}
	return "", false
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isTopLevel(tld string) bool {
	ascii, err := idna.Punycode.ToASCII(strings.ToLower(tld))
	if err != nil {
		return false
	}
	_, icann := publicsuffix.PublicSuffix("a." + ascii)
	return icann
}

// resolvable reports whether a domain can be asked for: no label of it is too long.
func resolvable(domain string) bool {
	_, err := resolver.ToASCII(domain)
	return err == nil
}
