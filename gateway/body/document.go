package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"crier/gateway/answer"
	"crier/schema"
)

// maxDepth is how deep a body may nest, far deeper than any of the API's does.
const maxDepth = 32

// Initial capacities of arrays and objects.
const (
	usualItems   = 4
	usualMembers = 4
	usualNames   = 16 // that a form is asked for
)

// Kind is the type of a JSON value.
type Kind uint8

// The types of JSON values.
const (
	Null Kind = iota
	boolean
	Number
	Text
	list
	Object
)

var kindNames = [...]string{
	Null: "null", boolean: "a boolean", Number: "a number", Text: "a string",
	list: "an array", Object: "an object",
}

// Value is one value of a request's body. It is a tree rather than a struct, since one
// pass over it finds every wrong type with its field, every unknown field, the difference
// between absent and empty, and the fingerprint of the request.
type Value struct {
	Kind    Kind
	truth   bool
	offset  int32  // of its first byte; a body is small
	Text    string // of a text; the literal of a number
	Items   []Value
	Members []Member // in the order of the body, no name twice
}

// Member is a field of an object, with its name.
type Member struct {
	Name    string
	Value   Value
	read    bool // somebody read it
	cleared bool // it is null, and may be
}

// parseDocument parses a JSON body. Its error is a validation error that names line and
// column.
func parseDocument(body []byte) (Value, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return Value{}, schema.InvalidField("body", "malformed_json", "the request has no body, and needs one in JSON")
	}
	if !json.Valid(body) {
		return Value{}, syntaxError(body)
	}
	p := parser{body: string(body)}
	root, fault := p.value(0)
	if fault != nil {
		return Value{}, malformed(body, fault.offset, fault.message)
	}
	return root, nil
}

// syntaxError says where a body stops being JSON.
func syntaxError(body []byte) error {
	offset, message := len(body), "the body ends before the JSON value does"
	e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(body, new(json.RawMessage)))
	if ok && int(e.Offset) <= len(body) && !strings.HasPrefix(e.Error(), "unexpected end") {
		offset, message = int(e.Offset)-1, e.Error() // the offset is one past the wrong byte
	}
	return malformed(body, offset, message)
}

func malformed(body []byte, offset int, message string) error {
	line, column := place(body, offset)
	return schema.InvalidField("body", "malformed_json",
		fmt.Sprintf("malformed JSON at line %d, column %d: %s", line, column, message))
}

// parser makes the tree of a body that is known to be valid JSON, so it only has to find
// where values begin and end. A decoder's tokens would cost several times as much, and
// every post comes through here.
type parser struct {
	body string // texts of the tree are parts of it, without a copy
	at   int
}

// fault is something that JSON allows and the API does not.
type fault struct {
	offset  int
	message string
}

// skip goes to the next byte that is neither space nor a separator.
func (p *parser) skip() byte {
	for {
		switch c := p.body[p.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			p.at++
		default:
			return c
		}
	}
}

