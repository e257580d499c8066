package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"crier/compose"
	"crier/schema"
	"crier/schema/postgres/restores"
)

// selectionFlags select some of what a restore holds.
type selectionFlags struct {
	Workspace string    `env:"-" help:"Of what a restore holds, the posts of the workspace of this name."`
	Platforms []string  `env:"-" placeholder:"PLATFORM,…" help:"The posts for exactly these platforms, as the list has its groups."`
	Due       string    `env:"-" enum:",before,later" default:"" help:"The posts that were due before the restore: before; or the others: later."`
	From      time.Time `env:"-" placeholder:"TIME" help:"The posts that are due from a time on, such as 2026-05-04T03:02:01Z."`
	To        time.Time `env:"-" placeholder:"TIME" help:"The posts that are due before a time."`
}

// Validate refuses what is no platform.
func (f selectionFlags) Validate() error {
	_, err := f.platforms()
	return err
}

func (f selectionFlags) platforms() (platforms []schema.Platform, err error) {
	for _, name := range f.Platforms {
		p, wrong := schema.ParsePlatform(name)
		platforms, err = append(platforms, p), errors.Join(err, wrong)
	}
	return platforms, err
}

func (f selectionFlags) isEmpty() bool {
	return f.Workspace == "" && len(f.Platforms) == 0 && f.Due == "" && f.From.IsZero() && f.To.IsZero()
}

func (f selectionFlags) selection() compose.HeldSelection {
	s := compose.HeldSelection{Workspace: f.Workspace}
	s.Platforms, _ = f.platforms() // Validate has read them
	s.From, s.To = f.From, f.To
	s.Due = map[string]schema.HeldDue{"before": schema.DueBeforeRestore, "later": schema.DueLater}[f.Due]
	return s
}

// countOn tells a terminal how many posts are counted so far, where that takes a while.
func countOn(w *os.File) func(held int) {
	told := time.Now()
	return func(held int) {
		if time.Since(told) < 2*time.Second {
			return
		}
		told = time.Now()
		fmt.Fprintf(w, "%d posts counted\n", held)
	}
}

// writeRestored writes what a restore holds: what is known of it, its groups, and posts.
func writeRestored(w io.Writer, r *compose.HeldByRestore) error {
	if r == nil {
		return nil
	}
	fmt.Fprintf(w, "\nThe database went back to %s; crier was told so at %s.\n", r.To.Format(time.RFC3339), r.MarkedAt.Format(time.RFC3339))
	fmt.Fprintln(w, eventsKnown(r.EventsUntil))
	fmt.Fprintf(w, "%s looked at on their platforms since. No platform can tell what was cancelled.\n", counted(r.Looks.Done, "account"))
	for _, l := range r.Looks.Failed {
		fmt.Fprintf(w, "  %s could not be looked at: %s\n", l.Account, l.Error)
	}
	if r.Undone.Keys > 0 {
		fmt.Fprintf(w, "%s suspended: crier keys confirm.\n", counted(r.Undone.Keys, "key"))
	}
	if len(r.Groups) == 0 {
		_, err := fmt.Fprintln(w, "Nothing of the selection is held.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nDUE\tWORKSPACE\tPLATFORMS\tPOSTS\tFIRST\tLAST\tKNOWN")
	for _, g := range r.Groups {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", dueOf(g.Overdue), workspaceOf(g), platformNames(g.Platforms), g.Posts,
			g.First.Format(time.RFC3339), g.Last.Format(time.RFC3339), known(g.Known))
	}
	if len(r.Posts) > 0 {
		fmt.Fprintln(table, "\nPOST\tWORKSPACE\tPLATFORMS\tDUE\tKNOWN\tTEXT")
	}
	for _, p := range r.Posts {
		l := restoredLineOf(p)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Post, l.Workspace, strings.Join(l.Platforms, "+"), l.ScheduledFor, l.known(), heldLine{Post: l.Post, Content: l.Content}.text())
	}
	return table.Flush()
}

func eventsKnown(until time.Time) string {
	if until.IsZero() {
		return "ClickHouse has no events since then, or was not read yet: what was cancelled, edited or published is not known from there."
	}
	return "ClickHouse has events up to " + until.Format(time.RFC3339) + ": what was cancelled, edited and published by then is known."
}

