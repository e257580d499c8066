package importer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

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
	var one Meaning
	if err := yaml.UnmarshalWithOptions(text, &one, yaml.Strict()); err == nil {
		*m = Meanings{one}
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
	const most = 60
	if runes := []rune(cell); len(runes) > most {
		return string(runes[:most-1]) + "…"
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