func (p *parser) value(depth int) (Value, *fault) {
	first := p.skip()
	v := Value{offset: int32(p.at)}
	if depth > maxDepth {
		return v, &fault{p.at, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	var f *fault
	switch first {
	case '{':
		v.Kind = Object
		v.Members, f = p.members(depth + 1)
	case '[':
		v.Kind = list
		v.Items, f = p.items(depth + 1)
	case '"':
		v.Kind = Text
		v.Text, f = p.text()
	case 't', 'f':
		v.Kind, v.truth = boolean, first == 't'
		p.literal()
	case 'n':
		p.literal()
	default:
		v.Kind = Number
		v.Text = p.literal()
	}
	return v, f
}

// literal reads up to the next separator: a number or a word.
func (p *parser) literal() string {
	start := p.at
	for p.at < len(p.body) && strings.IndexByte(" \t\r\n,]}", p.body[p.at]) < 0 {
		p.at++
	}
	return p.body[start:p.at]
}

func (p *parser) text() (string, *fault) {
	start := p.at
	plain := true
	for p.at++; p.body[p.at] != '"'; p.at++ {
		if p.body[p.at] == '\\' {
			plain = false
			p.at++
		}
	}
	p.at++
	quoted := p.body[start:p.at]
	if !utf8.ValidString(quoted) { // encoding/json would put U+FFFD, and that would be published
		return "", &fault{start, "a string must be in UTF-8"}
	}
	if plain {
		return quoted[1 : len(quoted)-1], nil
	}
	if at := halfSurrogate(quoted); at >= 0 {
		return "", &fault{start + at, "half of a surrogate pair; the text was cut within a character"}
	}
	var s string
	if err := json.Unmarshal([]byte(quoted), &s); err != nil {
		return "", &fault{start, "a string cannot be read"}
	}
	if strings.IndexByte(s, 0) >= 0 {
		return "", &fault{start, "a string must not contain the character U+0000"}
	}
	return s, nil
}

// halfSurrogate returns the index of an unpaired surrogate escape in a quoted text, which
// a decoder would replace by U+FFFD; -1 if there is none.
func halfSurrogate(quoted string) int {
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		first := escaped(quoted[i:])
		switch {
		case !utf16.IsSurrogate(first):
			i++ // skips the escaped byte, which may be a backslash
		case utf16.DecodeRune(first, escaped(quoted[i+len(`\uffff`):])) == utf8.RuneError:
			return i
		default:
			i += len(`\uffff\uffff`) - 1
		}
	}
	return -1
}

// escaped returns the code unit of an escape such as \u00e9 at the start of a text; 0 if
// there is none.
func escaped(s string) rune {
	if len(s) < len(`\uffff`) || s[:2] != `\u` {
		return 0
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

func (p *parser) items(depth int) ([]Value, *fault) {
	items := make([]Value, 0, usualItems)
	for p.at++; p.skip() != ']'; {
		item, f := p.value(depth)
		if f != nil {
			return nil, f
		}
		items = append(items, item)
	}
	p.at++
	return items, nil
}

func (p *parser) members(depth int) ([]Member, *fault) {
	members := make([]Member, 0, usualMembers)
	var seen map[string]struct{} // only once there are many
	for p.at++; p.skip() != '}'; {
		start := p.at
		name, f := p.text()
		if f != nil {
			return nil, f
		}
		if seen == nil && len(members) == 16 {
			seen = make(map[string]struct{}, 64)
			for _, m := range members {
				seen[m.Name] = struct{}{}
			}
		}
		if named(members, seen, name) {
			return nil, &fault{start, fmt.Sprintf("the field %q occurs twice", Clip(name))}
		}
		if seen != nil {
			seen[name] = struct{}{}
		}
		v, f := p.value(depth)
		if f != nil {
			return nil, f
		}
		members = append(members, Member{Name: name, Value: v})
	}
	p.at++
	return members, nil
}

func named(members []Member, seen map[string]struct{}, name string) bool {
	if seen != nil {
		_, ok := seen[name]
		return ok
	}
	return slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })
}

// place returns the line and column of an offset, both from 1.
func place(body []byte, offset int) (line, column int) {
	before := body[:min(max(offset, 0), len(body))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}

// AppendCanonical appends the value as JSON that does not depend on whitespace, on
// the order of fields or on how a number or a character was written.
func (v Value) AppendCanonical(to []byte) []byte {
	switch v.Kind {
	case boolean:
		return strconv.AppendBool(to, v.truth)
	case Number:
		return append(to, canonicalNumber(v.Text)...)
	case Text:
		return appendText(to, v.Text)
	case list:
		return v.appendItems(to)
	case Object:
		return v.appendMembers(to)
	default:
		return append(to, "null"...)
	}
}

func (v Value) appendItems(to []byte) []byte {
	to = append(to, '[')
	for i, item := range v.Items {
		if i > 0 {
			to = append(to, ',')
		}
		to = item.AppendCanonical(to)
	}
	return append(to, ']')
}

func (v Value) appendMembers(to []byte) []byte {
	var space [16]int // enough for most objects
	order := space[:0]
	for i := range v.Members {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(v.Members[a].Name, v.Members[b].Name) })
	to = append(to, '{')
	for i, at := range order {
		m := &v.Members[at]
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendText(to, m.Name), ':')
		to = m.Value.AppendCanonical(to)
	}
	return append(to, '}')
}

// canonicalNumber writes integers as they are, whatever their size, and all others in
// their shortest form.
func canonicalNumber(literal string) string {
	if !strings.ContainsAny(literal, ".eE") {
		return literal
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return literal // beyond float64: as it was written
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func appendText(to []byte, s string) []byte {
	if !plain(s) {
		return append(to, answer.Encode(s)...)
	}
	to = append(append(to, '"'), s...)
	return append(to, '"')
}

// plain reports whether a text needs no escape in JSON. encoding/json escapes U+2028 and
// U+2029 without need; that is kept, since fingerprints are stored.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(s) && !strings.ContainsAny(s, "\u2028\u2029")
}

// Clip shortens a part of a request for a message that repeats it.
func Clip(s string) string {
	const maximum = 64
	if len(s) <= maximum {
		return s
	}
	return strings.ToValidUTF8(s[:maximum], "") + "…"
}
