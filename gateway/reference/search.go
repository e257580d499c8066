package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// found is one thing that search finds: its kind, title, what stands beside it, its address below docs, and
// the words by which it is found besides.
type found struct {
	Kind  string `json:"k"`
	Title string `json:"t"`
	Side  string `json:"s,omitempty"`
	URL   string `json:"u"`
	Words string `json:"w,omitempty"`
}

// index is all that search finds, as script.js reads it.
func (s *site) index() ([]byte, error) {
	all := slices.Concat(s.foundBasics(), s.foundOperations(), s.foundCodes(), s.foundObjects())
	encoded, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return encoded, nil
}

func (s *site) foundBasics() (all []found) {
	for _, b := range basicsOf {
		all = append(all, found{"heading", b.Title, "", "../docs#" + basicID(b), words(b.Text)})
	}
	for _, tag := range s.tags() {
		all = append(all, found{"heading", tag.text("name"), firstSentence(tag.text("description")), pathOf(tag.text("name")), words(tag.text("description"))})
	}
	return append(all, found{"heading", "Events", "of webhooks", eventsPage, ""}, found{"heading", "Errors", "all codes", errorsPage, ""})
}

func (s *site) foundOperations() (all []found) {
	for _, o := range s.operations() {
		id := o.object.text("operationId")
		said := []string{id, o.object.text("description")}
		address := pathOf(o.tag) + "#" + id
		for _, parameter := range o.object.list("parameters") {
			parameter := asObject(parameter).follow(s.document)
			name := parameter.text("name")
			said = append(said, name)
			all = append(all, found{"field", name, o.method + " " + o.path, address + "." + name, fewWords(parameter.text("description"))})
		}
		all = append(all, found{"operation", o.object.text("summary"), o.method + " " + o.path, address, words(strings.Join(said, " "))})
	}
	webhooks := s.document.object("webhooks")
	for _, name := range webhooks.names() {
		o := webhooks.object(name, "post")
		all = append(all, found{"event", name, o.text("summary"), eventsPage + "#" + o.text("operationId"), words(o.text("description"))})
	}
	return all
}

func (s *site) foundCodes() (all []found) {
	for _, p := range s.problems {
		all = append(all, found{"code", p.Code, firstSentence(p.Meaning), errorsPage + "/" + p.Code, words(p.Meaning + " " + p.Remedy)})
	}
	return all
}

// foundObjects are the shared schemas and their fields, each field in the first of those that have it.
func (s *site) foundObjects() (all []found) {
	r := s.reader(objectsPage)
	known := make(map[string]int)
	for _, name := range s.document.object("components", "schemas").names() {
		o := s.document.object("components", "schemas", name)
		address := s.homes[name] + "#" + schemaID(name)
		all = append(all, found{"object", name, "", address, words(o.text("description"))})
		for _, f := range r.fields(o) {
			if known[f.Name]++; known[f.Name] <= mostPlaces {
				all = append(all, found{"field", f.Name, name, address + "." + f.Name, fewWords(f.Description)})
			}
		}
	}
	return all
}

// How many words a thing is found by besides its title: there are many fields.
const (
	mostWords    = 40
	mostOfFields = 12
)

// mostPlaces is in how many schemas a field is found: many have an id.
const mostPlaces = 3

// words are those of a text, once each, in lower case; names such as scheduledFor stay whole.
func words(text string) string { return someWords(text, mostWords) }

func fewWords(text string) string { return someWords(text, mostOfFields) }

func someWords(text string, most int) string {
	var all []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(word) > 2 && !slices.Contains(all, word) && len(all) < most {
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
