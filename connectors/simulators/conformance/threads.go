package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Threads checks against Meta's Postman collection of the Threads API: calls, parameters,
// fields, and answers by their examples.
func Threads(t testing.TB) *Checker {
	t.Helper()
	var collection postmanCollection
	readDescription(t, "threads/postman_collection.json", &collection)
	api := threadsAPI{fields: map[string]bool{}, values: map[string][]string{}}
	for _, variable := range collection.Variables {
		list := strings.FieldsFunc(variable.Value, func(r rune) bool { return strings.ContainsRune(", {}", r) })
		if strings.HasPrefix(variable.Key, "fields_") {
			for _, name := range list {
				api.fields[name] = true
			}
			continue
		}
		api.values[variable.Key] = list
	}
	api.add(collection.Items)
	return &Checker{violations: serialized(api.violations)}
}

type postmanCollection struct {
	Items     []postmanItem `json:"item"`
	Variables []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"variable"`
}

type postmanItem struct {
	Items     []postmanItem    `json:"item"` // of a folder
	Request   *postmanRequest  `json:"request"`
	Responses []postmanExample `json:"response"`
}

type postmanRequest struct {
	Method string `json:"method"`
	URL    struct {
		Raw   string `json:"raw"`
		Query []struct {
			Key string `json:"key"`
		} `json:"query"` // those too that the collection leaves out of the call
	} `json:"url"`
}

type postmanExample struct {
	Body string `json:"body"`
}

// threadsAPI is what is read of the collection.
type threadsAPI struct {
	calls  []*threadsCall
	fields map[string]bool
	values map[string][]string // of parameters that have few
}

// threadsCall is one path with all that the collection shows of it.
type threadsCall struct {
	method   string
	segments []string // empty: any
	params   map[string]bool
	answer   map[string]any // by field, an example
}

// threadsBeyond are parameters that the collection does not show and the documents do
// (developers.facebook.com/docs/threads/reference/publishing, create-posts/polls, -/topic-tags,
// -/links; paging as in all Graph APIs).
var threadsBeyond = []string{
	"access_token", "poll_attachment", "topic_tag", "link_attachment", "limit", "after", "client_secret", "grant_type",
}

func (a *threadsAPI) add(items []postmanItem) {
	for _, item := range items {
		a.add(item.Items)
		if item.Request == nil {
			continue
		}
		path, query, _ := strings.Cut(strings.TrimPrefix(item.Request.URL.Raw, "{{api_host}}"), "?")
		call := a.call(item.Request.Method, path)
		for part := range strings.SplitSeq(query, "&") {
			name, _, _ := strings.Cut(part, "=")
			call.params[name] = true
		}
		for _, param := range item.Request.URL.Query {
			call.params[param.Key] = true
		}
		for _, example := range item.Responses {
			var body map[string]any
			if json.Unmarshal([]byte(example.Body), &body) == nil {
				merge(call.answer, body)
			}
		}
	}
}

func (a *threadsAPI) call(method, path string) *threadsCall {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{{") {
			segments[i] = ""
		}
	}
	for _, known := range a.calls {
		if known.method == method && slices.Equal(known.segments, segments) {
			return known
		}
	}
	call := &threadsCall{method: method, segments: segments, params: map[string]bool{}, answer: map[string]any{}}
	a.calls = append(a.calls, call)
	return call
}

// merge adds the fields of one example to those of others; lists show what any of their items
// has.
func merge(into, example map[string]any) {
	for name, value := range example {
		list, _ := value.([]any)
		item, isObjects := into[name].(map[string]any)
		for _, element := range list {
			object, ok := element.(map[string]any)
			if !ok {
				continue
			}
			if item == nil {
				item = map[string]any{}
			}
			isObjects = true
			merge(item, object)
		}
		if len(list) > 0 && isObjects {
			into[name] = item
			continue
		}
		into[name] = value
	}
}

// find returns the call of a path: one that names more of it first.
func (a *threadsAPI) find(method, path string) *threadsCall {
	segments := strings.Split(strings.Trim(strings.TrimPrefix(path, "/v1.0"), "/"), "/")
	var best *threadsCall
	maximum := -1
	for _, call := range a.calls {
		if named := call.matches(method, segments); named > maximum {
			best, maximum = call, named
		}
	}
	return best
}

// matches counts the segments that a path has by name; negative where it is another.
func (c *threadsCall) matches(method string, segments []string) (named int) {
	if c.method != method || len(c.segments) != len(segments) {
		return -1
	}
	for i, s := range c.segments {
		switch s {
		case "":
		case segments[i]:
			named++
		default:
			return -1
		}
	}
	return named
}

func (a *threadsAPI) violations(e Exchange) []string {
	call := a.find(e.Method, e.URL.Path)
	if call == nil {
		return []string{"the call is not described"}
	}
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return []string{"the answer is no object"}
	}
	if e.isRefused() {
		return graphErrorViolations(body)
	}
	values, err := params(e)
	if err != nil {
		return []string{err.Error()}
	}
	found := a.requestViolations(call, values)
	if len(call.answer) == 0 { // the collection shows no answer
		return found
	}
	return append(found, a.answerViolations("answer", call.answer, body)...)
}

// params are those of the address and of the body.
func params(e Exchange) (url.Values, error) {
	read, err := e.readForm()
	if err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	all := e.URL.Query()
	if e.Method != http.MethodGet {
		maps.Copy(all, read.values)
	}
	return all, nil
}

func (a *threadsAPI) requestViolations(call *threadsCall, values url.Values) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		isFields := name == "fields" && call.method == http.MethodGet
		if !call.params[name] && !slices.Contains(threadsBeyond, name) && !isFields {
			found = append(found, "parameter "+name+" is not described")
		}
		if few := a.values[name]; (name == "media_type" || name == "reply_control") && !slices.Contains(few, values.Get(name)) {
			found = append(found, fmt.Sprintf("%s is %q, described are %v", name, values.Get(name), few))
		}
	}
	for name := range strings.SplitSeq(values.Get("fields"), ",") {
		if name != "" && !a.fields[name] {
			found = append(found, "field "+name+" is asked for, which is not described")
		}
	}
	return found
}

// answerViolations holds an answer against an example: each field is one of the example's, or
// one that can be asked for, and of the same kind.
func (a *threadsAPI) answerViolations(where string, example, body map[string]any) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(body)) {
		sample, has := example[name]
		value := body[name]
		switch list, isList := value.([]any); {
		case !has && !a.fields[name]:
			found = append(found, where+"."+name+" is not described")
		case isList:
			item, _ := sample.(map[string]any)
			for _, element := range list {
				if object, ok := element.(map[string]any); ok {
					found = append(found, a.answerViolations(where+"."+name, item, object)...)
				}
			}
		case has && fmt.Sprintf("%T", sample) != fmt.Sprintf("%T", value):
			found = append(found, fmt.Sprintf("%s.%s is a %T, described as a %T", where, name, value, sample))
		}
	}
	return found
}

// graphErrorViolations checks the error object of a Graph API
// (developers.facebook.com/docs/graph-api/guides/error-handling).
func graphErrorViolations(body map[string]any) []string {
	failure, ok := body["error"].(map[string]any)
	if !ok || len(body) != 1 {
		return []string{"the answer is no error object"}
	}
	var found []string
	for _, name := range []string{"message", "type", "code", "fbtrace_id"} {
		if _, ok := failure[name]; !ok {
			found = append(found, "the error has no "+name)
		}
	}
	for name, value := range failure {
		kind, known := map[string]string{
			"message": "string", "type": "string", "code": "float64", "error_subcode": "float64", "is_transient": "bool",
			"error_user_title": "string", "error_user_msg": "string", "fbtrace_id": "string",
		}[name]
		if !known || fmt.Sprintf("%T", value) != kind {
			found = append(found, fmt.Sprintf("the error's %s is a %T, described as %q", name, value, kind))
		}
	}
	return found
}
