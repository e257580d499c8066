package importer

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
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
			wrong = append(wrong, fmt.Errorf("platforms: %w", noPlatform(name)))
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

// isNamed reports whether it is said what the column of exactly this name means.
func (m Mapping) isNamed(header string) bool {
	_, named := m.says(header)
	return named
}

// says is what the mapping says of the column of exactly this name.
func (m Mapping) says(header string) (meanings Meanings, ok bool) {
	for name, meanings := range m.Columns {
		if plainName(name) == plainName(header) {
			return meanings, true
		}
	}
	return nil, false
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

// Meaning is what becomes of the cells of a column.
type Meaning struct {
	// To is the column of crier's own that a cell is read as, such as content or
	// tiktok.privacy; empty: what crier has nothing for; ignore: what changes no post.
	To string `yaml:"to" json:"to,omitempty"`
	// Values are what cells are read as; yes and no stand for all words for them, and what is
	// read as nothing leaves no trace. A cell that is not among them refuses its row.
	// Nil: cells are read as they are.
	Values map[string]string `yaml:"values" json:"values,omitempty"`
	// For are the platforms whose posts the column is of; those of others have nothing of it.
	// A setting is of its platform.
	For string `yaml:"for" json:"for,omitempty"`
	// Split separates the parts of a cell.
	Split string `yaml:"split" json:"split,omitempty"`
	// Refuse are parts of a cell for which its row is refused, each with the reason.
	Refuse map[string]string `yaml:"refuse" json:"refuse,omitempty"`
	// Why is added where a cell refuses its row, or is left out.
	Why string `yaml:"why" json:"why,omitempty"`
	// Warn leaves a cell out that is not among Values, with a warning: the post goes out as it is meant.
	Warn bool `yaml:"warn" json:"warn,omitempty"`

	column column            // that To names
	only   []schema.Platform // that For names
	mapped bool              // by a mapping: the platform of a setting is not what its column says
}

// Meanings are those of one column: a cell has each, of the platforms it is for.
type Meanings []Meaning

// UnmarshalYAML reads the name of a column of crier's, a meaning, or a list of meanings.
func (m *Meanings) UnmarshalYAML(text []byte) error {
	var name string
	if yaml.Unmarshal(text, &name) == nil {
		*m = Meanings{{To: name}}
		return nil
	}
	var meaning Meaning
	if err := yaml.UnmarshalWithOptions(text, &meaning, yaml.Strict()); err == nil {
		*m = Meanings{meaning}
		return nil
	} else if !strings.HasPrefix(strings.TrimSpace(string(text)), "-") && !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return err
	}
	var all []Meaning
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		return err
	}
	*m = all
	return nil
}

// ignore is the meaning of a column that is left out.
const ignore = "ignore"

// resolve finds the columns that meanings of the column called name are of.
func (m Meanings) resolve(name string) error {
	var wrong []error
	for i := range m {
		meaning := &m[i]
		meaning.mapped = true
		if meaning.To != "" && !strings.EqualFold(meaning.To, ignore) {
			if meaning.column = columnOf(meaning.To); meaning.column.field == "" {
				wrong = append(wrong, fmt.Errorf("the column %q is said to be %q, which crier does not know", name, meaning.To))
			}
		}
		for _, platform := range list(meaning.For) {
			p, err := parsePlatform(platform)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("the column %q: for: %w", name, err))
			}
			meaning.only = append(meaning.only, p)
		}
	}
	return errors.Join(wrong...)
}

// concerns reports whether posts that go to the targets have anything of a cell.
func (m Meaning) concerns(targets []target) bool {
	only := m.only
	if m.mapped && m.column.field == "setting" {
		only = []schema.Platform{m.column.platform}
	}
	return len(only) == 0 || slices.ContainsFunc(targets, func(t target) bool { return slices.Contains(only, t.Platform) })
}

// reading is what a cell is read as.
type reading struct {
	cell    string // empty: nothing
	warning string // why it is left out
}

// read is what a cell of the column called name is read as; a problem refuses its row.
func (m Meaning) read(name, cell string) (reading, *problem) {
	for _, part := range slices.Sorted(maps.Keys(m.Refuse)) {
		if strings.Contains(cell, part) {
			return reading{}, &problem{field: name, code: codeUnsupported, message: fmt.Sprintf("%q: %s", clipped(cell), m.Refuse[part])}
		}
	}
	if m.Values == nil {
		if m.To == "" {
			return m.unread(name, cell)
		}
		return reading{cell: cell}, nil
	}
	for value, meant := range m.Values {
		if plainName(value) == plainName(cell) {
			return reading{cell: meant}, nil
		}
	}
	if on, err := yes(cell); err == nil {
		if meant, ok := m.Values[map[bool]string{true: "yes", false: "no"}[on]]; ok {
			return reading{cell: meant}, nil
		}
	}
	return m.unread(name, cell)
}

// unread is what becomes of a cell that crier can do nothing with.
func (m Meaning) unread(name, cell string) (reading, *problem) {
	message := fmt.Sprintf("%q is nothing that crier can do", clipped(cell))
	switch values := slices.Sorted(maps.Keys(m.Values)); {
	case m.Why != "":
		message = fmt.Sprintf("%q: %s", clipped(cell), m.Why)
	case len(values) > 0:
		message = fmt.Sprintf("%q is none of %s", clipped(cell), strings.Join(values, ", "))
	}
	if m.Warn {
		return reading{warning: name + ": " + message}, nil
	}
	return reading{}, &problem{field: name, code: codeUnsupported, message: message}
}

// clipped is the start of a cell, as messages have it.
func clipped(cell string) string {
	const maximum = 60
	if runes := []rune(cell); len(runes) > maximum {
		return string(runes[:maximum-1]) + "…"
	}
	return cell
}

// refusal is why the platform refuses a value for the setting of a column; empty: it does not.
func (c column) refusal(value any) string {
	check := catalog.Constraints(c.platform).Settings
	settings, err := encode(map[string]any{c.name: value})
	if err != nil {
		return err.Error()
	}
	if check == nil {
		return ""
	}
	for _, d := range check(settings) {
		if d.Field == c.name && d.Code == validation.CodeSettingInvalid {
			return d.Message
		}
	}
	return ""
}
