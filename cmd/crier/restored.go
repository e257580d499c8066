package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"crier/cmd/crier/console"
	"crier/compose"
	"crier/schema"
	"crier/schema/postgres/restores"
)

// selectionFlags select some of what a restore holds.
type selectionFlags struct {
	Workspace string   `env:"-" help:"Of what a restore holds, the posts of the workspace of this name, with its sandbox, or of one of the two as the list has it or by its id."`
	Platforms []string `env:"-" placeholder:"PLATFORM,…" help:"The posts for exactly these platforms, as the list has its groups."`
	Due       string   `env:"-" enum:",before,later" default:"" help:"The posts that were due before the restore: before; or the others: later."`
	From      string   `env:"-" placeholder:"TIME" help:"The posts that are due from this day or time on, such as 2026-05-04 or 2026-05-04T03:02:01Z."`
	To        string   `env:"-" placeholder:"TIME" help:"The posts that are due before this day or time."`
}

// Validate refuses what is no platform, and what is no time.
func (f selectionFlags) Validate() error {
	_, wrong := f.platforms()
	_, _, err := f.times()
	return errors.Join(wrong, err)
}

// times returns when the posts are due; a day is its first moment here.
func (f selectionFlags) times() (from, to time.Time, err error) {
	from, wrongFrom := console.ReadTime(f.From, time.Local)
	to, wrongTo := console.ReadTime(f.To, time.Local)
	if wrongFrom != nil {
		wrongFrom = fmt.Errorf("--from: %w", wrongFrom)
	}
	if wrongTo != nil {
		wrongTo = fmt.Errorf("--to: %w", wrongTo)
	}
	return from, to, errors.Join(wrongFrom, wrongTo)
}

func (f selectionFlags) platforms() (platforms []schema.Platform, err error) {
	for _, name := range f.Platforms {
		p, wrong := schema.ParsePlatform(name)
		platforms, err = append(platforms, p), errors.Join(err, wrong)
	}
	return platforms, err
}

func (f selectionFlags) isEmpty() bool {
	return f.Workspace == "" && len(f.Platforms) == 0 && f.Due == "" && f.From == "" && f.To == ""
}

func (f selectionFlags) selection() compose.HeldSelection {
	s := compose.HeldSelection{Workspace: f.Workspace}
	s.Platforms, _ = f.platforms() // Validate has read them, and the times
	s.From, s.To, _ = f.times()
	s.Due = map[string]schema.HeldDue{"before": schema.DueBeforeRestore, "later": schema.DueLater}[f.Due]
	return s
}

// countOn tells a terminal how many posts are counted so far, where that takes a while.
func countOn(w *os.File) func(held int) {
	reportedAt := time.Now()
	return func(held int) {
		if time.Since(reportedAt) < 2*time.Second {
			return
		}
		reportedAt = time.Now()
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
	fmt.Fprintln(w, looksKnown(r.Looks))
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
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", dueOf(g.Overdue), workspaceOf(g.Workspace, g.Sandbox), platformNames(g.Platforms), g.Posts,
			g.First.Format(time.RFC3339), g.Last.Format(time.RFC3339), known(g.Known))
	}
	if len(r.Posts) > 0 {
		fmt.Fprintln(table, "\nPOST\tWORKSPACE\tPLATFORMS\tDUE\tKNOWN\tTEXT")
	}
	for _, p := range r.Posts {
		l := restoredLineOf(p)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Post, workspaceOf(l.Workspace, l.Sandbox), strings.Join(l.Platforms, ","), l.ScheduledFor, l.known(), heldLine{Post: l.Post, Content: l.Content}.text())
	}
	return table.Flush()
}

func eventsKnown(until time.Time) string {
	if until.IsZero() {
		return "ClickHouse has no events since then, or was not read yet: what was cancelled, edited or published is not known from there."
	}
	return "ClickHouse has events up to " + until.Format(time.RFC3339) + ": what was cancelled, edited and published by then is known."
}

