package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"

	"github.com/bluesky-social/indigo/atproto/syntax"
)

// lexicons is every definition by its full name, such as app.bsky.feed.post#main
// (atproto.com/specs/lexicon).
type lexicons map[string]definition

// definition is one definition of a lexicon; which fields it has follows from its type.
type definition struct {
	Type string `json:"type"`
	ID   string `json:"-"` // of the lexicon it stands in

	// of query and procedure
	Parameters *definition `json:"parameters"`
	Input      *payload    `json:"input"`
	Output     *payload    `json:"output"`
	Errors     []struct {
		Name string `json:"name"`
	} `json:"errors"`

	Record *definition `json:"record"` // of record

	// of object and params
	Properties map[string]*definition `json:"properties"`
	Required   []string               `json:"required"`
	Nullable   []string               `json:"nullable"`

	Items  *definition `json:"items"`  // of array
	Ref    string      `json:"ref"`    // of ref
	Refs   []string    `json:"refs"`   // of union
	Closed bool        `json:"closed"` // of union

	// of integer, string, array and blob; lengths of strings are in bytes
	Minimum      *int64            `json:"minimum"`
	Maximum      *int64            `json:"maximum"`
	MinLength    *int              `json:"minLength"`
	MaxLength    *int              `json:"maxLength"`
	MaxGraphemes *int              `json:"maxGraphemes"`
	Format       string            `json:"format"`
	Enum         []json.RawMessage `json:"enum"`
	Accept       []string          `json:"accept"`
	MaxSize      *int64            `json:"maxSize"`
}

// payload is the body of a request or of an answer.
type payload struct {
	Encoding string      `json:"encoding"`
	Schema   *definition `json:"schema"`
}

func readLexicons(folder string) (lexicons, error) {
	all := lexicons{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		return all.read(path)
	})
	return all, err
}

