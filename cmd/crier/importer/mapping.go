package importer

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Mapping says what the columns of a table mean that another program wrote.
type Mapping struct {
	// Columns are what the columns of these names mean, as a header of crier's own says it:
	// content, metadata.tags, mastodon.visibility. Others have their usual names.
	Columns map[string]string `yaml:"columns"`
	// Header is what the columns mean, in order, of a file that begins with its first row.
	Header []string `yaml:"header"`
	// Days says whether the day or the month comes first in a date such as 03/04/2026; empty:
	// such a date is refused.
	Days DayOrder `yaml:"days"`
	// Platforms are those of rows that name none.
	Platforms string `yaml:"platforms"`
}

// DayOrder is the order of day and month.
type DayOrder string

// The orders of day and month.
const (
	DayFirst   DayOrder = "day-first"
	MonthFirst DayOrder = "month-first"
)

//go:embed mappings/*.yaml
var builtIn embed.FS

// Mappings are the names of the mappings that crier has.
func Mappings() (names []string) {
	files, _ := builtIn.ReadDir("mappings") // it is there: it was there when this was built
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// ReadMapping returns one of crier's own mappings by its name, or that of a file.
func ReadMapping(name string) (m Mapping, err error) {
	var text []byte
	if slices.Contains(Mappings(), strings.ToLower(name)) {
		text, err = builtIn.ReadFile(path.Join("mappings", strings.ToLower(name)+".yaml"))
	} else if text, err = os.ReadFile(name); errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("there is no mapping and no file %q: crier has %s", name, strings.Join(Mappings(), ", "))
	}
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &m, yaml.Strict())
	}
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return m, fmt.Errorf("reading the mapping %s: %w", name, err)
	}
	return m, nil
}

// Check refuses what no column of crier is called.
func (m Mapping) Check() error {
	var wrong []error
	if m.Days != "" && m.Days != DayFirst && m.Days != MonthFirst {
		wrong = append(wrong, fmt.Errorf("days is %q: %s or %s is wanted", m.Days, DayFirst, MonthFirst))
	}
	if len(m.Header) > 0 && len(m.Columns) > 0 {
		wrong = append(wrong, errors.New("header names the columns of a file without a first line for them: columns cannot stand beside it"))
	}
	for _, name := range list(m.Platforms) {
		name, _, _ = strings.Cut(name, ":")
		if _, err := parsePlatform(name); err != nil {
			wrong = append(wrong, fmt.Errorf("platforms: %w", err))
		}
	}
	for name, meaning := range m.Columns {
		if c := columnOf(meaning); c.field == "" && !strings.EqualFold(meaning, ignore) {
			wrong = append(wrong, fmt.Errorf("the column %q is said to be %q, which crier does not know", name, meaning))
		}
	}
	for _, meaning := range m.Header {
		if c := columnOf(meaning); c.field == "" && !strings.EqualFold(meaning, ignore) {
			wrong = append(wrong, fmt.Errorf("header has %q, which crier does not know", meaning))
		}
	}
	return errors.Join(wrong...)
}

// ignore is the meaning of a column that is left out.
const ignore = "ignore"

// IsZero reports whether it changes nothing.
func (m Mapping) IsZero() bool {
	return len(m.Columns) == 0 && len(m.Header) == 0 && m.Days == "" && m.Platforms == ""
}

// digest tells mappings apart: rows that are sent again must be what they were.
func (m Mapping) digest() string {
	if m.IsZero() {
		return ""
	}
	text, _ := json.Marshal(m) // maps of texts, in the order of their keys
	return keyDigest(string(text))
}

// column returns what a column of a header means.
func (m Mapping) column(header string) column {
	for name, meaning := range m.Columns {
		if plainName(name) == plainName(header) {
			return columnOf(meaning)
		}
	}
	return columnOf(header)
}

// plainName is a name of a column as it is compared.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// numbered reads names such as media.2, of the second one of several.
func numbered(field, name string) (column, bool) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 || n > maxNumbered {
		return column{}, false
	}
	for _, of := range []string{"media", "altText"} {
		if strings.EqualFold(field, of) {
			return column{field: of, number: n}, true
		}
	}
	return column{}, false
}

// maxNumbered is the number of the last item that has a column of its own.
const maxNumbered = 35

// flagged reads names such as platform.mastodon, of a column that says yes or no.
func flagged(field, name string) (column, bool) {
	platform, err := parsePlatform(name)
	if !strings.EqualFold(field, "platform") || err != nil {
		return column{}, false
	}
	return column{field: "platform", platform: platform}, true
}
