package conformance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Discovery checks against discovery documents of Google's (developers.google.com/discovery):
// paths, parameters, and both bodies. Refusals are described in general alone
// (cloud.google.com/apis/design/errors).
func Discovery(t testing.TB, paths ...string) *Checker {
	t.Helper()
	apis := make([]discoveryAPI, len(paths))
	for i, path := range paths {
		readDescription(t, path, &apis[i])
		apis[i].collect(apis[i].discoveryResource)
	}
	return &Checker{violations: func(e Exchange) []string {
		for _, api := range apis {
			if m := api.find(e.Method, strings.Trim(e.URL.Path, "/")); m != nil {
				return api.violations(*m, e)
			}
		}
		return []string{"the call is not described"}
	}}
}

// discoveryAPI is one document.
type discoveryAPI struct {
	discoveryResource
	ServicePath string                     `json:"servicePath"`
	Parameters  map[string]discoverySchema `json:"parameters"` // of all methods
	Schemas     map[string]discoverySchema `json:"schemas"`
	all         []discoveryMethod
}

type discoveryResource struct {
	Resources map[string]discoveryResource `json:"resources"`
	Methods   map[string]discoveryMethod   `json:"methods"`
}

type discoveryMethod struct {
	HTTPMethod string                     `json:"httpMethod"`
	Path       string                     `json:"path"`
	FlatPath   string                     `json:"flatPath"` // each part by itself; empty: Path
	Parameters map[string]discoverySchema `json:"parameters"`
	Request    *discoverySchema           `json:"request"`
	Response   *discoverySchema           `json:"response"`
}

// discoverySchema is of a value, or refers to one that has a name. Pattern is of parameters.
type discoverySchema struct {
	Ref         string                     `json:"$ref"`
	Type        string                     `json:"type"`
	Format      string                     `json:"format"`
	Enum        []string                   `json:"enum"`
	Properties  map[string]discoverySchema `json:"properties"`
	Further     *discoverySchema           `json:"additionalProperties"`
	Items       *discoverySchema           `json:"items"`
	ReadOnly    bool                       `json:"readOnly"`
	Required    bool                       `json:"required"`
	Repeated    bool                       `json:"repeated"`
	Location    string                     `json:"location"` // query or path
	Description string                     `json:"description"`
}

func (a *discoveryAPI) collect(r discoveryResource) {
	for _, method := range r.Methods {
		a.all = append(a.all, method)
	}
	for _, inner := range r.Resources {
		a.collect(inner)
	}
}

func (a *discoveryAPI) find(method, path string) *discoveryMethod {
	segments := strings.Split(path, "/")
	for _, m := range a.all {
		described := m.FlatPath
		if described == "" {
			described = m.Path
		}
		if m.HTTPMethod == method && pathMatches(strings.Split(strings.Trim(a.ServicePath+described, "/"), "/"), segments) {
			return &m
		}
	}
	return nil
}

func pathMatches(described, segments []string) bool {
	return slices.EqualFunc(described, segments, func(want, segment string) bool {
		return want == segment || strings.HasPrefix(want, "{") && strings.HasSuffix(want, "}") && segment != ""
	})
}

func (a *discoveryAPI) violations(m discoveryMethod, e Exchange) []string {
	if e.isRefused() {
		return googleErrorViolations(e.Body)
	}
	found := a.parameterViolations(m, e.URL.Query())
	found = append(found, a.bodyViolations("request", m.Request, e.RequestBody)...)
	return append(found, a.bodyViolations("answer", m.Response, e.Body)...)
}

