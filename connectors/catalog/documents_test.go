package catalog_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"crier/connectors/catalog"
)

// Each platform with a client has a row of what a lost answer leads to, whose tests there are.
func TestEachPlatformHasTestsOfItsLostAnswers(t *testing.T) {
	document, err := os.ReadFile("../../docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "## What a lost answer leads to\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := make(map[string]string)
	for _, row := range strings.Split(section, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 5 {
			rows[strings.TrimSpace(cells[1])] = cells[5]
		}
	}
	name := regexp.MustCompile("`(Test[A-Za-z]+)`")
	for _, s := range catalog.Simulators() {
		tests := name.FindAllStringSubmatch(rows[s.Platform.String()], -1)
		if len(tests) == 0 {
			t.Errorf("%s has no row that names its tests", s.Platform)
		}
		source := sourceOfTests(t, s.Platform.String())
		for _, test := range tests {
			if !strings.Contains(source, "func "+test[1]+"(") {
				t.Errorf("%s has no test %s", s.Platform, test[1])
			}
		}
	}
}

func sourceOfTests(t *testing.T, platform string) string {
	t.Helper()
	files, err := filepath.Glob("../" + strings.ReplaceAll(platform, "-", "") + "/*_test.go")
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