func dueOf(overdue bool) string {
	if overdue {
		return "before"
	}
	return "later"
}

func workspaceOf(g schema.HeldGroup) string {
	if g.Sandbox {
		return g.Workspace + " (sandbox)"
	}
	return g.Workspace
}

func platformNames(platforms []schema.Platform) string {
	names := make([]string, len(platforms))
	for i, p := range platforms {
		names[i] = p.String()
	}
	return strings.Join(names, ",")
}

// known says what is known of posts.
func known(e schema.Evidence) string {
	var all []string
	for _, k := range []struct {
		n    int
		what string
	}{
		{e.Cancelled, "cancelled"},
		{e.Edited, "edited"},
		{e.Published, "published"},
		{e.Failed, "failed"},
		{e.Found, "on the platform"},
		{e.Disconnected, "account disconnected"},
		{e.CannotTell, "nobody can tell"},
	} {
		if k.n > 0 {
			all = append(all, fmt.Sprintf("%s: %d", k.what, k.n))
		}
	}
	return strings.Join(all, ", ")
}

// restoredLine is a post that a restore holds, as it is listed.
type restoredLine struct {
	Held         string        `json:"held"`
	Post         string        `json:"postId"`
	Workspace    string        `json:"workspace"`
	ScheduledFor string        `json:"scheduledFor"`
	Overdue      bool          `json:"dueBeforeRestore"`
	Platforms    []string      `json:"platforms"`
	Content      string        `json:"content,omitempty"`
	Known        []findingLine `json:"known"`
	Disconnected bool          `json:"accountDisconnected,omitempty"`
	CannotTell   bool          `json:"nobodyCanTell"`
}

// findingLine is something that is known of a post.
type findingLine struct {
	What string `json:"what"`
	At   string `json:"at"`
	URL  string `json:"url,omitempty"`
}

func restoredLineOf(p restores.KnownPost) restoredLine {
	l := restoredLine{
		Held: "restored", Post: p.Post.ID.String(), Workspace: p.Known.Workspace, ScheduledFor: p.ScheduledFor.Format(time.RFC3339), Overdue: p.Overdue,
		Known: []findingLine{}, Disconnected: p.Disconnected > 0, CannotTell: p.CannotTell > 0,
	}
	for _, t := range p.Targets {
		l.Platforms = append(l.Platforms, t.Platform.String())
	}
	if len(p.Content.Entries) > 0 {
		l.Content = p.Content.Entries[0].Text
	}
	for _, f := range p.Findings {
		if f.Kind != schema.LookCannotTell {
			l.Known = append(l.Known, findingLine{f.Kind.String(), f.At.Format(time.RFC3339), f.URL})
		}
	}
	return l
}

func (l restoredLine) known() string {
	var all []string
	for _, f := range l.Known {
		all = append(all, f.What)
	}
	if l.Disconnected {
		all = append(all, "account disconnected")
	}
	if l.CannotTell {
		all = append(all, "nobody can tell")
	}
	return strings.Join(all, ", ")
}

// groupLine is a group of posts that a restore holds.
type groupLine struct {
	Held      string          `json:"held"`
	Group     bool            `json:"group"`
	Overdue   bool            `json:"dueBeforeRestore"`
	Workspace string          `json:"workspace"`
	Sandbox   bool            `json:"sandbox,omitempty"`
	Platforms string          `json:"platforms"`
	Posts     int             `json:"posts"`
	First     string          `json:"first"`
	Last      string          `json:"last"`
	Known     schema.Evidence `json:"known"`
}

func writeRestoredJSON(w io.Writer, r *compose.HeldByRestore) error {
	if r == nil {
		return nil
	}
	encoder := json.NewEncoder(w)
	for _, g := range r.Groups {
		line := groupLine{
			"restored", true, g.Overdue, g.Workspace, g.Sandbox, platformNames(g.Platforms), g.Posts,
			g.First.Format(time.RFC3339), g.Last.Format(time.RFC3339), g.Known,
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	return writeLines(w, r.Posts, restoredLineOf)
}
