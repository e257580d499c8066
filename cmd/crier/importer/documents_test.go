package importer

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writeVariable makes the test write the tables into the document in place of comparing them.
const writeVariable = "CRIER_WRITE_DOCUMENTS"

// The tables of other programs stand in the document between these lines.
const (
	tablesBegin = "<!-- made from cmd/crier/importer/mappings by TestTheDocumentHasEachColumn -->\n"
	tablesEnd   = "<!-- end -->\n"
)

func TestTheDocumentHasEachColumn(t *testing.T) {
	const document = "../../../docs/import.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tablesBegin)
	is, after, ended := strings.Cut(rest, tablesEnd)
	if !begun || !ended {
		t.Fatal("the document has no place for the tables")
	}
	var want strings.Builder
	for _, name := range Mappings() {
		m, err := ReadMapping(name)
		if err != nil {
			t.Fatal(err)
		}
		want.WriteString(describe(name, m))
	}
	if os.Getenv(writeVariable) != "" {
		if err := os.WriteFile(document, []byte(before+tablesBegin+want.String()+tablesEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if is != want.String() {
		t.Errorf("the tables are not those of the mappings: run this test with %s=1", writeVariable)
	}
}

// describe is a mapping as a part of the document.
func describe(name string, m Mapping) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: `--map %s`\n\n", m.Of, name)
	if len(m.Header) > 0 {
		fmt.Fprintf(&b, "Without a header the columns are, in order: %s.\n\n", "`"+strings.Join(m.Header, "`, `")+"`")
	}
	if len(m.Together) > 0 {
		fmt.Fprintf(&b, "Rows that follow each other with the same %s are refused: they are one post there.\n\n", strings.Join(m.Together, ", "))
	}
	b.WriteString("| column | what becomes of it |\n|---|---|\n")
	for _, g := range grouped(m) {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.ReplaceAll(g.columns, "|", `\|`), strings.ReplaceAll(g.what, "|", `\|`))
	}
	fmt.Fprintf(&b, "\nFrom: %s.\n\n", strings.Join(m.Source, "; "))
	return b.String()
}

type described struct{ columns, what string }

var lastNumber = regexp.MustCompile(`^(.*?\D)(\d+)$`)

// grouped are the columns by name; those that differ in a number alone stand in one line.
func grouped(m Mapping) (all []described) {
	numbers := map[string][]int{}
	whats := map[string]string{}
	for _, column := range slices.Sorted(maps.Keys(m.Columns)) {
		what := whatBecomes(m.Columns[column])
		key := column
		if parts := lastNumber.FindStringSubmatch(column); parts != nil {
			n, _ := strconv.Atoi(parts[2])
			general := strings.ReplaceAll(what, "."+parts[2]+"`", ".N`")
			if before, ok := whats[parts[1]]; !ok || before == general {
				key, what = parts[1], general
				numbers[key] = append(numbers[key], n)
			}
		}
		whats[key] = what
	}
	for _, key := range slices.Sorted(maps.Keys(whats)) {
		columns, what := "`"+key+"`", whats[key]
		if n := numbers[key]; len(n) > 0 {
			slices.Sort(n)
			columns = fmt.Sprintf("`%s%d` to `%s%d`", key, n[0], key, n[len(n)-1])
			if len(n) == 1 {
				columns, what = fmt.Sprintf("`%s%d`", key, n[0]), strings.ReplaceAll(what, ".N`", fmt.Sprintf(".%d`", n[0]))
			}
		}
		all = append(all, described{columns, what})
	}
	return all
}

func whatBecomes(meanings Meanings) string {
	var all []string
	for _, m := range meanings {
		all = append(all, whatOne(m))
	}
	return strings.Join(all, "; ")
}

func whatOne(m Meaning) string {
	if strings.EqualFold(m.To, ignore) {
		return "changes nothing"
	}
	var parts []string
	if m.For != "" {
		parts = append(parts, "on "+strings.Join(list(m.For), ", "))
	}
	if m.To != "" {
		parts = append(parts, "`"+m.To+"`")
	}
	if m.Split != "" {
		parts = append(parts, "several separated by `"+m.Split+"`")
	}
	var values []string
	for _, value := range slices.Sorted(maps.Keys(m.Values)) {
		if read := m.Values[value]; read == "" || plainName(read) == plainName(value) {
			values = append(values, value)
		} else {
			values = append(values, value+" as "+read)
		}
	}
	switch {
	case len(values) > 0 && m.Warn:
		parts = append(parts, strings.Join(values, ", ")+"; else left out with a warning")
	case len(values) > 0:
		parts = append(parts, strings.Join(values, ", ")+"; else the row is refused")
	case m.Values != nil && m.Warn:
		parts = append(parts, "left out with a warning")
	case m.Values != nil:
		parts = append(parts, "the row is refused")
	}
	if len(m.Refuse) > 0 {
		parts = append(parts, "refused with `"+strings.Join(slices.Sorted(maps.Keys(m.Refuse)), "` or `")+"` in it")
	}
	what := strings.Join(parts, ": ")
	if m.Why != "" {
		what += " (" + m.Why + ")"
	}
	return what
}
