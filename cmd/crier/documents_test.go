package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"crier/cmd/crier/settings"
	"crier/schema/documenttest"
)

// TestConfigurationOfTheDocument holds the tables of docs/configuration.md against the flags of serve and of
// every command; -update writes them. A table stands between two comments, of which the first names its
// group. What a table does not say is written around it.
func TestConfigurationOfTheDocument(t *testing.T) {
	const document, end = "../../docs/configuration.md", "<!-- end of settings -->"
	tables := tablesOfSettings(t)
	var parts []documenttest.Part
	for group, table := range tables {
		parts = append(parts, documenttest.Part{Begin: fmt.Sprintf("<!-- settings of %s made from the code -->\n", group), End: end, Text: table})
	}
	documenttest.Hold(t, document, parts...)
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(content), end); got != len(tables) {
		t.Errorf("%s has %d tables of settings, and there are %d groups", document, got, len(tables))
	}
}

// tablesOfSettings are the tables of the settings that a file may give and of --config, by group.
func tablesOfSettings(t *testing.T) map[string]string {
	t.Helper()
	var c commands
	from := settings.New("CRIER", "serve", func(string) (string, bool) { return "", false })
	k, err := parse(&c, from, []string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, level := range k.Selected().AllFlags(true) {
		for _, f := range level {
			variables := from.Variables(f)
			if len(variables) == 0 {
				continue
			}
			group := "every command:"
			if f.Group != nil {
				group = f.Group.Title
			}
			if tables[group] == "" {
				tables[group] = "| flag | variable | default | meaning |\n|---|---|---|---|\n"
			}
			tables[group] += rowOfSetting(f, variables)
		}
	}
	return tables
}

func rowOfSetting(f *kong.Flag, variables []string) string {
	name, variable := "`--"+f.Name+"`", "`"+variables[0]+"`"
	if f.Tag.Get("secret") == "only" {
		name = "`" + f.Name + "`" // not on the command line
	}
	if len(variables) > 1 {
		variable += " or `…_FILE`"
	}
	standard := cmp.Or(f.Tag.Get("unset"), "none")
	switch {
	case f.Default != "":
		standard = "`" + f.Default + "`"
	case f.Target.Kind() == reflect.Bool:
		standard = "off"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, variable, standard, strings.ReplaceAll(f.Help, "<", `\<`))
}
