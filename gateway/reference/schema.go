package reference

import (
	"fmt"
	"slices"
	"strings"
)

type (
	// schema is a type: a name to follow, or what it is said to be.
	schema struct {
		Link   string // name of a shared schema
		Href   string // where it is described
		Many   string // what stands before the link, such as "array of"
		Text   string // where there is no link
		Either []schema
		Facts  []string // bounds, values, format
		Fields []field  // of an object that has no name of its own
	}
	// field is a member of an object, a parameter or a header.
	field struct {
		ID                                string // its anchor, where it has one
		Name, Place, Description, Example string
		Required                          bool
		Type                              schema
	}
	// named is a schema that others refer to.
	named struct {
		ID, Name, Description string
		Type                  schema
	}
)

// reader makes what the templates show of a description, for one page.
type reader struct {
	*site

	page string // that it is for, below docs
	root string // of links from it to other pages
}

// href is a link to a place of a page.
func (r *reader) href(page, anchor string) string {
	if page == r.page {
		return "#" + anchor
	}
	return r.root + page + "#" + anchor
}

// schemas are those that the page describes.
func (r *reader) schemas() []named {
	var all []named
	schemas := r.document.object("components", "schemas")
	for _, name := range schemas.names() {
		if r.homes[name] != r.page {
			continue
		}
		o := schemas.object(name)
		view := named{ID: schemaID(name), Name: name, Description: o.text("description"), Type: r.schema(o)}
		view.Type.Fields = identified(view.ID, r.fields(o))
		all = append(all, view)
	}
	return all
}

// schemaID is the anchor of a shared schema.
func schemaID(name string) string { return "schema-" + name }

// identified gives fields anchors.
func identified(of string, fields []field) []field {
	for i := range fields {
		fields[i].ID = of + "." + fields[i].Name
	}
	return fields
}

// schema tells of a type without going into what has a name.
func (r *reader) schema(o object) schema {
	if name := o.refName(); name != "" {
		return schema{Link: name, Href: r.href(r.homes[name], schemaID(name))}
	}
	for _, choice := range []string{"oneOf", "anyOf"} {
		if options := o.list(choice); len(options) > 0 && !o.has("properties") {
			return schema{Either: r.each(options), Facts: facts(o)}
		}
	}
	switch kind := kindOf(o); {
	case kind == "array":
		return r.many("array of ", o.object("items"), facts(o))
	case o.object("additionalProperties") != nil && !o.has("properties"):
		return r.many("map of ", o.object("additionalProperties"), facts(o))
	case len(o.list("allOf")) == 1 && !o.has("properties"):
		return r.schema(asObject(o.list("allOf")[0]))
	default:
		return schema{Text: kind, Facts: facts(o), Fields: r.fields(o)}
	}
}

func (r *reader) each(options []any) []schema {
	all := make([]schema, len(options))
	for i, option := range options {
		all[i] = r.schema(asObject(option))
	}
	return all
}

func (r *reader) many(of string, items object, more []string) schema {
	s := r.schema(items)
	if s.Link == "" && len(s.Either) == 0 {
		s.Text = of + s.Text
	} else {
		s.Many = of + s.Many
	}
	s.Facts = append(more, s.Facts...)
	return s
}

// kindOf returns the name of a type; of several, all of them.
func kindOf(o object) string {
	if kind := o.text("type"); kind != "" {
		return kind
	}
	var kinds []string
	for _, kind := range o.list("type") {
		kinds = append(kinds, fmt.Sprint(kind))
	}
	switch {
	case len(kinds) > 0:
		return strings.Join(kinds, " or ")
	case o.has("properties") || o.has("allOf"):
		return "object"
	default:
		return ""
	}
}

// facts are what bounds a value.
func facts(o object) []string {
	var all []string
	if format := o.text("format"); format != "" {
		all = append(all, format)
	}
	if o.has("const") {
		all = append(all, "always "+indented(o.value("const")))
	}
	if values := o.list("enum"); len(values) == 1 {
		all = append(all, "always "+indented(values[0]))
	} else if len(values) > 0 {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = fmt.Sprint(value)
		}
		all = append(all, "one of "+strings.Join(texts, ", "))
	}
	for _, bound := range []struct{ low, high, unit string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " items"}, {"minProperties", "maxProperties", " fields"},
	} {
		if text := bounds(o, bound.low, bound.high); text != "" {
			all = append(all, text+bound.unit)
		}
	}
	for _, name := range []string{"pattern", "default"} {
		if o.has(name) {
			all = append(all, fmt.Sprintf("%s %v", name, o.value(name)))
		}
	}
	return all
}

// bounds are those of a value by the names that they have in its schema; empty where it has none.
func bounds(o object, low, high string) string {
	switch {
	case o.has(low) && o.has(high):
		return fmt.Sprintf("%v to %v", o.value(low), o.value(high))
	case o.has(low):
		return fmt.Sprintf("at least %v", o.value(low))
	case o.has(high):
		return fmt.Sprintf("at most %v", o.value(high))
	default:
		return ""
	}
}

// fields are the members of an object, those of what it is made of first.
func (r *reader) fields(o object) []field {
	all := r.members(o)
	required := r.required(o)
	for i := range all {
		all[i].Required = slices.Contains(required, any(all[i].Name))
	}
	return all
}

func (r *reader) members(o object) []field {
	var all []field
	for _, part := range o.list("allOf") {
		all = merge(all, r.members(asObject(part).follow(r.document)))
	}
	properties := o.object("properties")
	for _, name := range properties.names() {
		property := properties.object(name)
		f := field{Name: name, Description: property.text("description"), Type: r.schema(property)}
		if property.has("example") {
			f.Example = indented(property.value("example"))
		}
		all = merge(all, []field{f})
	}
	return all
}

// required are the names that an object, or any part of it, requires.
func (r *reader) required(o object) []any {
	all := slices.Clone(o.list("required"))
	for _, part := range o.list("allOf") {
		all = append(all, r.required(asObject(part).follow(r.document))...)
	}
	return all
}

// merge adds fields; one that is there already is told more narrowly by the later one.
func merge(all, more []field) []field {
	for _, f := range more {
		at := indexOf(all, f.Name)
		if at < 0 {
			all = append(all, f)
			continue
		}
		if f.Description == "" {
			f.Description = all[at].Description
		}
		all[at] = f
	}
	return all
}

func indexOf(all []field, name string) int {
	for i := range all {
		if all[i].Name == name {
			return i
		}
	}
	return -1
}
