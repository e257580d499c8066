package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Telegram checks against the tables of the Bot API, which are generated from
// core.telegram.org/bots/api.
func Telegram(t testing.TB) *Checker {
	t.Helper()
	var api botAPI
	readDescription(t, "telegram/bot-api.json", &api)
	return &Checker{violations: api.violations}
}

// botAPI is what is read of the Bot API's description.
type botAPI struct {
	Methods map[string]botMethod `json:"methods"`
	Types   map[string]botType   `json:"types"`
}

type botMethod struct {
	Fields  []botField `json:"fields"`
	Returns []string   `json:"returns"` // any of these types
}

type botType struct {
	Fields   []botField `json:"fields"`
	Subtypes []string   `json:"subtypes"` // it is any of these
}

type botField struct {
	Name     string   `json:"name"`
	Types    []string `json:"types"` // any of these
	Required bool     `json:"required"`
}

var botPath = regexp.MustCompile(`^/bot[^/]+/([A-Za-z]+)$`)

func (a *botAPI) violations(e Exchange) []string {
	parts := botPath.FindStringSubmatch(e.URL.Path)
	if parts == nil {
		return []string{"the path is no method's"}
	}
	method, ok := a.Methods[parts[1]]
	if !ok {
		return []string{"the method is not described"}
	}
	if e.Method != http.MethodGet && e.Method != http.MethodPost {
		return []string{"methods are called by GET and POST"}
	}
	found := a.answerViolations(method, e)
	if e.isRefused() {
		return found
	}
	return append(found, a.requestViolations(method, e)...)
}

func (a *botAPI) requestViolations(method botMethod, e Exchange) []string {
	if mediaType(e.RequestHeader) == "application/json" {
		value, err := decode(e.RequestBody)
		if err != nil {
			return []string{fmt.Sprintf("the request cannot be read: %v", err)}
		}
		return a.fields("request", method.Fields, value)
	}
	read, err := e.readForm()
	if err != nil {
		return []string{fmt.Sprintf("the request cannot be read: %v", err)}
	}
	for name, values := range e.URL.Query() {
		read.values[name] = values
	}
	return a.formViolations(method, read)
}

// formViolations checks a form. Files that no field names are attachments, to which
// one of the fields refers.
func (a *botAPI) formViolations(method botMethod, read form) []string {
	fields := map[string]any{}
	for _, field := range method.Fields {
		if read.values.Has(field.Name) {
			fields[field.Name] = a.fromText(field, read.values.Get(field.Name))
			read.values.Del(field.Name)
		}
		if name, ok := read.files[field.Name]; ok {
			fields[field.Name] = name
			delete(read.files, field.Name)
		}
	}
	var found []string
	for name := range read.values {
		found = append(found, fmt.Sprintf("field %s of the request is not described", name))
	}
	for name := range read.files {
		if !refersTo(fields, name) {
			found = append(found, "no field refers to file "+name)
		}
	}
	return append(found, a.fields("request", method.Fields, fields)...)
}

func refersTo(fields map[string]any, file string) bool {
	encoded, err := json.Marshal(fields)
	return err == nil && strings.Contains(string(encoded), `"attach://`+file+`"`)
}

// fromText reads the text of a form's field as the type it is described with.
func (a *botAPI) fromText(field botField, text string) any {
	if slices.Contains(field.Types, "String") && !slices.Contains(field.Types, "Integer") {
		return text
	}
	value, err := decode([]byte(text))
	if err != nil {
		return text
	}
	return value
}

// fields checks an object against the fields it may and must have.
func (a *botAPI) fields(where string, described []botField, value any) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return []string{where + " is no object"}
	}
	var found []string
	known := map[string]bool{}
	for _, field := range described {
		known[field.Name] = true
		inner, ok := object[field.Name]
		switch {
		case ok:
			found = append(found, a.anyOf(where+"."+field.Name, field.Types, inner)...)
		case field.Required:
			found = append(found, where+"."+field.Name+" is missing")
		}
	}
	for name := range object {
		if !known[name] {
			found = append(found, where+"."+name+" is not described")
		}
	}
	return found
}

// anyOf checks a value against alternatives; what is wrong with the last one is shown.
func (a *botAPI) anyOf(where string, types []string, value any) []string {
	var found []string
	for _, name := range types {
		if found = a.typed(where, name, value); len(found) == 0 {
			return nil
		}
	}
	return found
}

func (a *botAPI) typed(where, name string, value any) []string {
	if items, ok := strings.CutPrefix(name, "Array of "); ok {
		return a.items(where, items, value)
	}
	if isSimple, isOne := simple(name, value); isSimple {
		if isOne {
			return nil
		}
		return []string{fmt.Sprintf("%s is %v, described as %s", where, value, name)}
	}
	described, ok := a.Types[name]
	switch {
	case !ok:
		return []string{fmt.Sprintf("%s is described as %s, which is not described", where, name)}
	case len(described.Subtypes) > 0:
		return a.anyOf(where, described.Subtypes, value)
	default:
		return a.fields(where, described.Fields, value)
	}
}

func (a *botAPI) items(where, name string, value any) []string {
	items, ok := value.([]any)
	if !ok {
		return []string{where + " is no array"}
	}
	var found []string
	for i, item := range items {
		found = append(found, a.typed(where+"["+strconv.Itoa(i)+"]", name, item)...)
	}
	return found
}

// simple reports whether a type is no object, and whether a value is one of it. A file
// stands in a request as its name.
func simple(name string, value any) (isSimple, isOne bool) {
	switch name {
	case "Integer":
		number, ok := value.(json.Number)
		_, err := number.Int64()
		return true, ok && err == nil
	case "Float":
		_, ok := value.(json.Number)
		return true, ok
	case "Boolean", "True":
		is, ok := value.(bool)
		return true, ok && (is || name == "Boolean")
	case "String", "InputFile":
		_, ok := value.(string)
		return true, ok
	default:
		return false, false
	}
}

// errorFields is the answer to a call that failed (core.telegram.org/bots/api#making-requests).
var errorFields = []botField{
	{Name: "ok", Types: []string{"Boolean"}, Required: true},
	{Name: "error_code", Types: []string{"Integer"}, Required: true},
	{Name: "description", Types: []string{"String"}, Required: true},
	{Name: "parameters", Types: []string{"ResponseParameters"}},
}

func (a *botAPI) answerViolations(method botMethod, e Exchange) []string {
	value, err := decode(e.Body)
	if err != nil {
		return []string{fmt.Sprintf("the answer cannot be read: %v", err)}
	}
	object, isObject := value.(map[string]any)
	if !isObject || object["ok"] != (e.Status == http.StatusOK) {
		return []string{"the answer's ok does not fit its status"}
	}
	if e.Status != http.StatusOK {
		return a.fields("answer", errorFields, value)
	}
	delete(object, "ok")
	delete(object, "description") // may come with any answer
	found := a.anyOf("result", method.Returns, object["result"])
	delete(object, "result")
	for name := range object {
		found = append(found, "answer."+name+" is not described")
	}
	return found
}
