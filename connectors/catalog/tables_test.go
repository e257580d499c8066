package catalog_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"crier/connectors/catalog"
	"crier/schema"
)

var update = flag.Bool("update", false, "write the tables of docs/platforms.md")

// TestTablesOfTheDocuments holds the tables of docs/platforms.md that are made from the descriptions;
// -update writes them.
func TestTablesOfTheDocuments(t *testing.T) {
	const document = "../../docs/platforms.md"
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	tables := map[string]string{"wider limits": widerLimits(), "answers": meanings()}
	for name, table := range limitTables {
		tables[name] = table.String()
	}
	for name, table := range tables {
		begin, end := "<!-- "+name+": made from the code -->\n", "<!-- end of "+name+" -->"
		before, rest, found := strings.Cut(text, begin)
		written, after, ended := strings.Cut(rest, end)
		switch {
		case !found || !ended:
			t.Errorf("%s has no place for %s: %s…%s", document, name, begin, end)
		case written != table && !*update:
			t.Errorf("%s differs from the code: go test ./connectors/catalog -run TestTables -update", name)
		}
		text = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