func (l lexicons) read(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file struct {
		ID   string                `json:"id"`
		Defs map[string]definition `json:"defs"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	for name, d := range file.Defs {
		d.ID = file.ID
		l[file.ID+"#"+name] = d
	}
	return nil
}

// resolve returns the definition that a reference within a lexicon names.
func (l lexicons) resolve(lexicon, ref string) (definition, bool) {
	if strings.HasPrefix(ref, "#") {
		ref = lexicon + ref
	}
	if !strings.Contains(ref, "#") {
		ref += "#main"
	}
	d, ok := l[ref]
	return d, ok
}

// value says in what a value departs from its definition.
func (l lexicons) value(where, lexicon string, d definition, value any) []string {
	switch d.Type {
	case "object", "params":
		return l.object(where, lexicon, d, value)
	case "record":
		return l.object(where, lexicon, *d.Record, value)
	case "array":
		return l.array(where, lexicon, d, value)
	case "ref":
		next, ok := l.resolve(lexicon, d.Ref)
		if !ok {
			return []string{where + ": " + d.Ref + " is not described"}
		}
		return l.value(where, next.ID, next, value)
	case "union":
		return l.union(where, lexicon, d, value)
	case "unknown":
		return l.open(where, value)
	default:
		return scalar(where, d, value)
	}
}

func (l lexicons) object(where, lexicon string, d definition, value any) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return []string{where + " is no object"}
	}
	var found []string
	for _, name := range d.Required {
		if _, ok := object[name]; !ok {
			found = append(found, where+"."+name+" is missing")
		}
	}
	for name, inner := range object {
		property, ok := d.Properties[name]
		switch {
		case name == "$type":
		case !ok:
			found = append(found, where+"."+name+" is not described")
		case inner != nil || !slices.Contains(d.Nullable, name):
			found = append(found, l.value(where+"."+name, lexicon, *property, inner)...)
		}
	}
	return found
}

func (l lexicons) array(where, lexicon string, d definition, value any) []string {
	items, ok := value.([]any)
	if !ok {
		return []string{where + " is no array"}
	}
	found := outOf(where, "items", len(items), d.MinLength, d.MaxLength)
	for i, item := range items {
		found = append(found, l.value(fmt.Sprintf("%s[%d]", where, i), lexicon, *d.Items, item)...)
	}
	return found
}

// union checks a value by its own $type, which open unions need not know.
func (l lexicons) union(where, lexicon string, d definition, value any) []string {
	name, ok := typeOf(value)
	if !ok {
		return []string{where + " has no $type"}
	}
	for _, ref := range d.Refs {
		if next, ok := l.resolve(lexicon, ref); ok && strings.TrimSuffix(name, "#main") == strings.TrimSuffix(absolute(lexicon, ref), "#main") {
			return l.value(where, next.ID, next, value)
		}
	}
	return []string{where + " is of type " + name + ", which is not described for it"}
}

func absolute(lexicon, ref string) string {
	if strings.HasPrefix(ref, "#") {
		return lexicon + ref
	}
	return ref
}

// open checks a value of a type that is not fixed: a record, by its $type.
func (l lexicons) open(where string, value any) []string {
	if _, ok := value.(map[string]any); !ok {
		return []string{where + " is no object"}
	}
	name, ok := typeOf(value)
	if !ok {
		return nil
	}
	d, ok := l.resolve("", name)
	if !ok {
		return []string{where + " is of type " + name + ", which is not described"}
	}
	return l.value(where, d.ID, d, value)
}

func typeOf(value any) (string, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return "", false
	}
	name, ok := object["$type"].(string)
	return name, ok
}

// scalar checks a value without parts that are described elsewhere.
func scalar(where string, d definition, value any) []string {
	switch d.Type {
	case "boolean":
		if _, ok := value.(bool); ok {
			return nil
		}
	case "integer":
		if number, ok := value.(json.Number); ok {
			return integer(where, d, number)
		}
	case "string", "token":
		if text, ok := value.(string); ok {
			return limitedText(where, d, text)
		}
	case "bytes", "cid-link":
		if _, ok := value.(map[string]any); ok {
			return nil
		}
	case "blob":
		return blob(where, d, value)
	}
	return []string{fmt.Sprintf("%s is %v, described as %s", where, value, d.Type)}
}

func integer(where string, d definition, number json.Number) []string {
	n, err := number.Int64()
	switch {
	case err != nil:
		return []string{fmt.Sprintf("%s is %s, described as integer", where, number)}
	case d.Minimum != nil && n < *d.Minimum, d.Maximum != nil && n > *d.Maximum:
		return []string{fmt.Sprintf("%s is %d, out of its bounds", where, n)}
	}
	return nil
}

func limitedText(where string, d definition, text string) []string {
	found := outOf(where, "bytes", len(text), d.MinLength, d.MaxLength)
	found = append(found, outOf(where, "graphemes", simulation.Graphemes(text), nil, d.MaxGraphemes)...)
	if err := formatError(d.Format, text); err != nil {
		found = append(found, fmt.Sprintf("%s is no %s: %v", where, d.Format, err))
	}
	if len(d.Enum) > 0 && !slices.ContainsFunc(d.Enum, func(value json.RawMessage) bool { return string(value) == `"`+text+`"` }) {
		found = append(found, fmt.Sprintf("%s is %q, none of its values", where, text))
	}
	return found
}

// formatError says why a text is not of a format (atproto.com/specs/lexicon#string-formats).
func formatError(format, text string) error {
	var err error
	switch format {
	case "did":
		_, err = syntax.ParseDID(text)
	case "handle":
		_, err = syntax.ParseHandle(text)
	case "at-identifier":
		_, err = syntax.ParseAtIdentifier(text)
	case "at-uri":
		_, err = syntax.ParseATURI(text)
	case "nsid":
		_, err = syntax.ParseNSID(text)
	case "cid":
		_, err = syntax.ParseCID(text)
	case "datetime":
		_, err = syntax.ParseDatetime(text)
	case "language":
		_, err = syntax.ParseLanguage(text)
	case "record-key":
		_, err = syntax.ParseRecordKey(text)
	case "tid":
		_, err = syntax.ParseTID(text)
	case "uri":
		_, err = syntax.ParseURI(text)
	}
	return err
}

// blob checks a reference to a blob (atproto.com/specs/data-model#blob-type).
func blob(where string, d definition, value any) []string {
	content, err := json.Marshal(value)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", where, err)}
	}
	var b struct {
		Type string `json:"$type"`
		Ref  struct {
			Link string `json:"$link"`
		} `json:"ref"`
		MIMEType string `json:"mimeType"`
		Size     int64  `json:"size"`
	}
	if err := json.Unmarshal(content, &b); err != nil || b.Type != "blob" || b.MIMEType == "" || b.Size <= 0 {
		return []string{fmt.Sprintf("%s is no blob: %s", where, content)}
	}
	var found []string
	if _, err := syntax.ParseCID(b.Ref.Link); err != nil {
		found = append(found, fmt.Sprintf("%s has no cid: %v", where, err))
	}
	if d.MaxSize != nil && b.Size > *d.MaxSize {
		found = append(found, fmt.Sprintf("%s has %d bytes, at most %d are described", where, b.Size, *d.MaxSize))
	}
	if len(d.Accept) > 0 && !slices.ContainsFunc(d.Accept, func(pattern string) bool { return isAccepted(pattern, b.MIMEType) }) {
		found = append(found, fmt.Sprintf("%s is of type %s, none of %v", where, b.MIMEType, d.Accept))
	}
	return found
}

// isAccepted reports whether a media type fits a pattern such as image/*.
func isAccepted(pattern, mediaType string) bool {
	prefix, isOpen := strings.CutSuffix(pattern, "*")
	return pattern == "*/*" || mediaType == pattern || isOpen && strings.HasPrefix(mediaType, prefix)
}

func outOf(where, unit string, n int, minimum, maximum *int) []string {
	if minimum != nil && n < *minimum || maximum != nil && n > *maximum {
		return []string{fmt.Sprintf("%s has %d %s, out of its bounds", where, n, unit)}
	}
	return nil
}
