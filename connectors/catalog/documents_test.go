package catalog_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/catalog"
)

// Each platform with a client has a row of what a lost answer leads to, whose tests there are.
func TestEachPlatformHasTestsOfItsLostAnswers(t *testing.T) {
	rows := rowsOf(t, "platforms.md", "What a lost answer leads to", 5)
	for _, s := range catalog.Simulators() {
		wantTests(t, s.Platform.String(), rows[s.Platform.String()], sourceOfTests(t, s.Platform.String()))
	}
}

// So has each on whose page people consent, of what becomes of its tokens.
func TestEachPlatformHasTestsOfItsTokens(t *testing.T) {
	rows := rowsOf(t, "connecting.md", "What becomes of tokens", 6)
	all := sourceOfTests(t, "../compose") + sourceOfTests(t, "google")
	for _, s := range catalog.Simulators() {
		if m := catalog.Connecting(s.Platform).Method; m == "" || m == connectors.ByOAuth {
			wantTests(t, s.Platform.String(), rows[s.Platform.String()], all+sourceOfTests(t, s.Platform.String()))
		}
	}
}

// Each report about another tool has tests of what crier does.
func TestEachReportHasItsTests(t *testing.T) {
	content, err := os.ReadFile("../../docs/decisions/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, folder := range []string{
		"bluesky", "telegram", "catalog", "page", "media", "media/film", "media/metadata", "../compose", "../gateway/accounts", "../gateway/media", "../schema", "../schema/validation",
	} {
		all += sourceOfTests(t, folder)
	}
	reports := 0
	for _, row := range strings.Split(string(content), "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 7 && strings.Contains(cells[4], "`") {
			wantTests(t, cells[1], cells[4], all)
			reports++
		}
	}
	if reports == 0 {
		t.Error("there are no reports")
	}
}

// rowsOf reads a column of the table in a section of a document, by the platforms that the first
// column names.
func rowsOf(t *testing.T, document, title string, column int) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../../docs/" + document)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "## "+title+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := make(map[string]string)
	for _, row := range strings.Split(section, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > column {
			for platform := range strings.SplitSeq(cells[1], ",") {
				rows[strings.TrimSpace(platform)] = cells[column]
			}
		}
	}
	return rows
}

var testNames = regexp.MustCompile("`(Test[A-Za-z]+)`")

// wantTests holds a row to name tests that there are.
func wantTests(t *testing.T, platform, row, source string) {
	t.Helper()
	tests := testNames.FindAllStringSubmatch(row, -1)
	if len(tests) == 0 {
		t.Errorf("%s has no row that names its tests", platform)
	}
	for _, test := range tests {
		if !strings.Contains(source, "func "+test[1]+"(") {
			t.Errorf("%s has no test %s", platform, test[1])
		}
	}
}

func sourceOfTests(t *testing.T, platform string) string {
	t.Helper()
	files, err := filepath.Glob("../" + strings.ReplaceAll(platform, "google-business", "googlebusiness") + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

var (
	rowsCounted = regexp.MustCompile(`(?m)^([0-9]+) rows(?:, of which crier changed in|; crier changed in) ([0-9]+)\.$`)
	tableHead   = regexp.MustCompile(`(?m)^\|[^|]*\| the document says \| proven implementations do \| crier does \|\n\|(?:---\|)+\n`)
)

// Each platform has a table of what its documents say, what implementations do and what crier does, which
// says how many rows it has, and in how many crier changed.
func TestEachPlatformHasATableOfItsSources(t *testing.T) {
	for _, s := range catalog.Simulators() {
		content, err := os.ReadFile("../../docs/platforms/" + s.Platform.String() + ".md")
		if err != nil {
			t.Fatal(err)
		}
		head, count := tableHead.FindIndex(content), rowsCounted.FindSubmatch(content)
		if head == nil || count == nil {
			t.Errorf("%s has no such table, or does not count its rows", s.Platform)
			continue
		}
		rows, changed := 0, 0
		for row := range strings.SplitSeq(string(content[head[1]:]), "\n") {
			if !strings.HasPrefix(row, "|") {
				break
			}
			if rows++; strings.HasPrefix(row, "| •") || strings.Contains(row, "**changed**") {
				changed++
			}
		}
		if strconv.Itoa(rows) != string(count[1]) || strconv.Itoa(changed) != string(count[2]) {
			t.Errorf("%s: %d rows, changed in %d, and it says %s", s.Platform, rows, changed, count[0])
		}
	}
}
