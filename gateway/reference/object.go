package reference

import (
	"encoding/json"
	"strings"

	"github.com/goccy/go-yaml"
)

// object is an object of the description, in the order it was written in.
type object yaml.MapSlice

// asObject returns nil for what is none.
func asObject(value any) object {
	items, _ := value.(yaml.MapSlice)
	return object(items)
}

// mapSlice is the value that o was made of.
func mapSlice(o object) any { return yaml.MapSlice(o) }

func (o object) value(name string) any {
	for _, item := range o {
		if item.Key == name {
			return item.Value
		}
	}
	return nil
}

func (o object) has(name string) bool { return o.value(name) != nil }

func (o object) text(name string) string {
	text, _ := o.value(name).(string)
	return text
}

func (o object) truth(name string) bool {
	truth, _ := o.value(name).(bool)
	return truth
}

func (o object) list(name string) []any {
	list, _ := o.value(name).([]any)
	return list
}

// object follows names down from o.
func (o object) object(names ...string) object {
	for _, name := range names {
		o = asObject(o.value(name))
	}
	return o
}

// names returns the names of the members, in their order.
func (o object) names() []string {
	names := make([]string, 0, len(o))
	for _, item := range o {
		if name, ok := item.Key.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// follow returns what a $ref names, or the object itself where it has none.
func (o object) follow(document object) object {
	pointer, ok := strings.CutPrefix(o.text("$ref"), "#/")
	if !ok {
		return o
	}
	return document.object(strings.Split(pointer, "/")...).follow(document)
}

// refName returns the last part of a $ref, empty where there is none.
func (o object) refName() string {
	ref := o.text("$ref")
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// indented writes a value of the description as JSON, in the order it was written in.
func indented(value any) string {
	var b strings.Builder
	writeIndented(&b, value, "\n")
	return b.String()
}

func writeIndented(b *strings.Builder, value any, newline string) {
	inner := newline + "  "
	switch value := value.(type) {
	case yaml.MapSlice:
		writeItems(b, "{}", len(value), newline, func(i int) {
			writeIndented(b, value[i].Key, inner)
			b.WriteString(": ")
			writeIndented(b, value[i].Value, inner)
		})
	case []any:
		writeItems(b, "[]", len(value), newline, func(i int) { writeIndented(b, value[i], inner) })
	default:
		encoded := new(strings.Builder)
		encoder := json.NewEncoder(encoded)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(value) // YAML holds texts, numbers and truths only
		b.WriteString(strings.TrimSuffix(encoded.String(), "\n"))
	}
}

func writeItems(b *strings.Builder, brackets string, n int, newline string, write func(int)) {
	b.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(newline + "  ")
		write(i)
	}
	if n > 0 {
		b.WriteString(newline)
	}
	b.WriteByte(brackets[1])
}
