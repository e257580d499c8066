package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Instagram checks against Meta's descriptions of the nodes and edges of its Graph API: which
// edges there are, their parameters with their types, and the fields of what they answer.
func Instagram(t testing.TB) *Checker {
	t.Helper()
	api := instagramAPI{}
	for _, name := range []string{"IGUser", "IGMedia", "IGComment"} {
		var node instagramNode
		readDescription(t, "meta/"+name+".json", &node)
		api[name] = node
	}
	return &Checker{violations: serialized(api.violations)}
}

// instagramNode is what is read of a node's description.
type instagramNode struct {
	Edges []struct {
		Method   string           `json:"method"`
		Endpoint string           `json:"endpoint"`
		Return   string           `json:"return"`
		Params   []instagramParam `json:"params"`
	} `json:"apis"`
	Fields []instagramParam `json:"fields"`
}

type instagramParam struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type instagramAPI map[string]instagramNode

// What the descriptions leave out: containers (docs/instagram-platform/instagram-graph-api/
// reference/ig-container), user_id and account_type of the profile (docs/instagram-platform/
// instagram-api-with-instagram-login/get-started), the answer of content_publishing_limit
// (-/reference/ig-user/content_publishing_limit), and is_carousel_item's kind.
var instagramBeyond = map[string][]instagramParam{
	"IGUser":  {{"user_id", "string"}, {"account_type", "string"}},
	"IGMedia": {{"status_code", "string"}, {"status", "string"}},
	// docs/graph-api/reference/debug_token
	"DebugToken": {
		{"app_id", "string"}, {"application", "string"}, {"type", "string"}, {"user_id", "string"}, {"is_valid", "bool"}, {"scopes", "list"},
		{"issued_at", "int"}, {"expires_at", "int"}, {"data_access_expires_at", "int"}, {"granular_scopes", "list"}, {"error", "map"},
	},
	"ContentPublishingLimitResponse": {{"quota_usage", "int"}, {"config", "map"}},
	// docs/instagram-platform/reference/instagram-media/insights
	"InstagramInsightsResult": {{"name", "string"}, {"period", "string"}, {"title", "string"}, {"description", "string"}, {"values", "list"}, {"total_value", "map"}},
}

// of returns the fields of what an edge answers.
func (a instagramAPI) of(name string) map[string]string {
	fields := map[string]string{}
	for _, field := range slices.Concat(a[name].Fields, instagramBeyond[name]) {
		fields[field.Name] = field.Type
	}
	return fields
}

func (a instagramAPI) violations(e Exchange) []string {
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return []string{"the answer is no object"}
	}
	segments := strings.Split(strings.Trim(e.URL.Path, "/"), "/")
	if len(segments) > 0 && strings.HasPrefix(segments[0], "v") {
		segments = segments[1:]
	}
	if e.isRefused() {
		return graphErrorViolations(body)
	}
	values, err := params(e)
	if err != nil {
		return []string{err.Error()}
	}
	node := "IGUser"
	switch {
	case len(segments) == 1 && segments[0] == "me":
		return a.read("IGUser", values, body)
	case len(segments) == 1 && segments[0] == "debug_token":
		data, _ := body["data"].(map[string]any)
		return objectViolations(a.of("DebugToken"), data)
	case len(segments) == 1:
		return a.read("IGMedia", values, body)
	case len(segments) != 2:
		return []string{"the path is no edge's"}
	case segments[1] == "replies":
		node = "IGComment"
	case segments[0] != "me":
		node = "IGMedia"
	}
	return a.edge(node, segments[1], e.Method, values, body)
}

// edge checks a call of a node's edge.
func (a instagramAPI) edge(node, endpoint, method string, values url.Values, body map[string]any) []string {
	for _, edge := range a[node].Edges {
		if edge.Endpoint != endpoint || edge.Method != method {
			continue
		}
		if method == http.MethodGet {
			return a.read(edge.Return, values, body)
		}
		found := paramViolations(edge.Params, values)
		if _, ok := body["id"].(string); !ok || len(body) != 1 {
			found = append(found, fmt.Sprintf("the answer is %v, not an id", body))
		}
		return found
	}
	return []string{"edge " + method + " " + endpoint + " of " + node + " is not described"}
}

func paramViolations(described []instagramParam, values url.Values) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(described, func(p instagramParam) bool { return p.Name == name })
		if at < 0 {
			found = append(found, "parameter "+name+" is not described")
		} else if !paramHolds(described[at].Type, values.Get(name)) {
			found = append(found, fmt.Sprintf("parameter %s is %q, described as %s", name, values.Get(name), described[at].Type))
		}
	}
	return found
}

// paramHolds reports whether the text of a parameter is of a type: lists are JSON, or texts with
// commas between them.
func paramHolds(kind, text string) bool {
	switch {
	case kind == "bool":
		return text == "true" || text == "false"
	case kind == "unsigned int":
		_, err := strconv.ParseUint(text, 10, 64)
		return err == nil
	case kind == "map":
		return json.Unmarshal([]byte(text), &map[string]any{}) == nil
	case kind == "list<map>":
		return json.Unmarshal([]byte(text), &[]map[string]any{}) == nil
	case strings.HasPrefix(kind, "list<"):
		return !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &[]string{}) == nil
	default:
		return true
	}
}

// read checks a read of one thing, or of a list of such.
func (a instagramAPI) read(name string, values url.Values, body map[string]any) []string {
	fields := a.of(name)
	var found []string
	for _, field := range apart(values.Get("fields")) {
		field, within, expanded := strings.Cut(strings.TrimSuffix(field, "}"), "{")
		if listed, isEdge := a.listed(name, field); expanded && isEdge { // its own answer is not looked into
			fields[field] = "edge"
			found = append(found, a.read(listed, url.Values{"fields": {within}}, nil)...)
			continue
		}
		if _, known := fields[field]; !known && field != "" && field != "id" {
			found = append(found, "field "+field+" of "+name+" is asked for, which is not described")
		}
	}
	list, isList := body["data"].([]any)
	if !isList {
		return append(found, objectViolations(fields, body)...)
	}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return append(found, "the list holds what is no object")
		}
		found = append(found, objectViolations(fields, object)...)
	}
	return found
}

// listed returns what an edge of a node lists.
func (a instagramAPI) listed(node, endpoint string) (name string, ok bool) {
	for _, edge := range a[node].Edges {
		if edge.Endpoint == endpoint && edge.Method == http.MethodGet {
			return edge.Return, true
		}
	}
	return "", false
}

// apart returns the fields of an expansion, each with what stands in its braces.
func apart(fields string) (all []string) {
	depth, from := 0, 0
	for i, r := range fields + "," {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth == 0:
			all, from = append(all, fields[from:i]), i+1
		}
	}
	return all
}

func objectViolations(fields map[string]string, object map[string]any) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		kind, known := fields[name]
		if name == "id" {
			kind, known = "string", true
		}
		is := map[string]string{"string": "string", "datetime": "string", "int": "float64", "bool": "bool"}[kind]
		switch got := fmt.Sprintf("%T", object[name]); {
		case !known:
			found = append(found, "answer."+name+" is not described")
		case is != "" && got != is:
			found = append(found, fmt.Sprintf("answer.%s is a %s, described as %s", name, got, kind))
		}
	}
	return found
}
