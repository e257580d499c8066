package catalog_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"crier/connectors"
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
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", p, cell(covers(row)), cell(scopeNames[row.Scope]+operations(row.Operations)), meaning(row), cell(row.Source))
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

// scopeNames are the scopes as the documents name them.
var scopeNames = map[connectors.Scope]string{
	connectors.AnyCall: "any call", connectors.VisibleCall: "the visible call", connectors.HiddenCall: "other calls", connectors.ReadCall: "reads",
}

// covers says in words which answers a row covers.
func covers(r connectors.Answer) string {
	var parts []string
	for _, status := range r.Status {
		if status < 10 {
			parts = append(parts, strconv.Itoa(status)+"xx")
			continue
		}
		parts = append(parts, strconv.Itoa(status))
	}
	text := strings.Join(parts, ", ")
	if len(r.Codes) > 0 {
		text += " `" + strings.Join(r.Codes, "`, `") + "`"
	}
	if r.Own {
		text += " in the platform's own form"
	}
	if r.Says != "" {
		text += " “" + r.Says + "”"
	}
	return strings.TrimSpace(text)
}

// meaning says in words what the answers mean that a row covers.
func meaning(r connectors.Answer) string {
	text := r.Means.String()
	if r.Means == connectors.EndsAccount {
		text += " (" + r.End.String() + ")"
	}
	if r.Wait > 0 {
		text += ", " + r.Wait.String()
	}
	if r.Unprepared {
		text += ", prepared anew"
	}
	return text
}
