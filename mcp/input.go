package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// checking refuses input that a tool does not take, in words that say which field is wrong and what it takes:
// the SDK's own say where in the schema a rule stands.
func (t *tools) checking(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		call, isCall := request.(*sdk.CallToolRequest)
		if !isCall || t.inputs[call.Params.Name] == nil {
			return next(ctx, method, request)
		}
		if wrong := wrongInput(call.Params.Arguments, t.inputs[call.Params.Name]); len(wrong) > 0 {
			refusal := &sdk.CallToolResult{}
			refusal.SetError(errors.New(strings.Join(wrong, "\n")))
			return refusal, nil
		}
		return next(ctx, method, request)
	}
}

// maxWrong bounds what is said of one input.
const maxWrong = 10

func wrongInput(arguments json.RawMessage, schema *jsonschema.Schema) []string {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var value any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return []string{"the input is no JSON: " + err.Error()}
	}
	wrong := wrongValue("", value, schema)
	return wrong[:min(len(wrong), maxWrong)]
}

func wrongValue(field string, value any, schema *jsonschema.Schema) (wrong []string) {
	types := schema.Types
	if schema.Type != "" {
		types = []string{schema.Type}
	}
	if got := typeOf(value); len(types) > 0 && !slices.Contains(types, got) && (got != "integer" || !slices.Contains(types, "number")) {
		return []string{fmt.Sprintf("%s: %s is wanted, not %s", named(field), wanted(types, schema), shortly(value))}
	}
	if len(schema.Enum) > 0 && !slices.Contains(texts(schema.Enum), fmt.Sprint(value)) {
		return []string{fmt.Sprintf("%s: one of %s is wanted, not %s", named(field), strings.Join(texts(schema.Enum), ", "), shortly(value))}
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if schema.Items != nil {
				wrong = append(wrong, wrongValue(fmt.Sprintf("%s[%d]", field, i), item, schema.Items)...)
			}
		}
	case map[string]any:
		wrong = wrongFields(field, value, schema)
	}
	return wrong
}

func wrongFields(field string, value map[string]any, schema *jsonschema.Schema) (wrong []string) {
	inside := func(name string) string { return strings.TrimPrefix(field+"."+name, ".") }
	for _, name := range schema.Required {
		if _, has := value[name]; !has {
			wrong = append(wrong, inside(name)+": this field is required"+purpose(schema.Properties[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property, isKnown := schema.Properties[name]
		switch {
		case isKnown:
			wrong = append(wrong, wrongValue(inside(name), value[name], property)...)
		case schema.AdditionalProperties != nil && schema.AdditionalProperties.Not != nil: // nothing else may stand there
			wrong = append(wrong, fmt.Sprintf("%s: there is no such field; there are %s", inside(name), strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", ")))
		}
	}
	return wrong
}

func named(field string) string {
	if field == "" {
		return "the input"
	}
	return field
}

// purpose is what a property says of itself.
func purpose(property *jsonschema.Schema) string {
	if property == nil || property.Description == "" {
		return ""
	}
	return " (" + property.Description + ")"
}

// wanted is a type in words, with its values where there are few.
func wanted(types []string, schema *jsonschema.Schema) string {
	if len(schema.Enum) > 0 {
		return "one of " + strings.Join(texts(schema.Enum), ", ")
	}
	kind := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	return strings.Join(kind, " or ") + purpose(schema)
}

func texts(values []any) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = fmt.Sprint(value)
	}
	return all
}

// typeOf is the type of a JSON value, as schemas name it.
func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if value == float64(int64(value)) {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// shortly is a value as a refusal quotes it.
func shortly(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return typeOf(value)
	}
	return visible(string(encoded), 60)
}
