package importer

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"crier/schema"
)

// Mapping says how a table is read: what its columns mean where another program wrote it, and what
// holds for rows that say nothing.
type Mapping struct {
	// Of is the program whose tables these are, and Source where their columns are described or written.
	Of     string   `yaml:"of" json:"of,omitempty"`
	Source []string `yaml:"source" json:"-"`
	// Columns are what the columns of these names mean, as a header of crier's own says it:
	// content, metadata.tags, mastodon.visibility. Others have their usual names.
	Columns map[string]Meanings `yaml:"columns" json:"columns,omitempty"`
	// Header names the columns, in their order, of a file that may begin with its first row.
	Header []string `yaml:"header" json:"header,omitempty"`
	// Together are columns: rows that follow each other and are alike in them are one post
	// there, and refused here.
	Together []string `yaml:"together" json:"together,omitempty"`
	// Ignore are columns that are left out.
	Ignore []string `yaml:"ignore" json:"ignore,omitempty"`
	// Named are columns that Mean was called for: a file without them is refused.
	Named []string `yaml:"-" json:"named,omitempty"`
	// Names are what brands and accounts are called in the file, each with its id, or of an
	// account platform:id.
	Names map[string]string `yaml:"names" json:"names,omitempty"`
	// Days says whether the day or the month comes first in a date such as 03/04/2026; empty:
	// such a date is refused.
	Days DayOrder `yaml:"days" json:"days,omitempty"`
	// Platforms are those of rows that name none.
	Platforms string `yaml:"platforms" json:"platforms,omitempty"`
	// Queue is the queue of rows without a time: its id, or default; empty: they are refused.
	Queue string `yaml:"queue" json:"queue,omitempty"`
	// Fit is how pictures are made to fit that say nothing of it; empty: they are not.
	Fit schema.Fit `yaml:"fit" json:"fit,omitempty"`
	// Sheet is the one of a workbook that is read; empty: its only one.
	Sheet string `yaml:"sheet" json:"sheet,omitempty"`
}

// DefaultQueue is a Mapping.Queue: the workspace's or the brand's.
const DefaultQueue = "default"

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
	own := strings.ReplaceAll(plainName(name), ".", "")
	if slices.Contains(Mappings(), own) {
		text, err = builtIn.ReadFile(path.Join("mappings", own+".yaml"))
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

// Mean says what the column called name means.
func (m *Mapping) Mean(name, meaning string) {
	if m.Columns == nil {
		m.Columns = map[string]Meanings{}
	}
	for known := range m.Columns {
		if plainName(known) == plainName(name) {
			delete(m.Columns, known)
		}
	}
	m.Columns[name], m.Named = Meanings{{To: meaning}}, append(m.Named, name)
}

// Check refuses what no column of crier is called, and finds what each meaning is of.
func (m Mapping) Check() error {
	var wrong []error
	if m.Days != "" && m.Days != DayFirst && m.Days != MonthFirst {
		wrong = append(wrong, fmt.Errorf("days is %q: %s or %s is wanted", m.Days, DayFirst, MonthFirst))
	}
	if m.Fit != "" && m.Fit != schema.FitContain && m.Fit != schema.FitCover {
		wrong = append(wrong, fmt.Errorf("fit is %q: %s or %s is wanted", m.Fit, schema.FitContain, schema.FitCover))
	}
	for _, name := range list(m.Platforms) {
		name, _, _ = strings.Cut(name, ":")
		if _, err := parsePlatform(name); err != nil {
			wrong = append(wrong, fmt.Errorf("platforms: %w", err))
		}
	}
	for name, meanings := range m.Columns {
		wrong = append(wrong, meanings.resolve(name))
	}
	for _, name := range m.Header {
		if m.meanings(name) == nil && !strings.EqualFold(name, ignore) {
			wrong = append(wrong, fmt.Errorf("header has %q, which crier does not know", name))
		}
	}
	return errors.Join(wrong...)
}

// IsZero reports whether it changes nothing.
func (m Mapping) IsZero() bool { return m.digest() == "" }

// digest tells mappings apart: rows that are sent again must be what they were.
func (m Mapping) digest() string {
	text, _ := json.Marshal(m) // maps of texts, in the order of their keys
	if string(text) == "{}" {
		return ""
	}
	return keyDigest(string(text))
}

// meanings are those of a column of a header; nil: nobody has settled what it means.
func (m Mapping) meanings(header string) Meanings {
	for _, name := range m.Ignore {
		if plainName(name) == plainName(header) {
			return Meanings{{To: ignore}}
		}
	}
	if meanings, ok := m.settles(header); ok {
		return meanings
	}
	if strings.EqualFold(header, ignore) && len(m.Header) > 0 {
		return Meanings{{To: ignore}}
	}
	if c := columnOf(header); c.field != "" {
		return Meanings{{To: header, column: c}}
	}
	return nil
}

// spellings are what a column may be called whose header explains itself: "Title - For the
// video", "TikTok Post Privacy (personal accounts only)".
func spellings(header string) []string {
	all := []string{header}
	for _, explains := range []string{" - ", " ("} {
		if name, _, ok := strings.Cut(header, explains); ok {
			all = append(all, name)
		}
	}
	return all
}
