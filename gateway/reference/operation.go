package reference

import (
	"slices"
)

// The kinds of page content, as the templates show them.
type (
	// group is what the page of a resource shows: its operations, and the objects that it alone has.
	group struct {
		Name, Description string
		Operations        []operation
		Schemas           []named
	}
	// operation is one method of a path, or one event of the webhooks.
	operation struct {
		ID, Method, Path, Summary, Description string
		Rights                                 string // what it asks of its caller
		Public                                 bool   // needs no key
		BySession                              bool   // needs a session: no key will do
		Deprecated                             string // the day on which it ends; empty where it stays
		Parameters                             []field
		Bodies                                 []content
		BodyRequired                           bool
		Responses                              []response
		Samples                                []sample
	}
	response struct {
		Status, Description string
		Headers             []field
		Bodies              []content
		Codes               []Problem
		Root                string
	}
	// content is a body in one media type.
	content struct {
		Type     string
		Schema   schema
		Examples []example
	}
	example struct{ Summary, JSON string }
)

func (r *reader) group(tag object) group {
	g := group{Name: tag.text("name"), Description: tag.text("description"), Schemas: r.schemas()}
	for _, o := range r.operations() {
		if o.tag == g.Name {
			g.Operations = append(g.Operations, r.operation(o.method, o.path, o.object))
		}
	}
	return g
}

// eventGroup is what the webhooks send.
func (s *site) eventGroup(r *reader) any {
	g := group{Schemas: r.schemas()}
	webhooks := r.document.object("webhooks")
	for _, name := range webhooks.names() {
		g.Operations = append(g.Operations, r.operation("POST", name, webhooks.object(name, "post")))
	}
	return g
}

func (r *reader) operation(method, path string, o object) operation {
	ways, overridden := o.value("security").([]any)
	isPublic := overridden && (len(ways) == 0 || slices.ContainsFunc(ways, isNothing))
	view := operation{
		ID: o.text("operationId"), Method: method, Path: path, Summary: o.text("summary"), Description: o.text("description"),
		Public: isPublic, BySession: overridden && !isPublic, Rights: r.Rights(method, path),
	}
	if o.truth("deprecated") {
		view.Deprecated = o.text("x-sunset")
	}
	for _, parameter := range o.list("parameters") {
		view.Parameters = append(view.Parameters, r.parameter(asObject(parameter).follow(r.document)))
	}
	view.Parameters = identified(view.ID, view.Parameters)
	body := o.object("requestBody").follow(r.document)
	view.BodyRequired, view.Bodies = body.truth("required"), r.contents(body)
	responses := o.object("responses")
	for _, status := range responses.names() {
		view.Responses = append(view.Responses, r.response(status, responses.object(status).follow(r.document)))
	}
	view.Samples = r.samplesOf(view)
	return view
}

// samplesOf are those of an operation that programs call: a test runs them. curl has one of each.
func (r *reader) samplesOf(o operation) []sample {
	all := r.samples[o.ID]
	if r.page == eventsPage || o.BySession {
		return nil
	}
	if len(all) == 0 || all[0].Language != "sh" {
		all = slices.Concat([]sample{o.curl()}, all)
	}
	all[0].Note = curlAlone[o.ID]
	return all
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

// onEveryAnswer are the headers that the start page explains once.
var onEveryAnswer = []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

func (r *reader) response(status string, o object) response {
	view := response{Status: status, Description: o.text("description"), Bodies: r.contents(o), Root: r.root}
	if codes := r.codesOf(status); len(codes) > 0 {
		view.Codes, view.Bodies = codes, nil // all errors have one shape
	}
	headers := o.object("headers")
	for _, name := range headers.names() {
		if slices.Contains(onEveryAnswer, name) {
			continue
		}
		header := headers.object(name).follow(r.document)
		view.Headers = append(view.Headers, field{
			Name: name, Description: header.text("description"), Type: r.schema(header.object("schema")),
		})
	}
	return view
}

func (r *reader) contents(o object) []content {
	var all []content
	types := o.object("content")
	for _, mediaType := range types.names() {
		described := types.object(mediaType)
		view := content{Type: mediaType, Schema: r.schema(described.object("schema"))}
		// The fields of a body are worth more than the name of their schema.
		view.Schema.Fields = r.fields(described.object("schema").follow(r.document))
		if described.has("example") {
			view.Examples = append(view.Examples, example{"Example", indented(described.value("example"))})
		}
		examples := described.object("examples")
		for _, name := range examples.names() {
			o := examples.object(name).follow(r.document)
			view.Examples = append(view.Examples, example{o.text("summary"), indented(o.value("value"))})
		}
		all = append(all, view)
	}
	return all
}
