package reference

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// indexEntry is one thing that search finds: its kind, title, what stands beside it, its address below docs, and
// the words by which it is found besides.
type indexEntry struct {
	Kind  string `json:"k"`
	Title string `json:"t"`
	Side  string `json:"s,omitempty"`
	URL   string `json:"u"`
	Words string `json:"w,omitempty"`
}

// index is all that search finds, as script.js reads it.
func (s *site) index() ([]byte, error) {
	all := slices.Concat(s.indexBasics(), s.indexOperations(), s.indexCodes(), s.indexObjects())
	encoded, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return encoded, nil
}

func (s *site) indexBasics() (all []indexEntry) {
	for _, b := range basicsOf {
		all = append(all, indexEntry{"heading", b.Title, "", "../docs#" + basicID(b), words(b.Text, maxWords)})
	}
	for _, tag := range s.tags() {
		all = append(all, indexEntry{"heading", tag.text("name"), firstSentence(tag.text("description")), pathOf(tag.text("name")), words(tag.text("description"), maxWords)})
	}
	return append(all, indexEntry{"heading", "Events", "of webhooks", eventsPage, ""}, indexEntry{"heading", "Errors", "all codes", errorsPage, ""})
}

func (s *site) indexOperations() (all []indexEntry) {
	for _, o := range s.operations() {
		id := o.object.text("operationId")
		texts := []string{o.object.text("description")}
		address := pathOf(o.tag) + "#" + id
		for _, parameter := range o.object.list("parameters") {
			parameter := asObject(parameter).follow(s.document)
			name := parameter.text("name")
			texts = append(texts, name)
			all = append(all, indexEntry{"field", name, o.method + " " + o.path, address + "." + name, words(parameter.text("description"), maxFieldWords)})
		}
		all = append(all, indexEntry{"operation", o.object.text("summary"), o.method + " " + o.path, address, words(strings.Join(texts, " "), maxWords)})
	}
	webhooks := s.document.object("webhooks")
	for _, name := range webhooks.names() {
		o := webhooks.object(name, "post")
		all = append(all, indexEntry{"event", name, o.text("summary"), eventsPage + "#" + o.text("operationId"), words(o.text("description"), maxWords)})
	}
	return all
}

func (s *site) indexCodes() (all []indexEntry) {
	for _, p := range s.problems {
		all = append(all, indexEntry{"code", p.Code, firstSentence(p.Meaning), errorsPage + "/" + p.Code, words(fmt.Sprintf("%d %s %s %s", p.Status, http.StatusText(p.Status), p.Meaning, p.Remedy), maxWords)})
	}
	return all
}

// indexObjects are the shared schemas and their fields, each field in the first of those that have it.
func (s *site) indexObjects() (all []indexEntry) {
	r := s.reader(objectsPage)
	known := make(map[string]int)
	for _, name := range s.document.object("components", "schemas").names() {
		o := s.document.object("components", "schemas", name)
		address := s.homes[name] + "#" + schemaID(name)
		all = append(all, indexEntry{"object", name, "", address, words(o.text("description"), maxWords)})
		for _, f := range r.fields(o) {
			if known[f.Name]++; known[f.Name] <= maxPlaces {
				all = append(all, indexEntry{"field", f.Name, name, address + "." + f.Name, words(f.Description, maxFieldWords)})
			}
		}
	}
	return all
}

// How many words a thing is found by besides its title: there are many fields.
const (
	maxWords      = 40
	maxFieldWords = 12
)

// maxPlaces is in how many schemas a field is found: many have an id.
const maxPlaces = 8

// words are the first of a text, at most so many, once each; script.js takes names such as scheduledFor apart.
func words(text string, limit int) string {
	var all []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		if len(word) > 2 && len(all) < limit && !slices.ContainsFunc(all, func(other string) bool { return strings.EqualFold(word, other) }) {
			all = append(all, word)
		}
	}
	return strings.Join(all, " ")
}

// firstSentence is the beginning of a text, in one line.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if end := strings.Index(text, ". "); end > 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, ".")
}
