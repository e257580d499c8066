package mcp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/schema/documenttest"
)

// documented holds the table of docs/mcp.md against the tools as assistants see them; -update writes it.
func documented(t *testing.T, a *assistant) {
	list, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| tool | what it does | input | effect |\n|---|---|---|---|\n")
	for _, tool := range list.Tools {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", tool.Name, strings.ReplaceAll(tool.Description, "|", "\\|"), strings.Join(inputs(tool), ", "), effect(tool))
	}
	documenttest.Hold(t, "../docs/mcp.md", documenttest.Part{Begin: "<!-- tools: made from the code -->\n", End: "<!-- end of tools -->", Text: table.String()})
}

// properties are the fields of a tool's input.
func properties(tool *sdk.Tool) map[string]any {
	s, _ := tool.InputSchema.(map[string]any)
	all, _ := s["properties"].(map[string]any)
	return all
}

func inputs(tool *sdk.Tool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(properties(tool))) {
		names = append(names, "`"+name+"`")
	}
	return names
}

func effect(tool *sdk.Tool) string {
	_, confirmed := properties(tool)["confirm"]
	switch hints := tool.Annotations; {
	case hints.ReadOnlyHint:
		return "reads"
	case confirmed && hints.IdempotentHint:
		return "public, once, with `confirm`"
	case confirmed:
		return "public, with `confirm`"
	case *hints.DestructiveHint:
		return "takes away"
	case hints.IdempotentHint:
		return "adds, once"
	default:
		return "adds"
	}
}
