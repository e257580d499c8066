package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/documenttest"
)

// TestTablesOfTheDocuments holds the tables of docs/platforms.md that are made from the descriptions;
// -update writes them.
func TestTablesOfTheDocuments(t *testing.T) {
	tables := map[string]string{"wider limits": widerLimits(), "answers": meanings()}
	for name, table := range limitTables {
		tables[name] = table.String()
	}
	var parts []documenttest.Part
	for name, table := range tables {
		parts = append(parts, documenttest.Part{Begin: "<!-- " + name + ": made from the code -->\n", End: "<!-- end of " + name + " -->", Text: table})
	}
	documenttest.Hold(t, "../../docs/platforms.md", parts...)
}

// widerLimits is a row for each limit of a platform that is wider than the specification's.
func widerLimits() string {
	var table strings.Builder
	table.WriteString("| platform | takes also | source |\n|---|---|---|\n")
	for _, p := range schema.Platforms() {
		for _, w := range catalog.Constraints(p).Wider {
			fmt.Fprintf(&table, "| %s | %s | %s |\n", p, w.What, w.Source)
		}
	}
	return table.String()
}

// meanings is a row for each answer that means something of its own.
func meanings() string {
	var table strings.Builder
	table.WriteString("| platform | answer | of | means | source |\n|---|---|---|---|---|\n")
	for _, p := range schema.Platforms() {
		for _, row := range catalog.Description(p).Calls.Answers.Table {
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", p, cell(row.Covers()), cell(row.Scope.String()+operations(row.Operations)), row.Meaning(), cell(row.Source))
		}
	}
	return table.String()
}

func operations(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// cell is a text as a table of Markdown takes it.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
