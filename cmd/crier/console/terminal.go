package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// Terminal is where a command reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	// Person reports whether somebody looks at Err, so that progress is drawn there.
	Person bool
	Now    func() time.Time
	// Wait waits for so long, or until its context ends.
	Wait func(context.Context, time.Duration) error
	// Secret asks for a line without showing it; nil: In is no terminal.
	Secret func() (string, error)
}

// Shape is how a command shows what it has.
type Shape struct {
	JSON bool `name:"json" env:"-" help:"One JSON object a line, as the API has them."`
}

// table writes lines under a head; cells are parted by tabs.
func (t *Terminal) table(head string, lines []string) error {
	w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	return nil
}

// lines writes all as JSON or as a table.
func lines[T any](t *Terminal, s Shape, all []T, head string, line func(T) string) error {
	if s.JSON {
		for _, item := range all {
			if err := t.object(item); err != nil {
				return err
			}
		}
		return nil
	}
	var table []string
	for _, item := range all {
		table = append(table, line(item))
	}
	return t.table(head, table)
}

func (t *Terminal) object(value any) error {
	if err := json.NewEncoder(t.Out).Encode(value); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

func row(cells ...string) string { return strings.Join(cells, "\t") }

// when is a time as people read it, in their own zone.
func when(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format("2006-01-02 15:04")
}

// orDash stands for what is not there.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// brief is the beginning of a text, on one line, without what would steer the terminal:
// strangers write what the inbox shows.
func brief(text string) string {
	const maximum = 48
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
	runes := []rune(line)
	if len(runes) > maximum {
		return string(runes[:maximum-1]) + "…"
	}
	return string(runes)
}