// looksKnown says how far the looks are.
func looksKnown(l restores.Looks) string {
	text := fmt.Sprintf("%d of %s looked at on their platforms since.", l.Done, counted(l.Accounts, "account"))
	if l.NotListed > 0 {
		text += fmt.Sprintf(" %s on a platform that shows nobody what it has: telegram.", counted(l.NotListed, "account"))
	}
	if left := l.Accounts - l.Done - l.NotListed - len(l.Failed); left > 0 {
		text += fmt.Sprintf(" %s not looked at yet: a process with the role publish does.", counted(left, "account"))
	}
	return text + " No platform can tell what was cancelled."
}

func dueOf(overdue bool) string {
	if overdue {
		return "before"
	}
	return "later"
}

func workspaceOf(name string, isSandbox bool) string {
	if isSandbox {
		return name + schema.SandboxSuffix
	}
	return name
}

func platformNames(platforms []schema.Platform) string {
	names := make([]string, len(platforms))
	for i, p := range platforms {
		names[i] = p.String()
	}
	return strings.Join(names, ",")
}

// What is known of posts where nothing is.
const (
	nobodyCanTell = "nobody can tell"
	notLookedYet  = "not looked at yet"
)

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
		{e.CannotTell, nobodyCanTell},
		{e.Waiting, notLookedYet},
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
	Sandbox      bool          `json:"sandbox,omitempty"`
	ScheduledFor string        `json:"scheduledFor"`
	Overdue      bool          `json:"dueBeforeRestore"`
	Platforms    []string      `json:"platforms"`
	Content      string        `json:"content,omitempty"`
	Known        []findingLine `json:"known"`
	Disconnected bool          `json:"accountDisconnected,omitempty"`
	CannotTell   bool          `json:"nobodyCanTell"`
	Waiting      bool          `json:"notLookedAtYet"`
}

// findingLine is something that is known of a post.
type findingLine struct {
	What     string `json:"what"`
	Platform string `json:"platform,omitempty"` // where it is of one
	At       string `json:"at"`
	URL      string `json:"url,omitempty"`
}

func restoredLineOf(p restores.KnownPost) restoredLine {
	l := restoredLine{
		Held: "restored", Post: p.Post.ID.String(), Workspace: p.Known.Workspace, Sandbox: p.Sandbox, ScheduledFor: p.ScheduledFor.Format(time.RFC3339), Overdue: p.Overdue,
		Known: []findingLine{}, Disconnected: p.Disconnected > 0, CannotTell: p.CannotTell > 0, Waiting: p.Waiting > 0,
	}
	platforms := map[int16]schema.Platform{}
	for _, t := range p.Targets {
		platforms[t.N] = t.Platform
	}
	for _, platform := range slices.Sorted(maps.Values(platforms)) { // as a group has them
		l.Platforms = append(l.Platforms, platform.String())
	}
	if len(p.Content.Entries) > 0 {
		l.Content = p.Content.Entries[0].Text
	}
	for _, f := range p.Findings {
		if f.Kind == schema.LookCannotTell {
			continue
		}
		line := findingLine{What: f.Kind.String(), At: f.At.Format(time.RFC3339), URL: f.URL}
		if platform, ok := platforms[f.N]; ok {
			line.Platform = platform.String()
		}
		l.Known = append(l.Known, line)
	}
	return l
}

// known says each thing once, with the platforms that it is of.
func (l restoredLine) known() string {
	var all []string
	of := map[string][]string{}
	for _, f := range l.Known {
		if _, isListed := of[f.What]; !isListed {
			all = append(all, f.What)
		}
		of[f.What] = append(of[f.What], f.Platform)
	}
	for i, what := range all {
		if platforms := of[what]; platforms[0] != "" {
			slices.Sort(platforms)
			all[i] += " (" + strings.Join(slices.Compact(platforms), ", ") + ")"
		}
	}
	if l.Disconnected {
		all = append(all, "account disconnected")
	}
	if l.CannotTell {
		all = append(all, nobodyCanTell)
	}
	if l.Waiting {
		all = append(all, notLookedYet)
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
