package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Facebook checks requests against the nodes and edges that Meta's own generator of clients
// describes: an edge must exist and take what it is given, and a field that is asked for must
// be one of what the edge lists. Answers and types of values are not described well enough
// to be checked.
func Facebook(t testing.TB) *Checker {
	t.Helper()
	var page, post, comment graphNode
	readDescription(t, "meta/Page.json", &page)
	readDescription(t, "meta/PagePost.json", &post)
	readDescription(t, "meta/Comment.json", &comment)
	return &Checker{violations: func(e Exchange) []string {
		parts := strings.Split(strings.TrimPrefix(e.URL.Path, "/"), "/")
		if e.isRefused() || len(parts) < 2 || !strings.HasPrefix(parts[0], "v") || parts[0] == "video-upload" {
			return nil
		}
		if len(parts) == 2 {
			if strings.Contains(parts[1], "_") {
				return post.unknownFields(e, true)
			}
			return page.unknownFields(e, parts[1] == "me") // a video's are not described
		}
		node, listed := page, post
		if parts[2] == "comments" {
			node, listed = post, comment
		}
		edge, ok := node.edge(e.Method, parts[2])
		if !ok {
			return []string{fmt.Sprintf("the edge %s %s is not described", e.Method, parts[2])}
		}
		if e.Method == http.MethodGet {
			return append(edge.unknown(maps.Keys(e.URL.Query()), "fields", "after", "limit"), listed.unknownFields(e, true)...)
		}
		sent, err := sentTo(e)
		if err != nil {
			return []string{fmt.Sprintf("the request cannot be read: %v", err)}
		}
		return append(edge.unknown(maps.Keys(sent)), edge.missing(sent)...)
	}}
}

// graphNode is what is read of a node's description.
type graphNode struct {
	Edges  []graphEdge `json:"apis"`
	Fields []struct {
		Name string `json:"name"`
	} `json:"fields"`
}

type graphEdge struct {
	Method   string `json:"method"`
	Endpoint string `json:"endpoint"`
	Params   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"params"`
}

func (n graphNode) edge(method, endpoint string) (graphEdge, bool) {
	for _, edge := range n.Edges {
		if edge.Method == method && edge.Endpoint == endpoint {
			return edge, true
		}
	}
	return graphEdge{}, false
}

// unknownFields tells of fields that are asked for and that the node has not. What stands in
// braces or parentheses is of another node, or says how much of it.
func (n graphNode) unknownFields(e Exchange, isDescribed bool) (found []string) {
	depth, name := 0, ""
	for _, r := range e.URL.Query().Get("fields") + "," {
		switch {
		case r == '{' || r == '(':
			depth++
		case r == '}' || r == ')':
			depth--
		case depth > 0:
		case r != ',':
			name += string(r)
		default:
			name, _, _ = strings.Cut(name, ".")
			if isDescribed && name != "" && !n.has(name) {
				found = append(found, "field "+name+" is not described")
			}
			name = ""
		}
	}
	return found
}

// has reports whether a node has a field. Attachments are an edge that can be asked for as one.
func (n graphNode) has(name string) bool {
	_, isEdge := n.edge("GET", name)
	for _, field := range n.Fields {
		if field.Name == name {
			return true
		}
	}
	return isEdge
}

func (g graphEdge) unknown(names func(func(string) bool), general ...string) (found []string) {
	for _, name := range slices.Sorted(names) {
		if !slices.Contains(general, name) && !g.takes(name) {
			found = append(found, fmt.Sprintf("parameter %s of %s is not described", name, g.Endpoint))
		}
	}
	return found
}

func (g graphEdge) takes(name string) bool {
	for _, p := range g.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

func (g graphEdge) missing(sent map[string]any) (found []string) {
	for _, p := range g.Params {
		if _, ok := sent[p.Name]; p.Required && !ok {
			found = append(found, fmt.Sprintf("parameter %s of %s is missing", p.Name, g.Endpoint))
		}
	}
	return found
}

// uploadFile is the field of a photo's bytes, which the description leaves out.
const uploadFile = "source"

// sentTo returns the parameters of a request.
func sentTo(e Exchange) (map[string]any, error) {
	sent := map[string]any{}
	if mediaType(e.RequestHeader) == "application/json" {
		err := json.Unmarshal(e.RequestBody, &sent)
		return sent, err
	}
	read, err := e.readForm()
	for name, values := range read.values {
		sent[name] = values[0]
	}
	for name, file := range read.files {
		if name != uploadFile {
			sent[name] = file
		}
	}
	return sent, err
}
