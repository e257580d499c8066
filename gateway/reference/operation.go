package reference

import (
	"slices"
	"strings"
)

// The kinds of page content, as the templates show them.
type (
	// group is the operations of one tag.
	group struct {
		Name, Description string
		Operations        []operation
	}
	// operation is one method of a path, or one event of the webhooks.
	operation struct {
		ID, Method, Path, Summary, Description string
		Public                                 bool // needs no key
		BySession                              bool // needs a session: no key will do
		Parameters                             []field
		Bodies                                 []content
		BodyRequired                           bool
		Responses                              []response
	}
	response struct {
		Status, Description string
		Headers             []field
		Bodies              []content
		Codes               []Problem
	}
	// content is a body in one media type.
	content struct {
		Type     string
		Schema   schema
		Examples []example
	}
	example struct{ Summary, JSON string }
)

// methods are the members of a path that are operations, in the order of their reading.
var methods = []string{"get", "head", "post", "put", "patch", "delete"}

func (r *reader) groups() []group {
	var groups []group
	for _, tag := range r.document.list("tags") {
		tag := asObject(tag)
		groups = append(groups, group{Name: tag.text("name"), Description: tag.text("description")})
	}
	paths := r.document.object("paths")
	for _, path := range paths.names() {
		for _, method := range methods {
			if o := paths.object(path, method); o != nil {
				r.add(groups, o, r.operation(strings.ToUpper(method), path, o))
			}
		}
	}
	return groups
}

func (r *reader) add(groups []group, o object, shown operation) {
	for i := range groups {
		for _, tag := range o.list("tags") {
			if groups[i].Name == tag {
				groups[i].Operations = append(groups[i].Operations, shown)
			}
		}
	}
}

// events are what the webhooks send.
func (r *reader) events() []operation {
	var events []operation
	webhooks := r.document.object("webhooks")
	for _, name := range webhooks.names() {
		events = append(events, r.operation("POST", name, webhooks.object(name, "post")))
	}
	return events
}

func (r *reader) operation(method, path string, o object) operation {
	ways, overridden := o.value("security").([]any)
	isPublic := overridden && (len(ways) == 0 || slices.ContainsFunc(ways, isNothing))
	shown := operation{
		ID: o.text("operationId"), Method: method, Path: path, Summary: o.text("summary"), Description: o.text("description"),
		Public: isPublic, BySession: overridden && !isPublic,
	}
	for _, parameter := range o.list("parameters") {
		shown.Parameters = append(shown.Parameters, r.parameter(asObject(parameter).follow(r.document)))
	}
	body := o.object("requestBody").follow(r.document)
	shown.BodyRequired, shown.Bodies = body.truth("required"), r.contents(body)
	responses := o.object("responses")
	for _, status := range responses.names() {
		shown.Responses = append(shown.Responses, r.response(status, responses.object(status).follow(r.document)))
	}
	return shown
}

// isNothing reports whether a way to be let in asks for nothing.
func isNothing(way any) bool { return len(asObject(way)) == 0 }

func (r *reader) parameter(o object) field {
	f := field{
		Name: o.text("name"), Place: o.text("in"), Required: o.truth("required"),
		Description: o.text("description"), Type: r.schema(o.object("schema")),
	}
	if o.has("example") {
		f.Example = indented(o.value("example"))
	}
	return f
}

func (r *reader) response(status string, o object) response {
	shown := response{Status: status, Description: o.text("description"), Bodies: r.contents(o)}
	if codes := r.codesOf(status); len(codes) > 0 {
		shown.Codes, shown.Bodies = codes, nil // all errors have one shape
	}
	headers := o.object("headers")
	for _, name := range headers.names() {
		header := headers.object(name).follow(r.document)
		shown.Headers = append(shown.Headers, field{
			Name: name, Description: header.text("description"), Type: r.schema(header.object("schema")),
		})
	}
	return shown
}

func (r *reader) contents(o object) []content {
	var all []content
	types := o.object("content")
	for _, mediaType := range types.names() {
		described := types.object(mediaType)
		shown := content{Type: mediaType, Schema: r.schema(described.object("schema"))}
		// The fields of a body are worth more than the name of their schema.
		shown.Schema.Fields = r.fields(described.object("schema").follow(r.document))
		if described.has("example") {
			shown.Examples = append(shown.Examples, example{"Example", indented(described.value("example"))})
		}
		examples := described.object("examples")
		for _, name := range examples.names() {
			one := examples.object(name).follow(r.document)
			shown.Examples = append(shown.Examples, example{one.text("summary"), indented(one.value("value"))})
		}
		all = append(all, shown)
	}
	return all
}