func (a *discoveryAPI) parameterViolations(m discoveryMethod, query url.Values) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		described, ok := m.Parameters[name]
		if !ok {
			described, ok = a.Parameters[name]
		}
		if !ok || described.Location != "query" {
			found = append(found, "parameter "+name+" is not described")
			continue
		}
		if len(query[name]) > 1 && !described.Repeated {
			found = append(found, "parameter "+name+" stands there twice")
		}
		for _, value := range query[name] {
			found = append(found, described.textViolations("parameter "+name, value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		if p := m.Parameters[name]; p.Location == "query" && (p.Required || strings.HasPrefix(p.Description, "Required.")) && !query.Has(name) {
			found = append(found, "parameter "+name+" is missing")
		}
	}
	return found
}

// textViolations checks what stands in an address.
func (s discoverySchema) textViolations(where, value string) []string {
	var err error
	switch s.Type {
	case "integer":
		_, err = strconv.ParseInt(value, 10, 64)
	case "boolean":
		_, err = strconv.ParseBool(value)
	}
	if err != nil {
		return []string{fmt.Sprintf("%s is %q, described as %s", where, value, s.Type)}
	}
	return s.enumViolations(where, value)
}

func (s discoverySchema) enumViolations(where, value string) []string {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		return []string{fmt.Sprintf("%s is %q, described are %v", where, value, s.Enum)}
	}
	return nil
}

func (a *discoveryAPI) bodyViolations(where string, described *discoverySchema, body []byte) []string {
	if described == nil {
		if len(body) > 0 {
			return []string{where + " has a body, which is not described"}
		}
		return nil
	}
	value, err := decode(body)
	if err != nil {
		return []string{fmt.Sprintf("%s is no JSON: %v", where, err)}
	}
	return a.valueViolations(place{where, where == "request"}, *described, value)
}

// place is where a value stands, and whether a caller sent it.
type place struct {
	name   string
	isSent bool
}

func (p place) in(name string) place { return place{p.name + name, p.isSent} }

func (a *discoveryAPI) valueViolations(where place, s discoverySchema, value any) []string {
	if s.Ref != "" {
		named, ok := a.Schemas[s.Ref]
		if !ok {
			return []string{where.name + " is of a schema that is not there: " + s.Ref}
		}
		return a.valueViolations(where, named, value)
	}
	switch value := value.(type) {
	case map[string]any:
		if s.Type == "object" {
			return a.objectViolations(where, s, value)
		}
	case []any:
		if s.Type == "array" && s.Items != nil {
			var found []string
			for i, item := range value {
				found = append(found, a.valueViolations(where.in(fmt.Sprintf("[%d]", i)), *s.Items, item)...)
			}
			return found
		}
	case string:
		if s.Type == "string" {
			return s.stringViolations(where.name, value)
		}
	case json.Number:
		if _, err := value.Int64(); s.Type == "number" || s.Type == "integer" && err == nil {
			return nil
		}
	case bool:
		if s.Type == "boolean" {
			return nil
		}
	}
	if s.Type == "any" {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s, described as %s", where.name, kindOfJSON(value), s.Type)}
}

func (a *discoveryAPI) objectViolations(where place, s discoverySchema, object map[string]any) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		described, ok := s.Properties[name]
		if !ok && s.Further != nil {
			described, ok = *s.Further, true
		}
		switch {
		case !ok:
			found = append(found, where.name+"."+name+" is not described")
		case where.isSent && (described.ReadOnly || strings.HasPrefix(described.Description, "Output only.")):
			found = append(found, where.name+"."+name+" is sent, and is only for answers")
		default:
			found = append(found, a.valueViolations(where.in("."+name), described, object[name])...)
		}
	}
	return found
}

func (s discoverySchema) stringViolations(where, value string) []string {
	var err error
	switch s.Format {
	case "google-datetime", "date-time":
		_, err = time.Parse(time.RFC3339Nano, value)
	case "int64", "uint64":
		_, err = strconv.ParseInt(value, 10, 64)
	case "byte":
		_, err = base64.URLEncoding.DecodeString(value)
	}
	if err != nil {
		return []string{fmt.Sprintf("%s is %q, described as %s", where, value, s.Format)}
	}
	return s.enumViolations(where, value)
}

// googleErrorViolations checks the error object that Google's APIs refuse with.
func googleErrorViolations(body []byte) []string {
	var refused struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Status  string `json:"status"`
			Details []struct {
				Type string `json:"@type"`
			} `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &refused); err != nil || refused.Error.Code == 0 || refused.Error.Message == "" {
		return []string{fmt.Sprintf("the answer is no error object: %v", err)}
	}
	for _, detail := range refused.Error.Details {
		if !strings.HasPrefix(detail.Type, "type.googleapis.com/") {
			return []string{fmt.Sprintf("a detail is of type %q", detail.Type)}
		}
	}
	return nil
}
