package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"crier/compose"
	"crier/schema"
	"crier/schema/postgres/operation"
)

// pauseTargetFlags name what is paused: one of them.
type pauseTargetFlags struct {
	Workspace string `xor:"target" required:"" env:"-" help:"Name of a workspace, which its sandbox goes with. One of the three is given: a workspace, an account, a platform."`
	Account   string `xor:"target" required:"" env:"-" help:"Id of the account."`
	Platform  string `xor:"target" required:"" env:"-" help:"The platform, for every workspace."`
}

func (f pauseTargetFlags) target() compose.PauseTarget {
	return compose.PauseTarget{Workspace: f.Workspace, Account: f.Account, Platform: f.Platform}
}

// String says what is paused, or resumed.
func (f pauseTargetFlags) String() string {
	switch {
	case f.Workspace != "":
		return "the workspace " + f.Workspace + ", with its sandbox"
	case f.Account != "":
		return "the account " + f.Account
	default:
		return "the platform " + f.Platform + ", for every workspace"
	}
}

type pauseCommand struct {
	partsFlags
	pauseTargetFlags
	Reason string `env:"-" help:"Why; it is shown to users. A second pause without one keeps the first's."`
}

// Run holds what is due from now on, until a resume or its deadline.
func (p *pauseCommand) Run(ctx context.Context, c compose.Config) error {
	if err := compose.Pause(ctx, c, p.target(), p.Reason); err != nil {
		return err
	}
	fmt.Println("Paused:", p.pauseTargetFlags)
	return nil
}

type resumeCommand struct {
	partsFlags
	pauseTargetFlags
}

// Run lifts a pause of the operator's.
func (r *resumeCommand) Run(ctx context.Context, c compose.Config) error {
	stays, err := compose.Resume(ctx, c, r.target())
	if err != nil {
		return err
	}
	fmt.Println("Resumed:", r.pauseTargetFlags)
	if stays {
		fmt.Println("Its workspace has paused it too: nothing goes out until that resumes it, in the console or by POST /accounts/{id}/resume.")
	}
	return nil
}

type heldCommand struct {
	List    heldListCommand    `cmd:"" help:"List pauses, what a restore holds, and the posts that serve --hold-overdue holds for review."`
	Release heldReleaseCommand `cmd:"" help:"Let posts go out that are held for review, or by a restore: those past their time now, the others at it."`
	Cancel  heldCancelCommand  `cmd:"" help:"Cancel posts that are held so: they are published already, or no longer wanted."`
}

type heldListCommand struct {
	partsFlags
	selectionFlags
	After string `env:"-" placeholder:"POST" help:"Go on after the post of this id, of those that a restore holds."`
	Limit int    `default:"20" env:"-" help:"How many of the posts to list that a restore holds; 0: its groups alone."`
	JSON  bool   `name:"json" env:"-" help:"One JSON object a line."`
}

// Validate refuses what lists nothing.
func (h *heldListCommand) Validate() error {
	wrong := []error{h.partsFlags.Validate(), h.selectionFlags.Validate()}
	if h.Limit < 0 {
		wrong = append(wrong, errors.New("--limit is at least 0"))
	}
	if h.After != "" {
		_, err := schema.ParseID[schema.PostID](h.After)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// Run lists what is held.
func (h *heldListCommand) Run(ctx context.Context, c compose.Config) error {
	held, err := compose.Held(ctx, c)
	if err != nil {
		return err
	}
	var after schema.PostID
	if h.After != "" {
		if after, err = schema.ParseID[schema.PostID](h.After); err != nil {
			return err
		}
	}
	restored, err := compose.RestoreHolds(ctx, c, h.selection(), after, h.Limit, countOn(os.Stderr))
	if err != nil {
		return err
	}
	if h.JSON {
		return errors.Join(writeLines(os.Stdout, held, heldLineOf), writeRestoredJSON(os.Stdout, restored))
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "HELD\tBY\tSINCE\tWORKSPACE\tWHAT\tDUE\tREASON OR TEXT")
	for _, post := range held {
		l := heldLineOf(post)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Held, l.By, l.Since, l.Workspace, l.what(), l.ScheduledFor, l.text())
	}
	return errors.Join(table.Flush(), writeRestored(os.Stdout, restored))
}

// heldLine is one hold as it is listed.
type heldLine struct {
	Held         string   `json:"held"`
	By           string   `json:"by,omitempty"` // of a pause
	Since        string   `json:"since"`
	Reason       string   `json:"reason,omitempty"`
	Workspace    string   `json:"workspace,omitempty"`
	Account      string   `json:"accountId,omitempty"`
	Platform     string   `json:"platform,omitempty"`
	Post         string   `json:"postId,omitempty"`
	ScheduledFor string   `json:"scheduledFor,omitempty"`
	Platforms    []string `json:"platforms,omitempty"` // of a post, each with its status
	Content      string   `json:"content,omitempty"`
}

func heldLineOf(h operation.HeldPost) heldLine {
	l := heldLine{Held: h.Kind.String(), By: h.Kind.By(), Since: h.Since.Format(time.RFC3339), Reason: h.Reason, Workspace: h.Workspace}
	switch h.Kind {
	case schema.AccountPaused, schema.AccountPausedByMember:
		l.Account = h.Hold.Account.String()
	case schema.PlatformPaused:
		l.Platform = h.Platform.String()
	case schema.UnderReview:
		l.Post, l.ScheduledFor = h.Post.ID.String(), h.Post.ScheduledFor.Format(time.RFC3339)
		for _, t := range h.Post.Targets {
			l.Platforms = append(l.Platforms, t.Platform.String()+":"+t.State.String())
		}
		if len(h.Post.Content.Entries) > 0 {
			l.Content = h.Post.Content.Entries[0].Text
		}
	default:
	}
	return l
}

func (l heldLine) what() string {
	switch {
	case l.Post != "":
		return l.Post + fmt.Sprint(" ", l.Platforms)
	case l.Account != "":
		return l.Account
	default:
		return l.Platform
	}
}

func (l heldLine) text() string {
	const maximum = 40
	text := l.Reason
	if l.Post != "" {
		text = l.Content
	}
	if runes := []rune(text); len(runes) > maximum {
		text = string(runes[:maximum]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// reviewFlags name posts that wait for a person, and the parts they are in.
type reviewFlags struct {
	partsFlags
	Post []string `xor:"posts" env:"-" help:"Id of a post; may be repeated."`
	All  bool     `xor:"posts" env:"-" help:"Every post that is held for a person."`
	selectionFlags
}

// Validate refuses ids that are of no post, and a selection of nothing.
func (f reviewFlags) Validate() error {
	_, err := f.read()
	return errors.Join(f.partsFlags.Validate(), f.selectionFlags.Validate(), err)
}

// read returns the selection.
func (f reviewFlags) read() (compose.HeldSelection, error) {
	s := f.selection()
	ids, err := readIDs(f.Post, f.All || !f.isEmpty(), "posts", schema.ParseID[schema.PostID])
	if err == nil && len(ids) > 0 && !f.isEmpty() {
		err = errors.New("--post names posts; --workspace, --platforms, --due, --from and --to are of others")
	}
	s.Posts = ids
	return s, err
}

type heldReleaseCommand struct {
	reviewFlags
	AcceptDuplicate bool `env:"-" help:"Release what nobody can tell of whether it is out, or what was not looked for yet: it may go out a second time."`
}

// Run lets posts go out.
func (h *heldReleaseCommand) Run(ctx context.Context, c compose.Config) error {
	of, err := h.read()
	if err != nil {
		return err
	}
	done, err := compose.Release(ctx, c, of, schema.Release{Named: len(of.Posts) > 0, AcceptDuplicate: h.AcceptDuplicate})
	if err == nil || done.Posts > 0 {
		fmt.Println(counted(done.Posts, "post"), "released")
	}
	stay := len(done.Full)
	for _, why := range slices.Sorted(maps.Keys(done.Stay)) {
		n := done.Stay[why]
		fmt.Fprintf(os.Stderr, "%s %s held: %s\n", counted(n, "post"), map[bool]string{true: "stays", false: "stay"}[n == 1], why)
		stay += n
	}
	for _, k := range done.Full {
		fmt.Fprintf(os.Stderr, "%s stays held: %s\n", k.Post, k.Reason.Message)
	}
	if err == nil && len(done.Full) > 0 {
		err = fmt.Errorf("still held: %s; release on a day with room, or cancel", counted(len(done.Full), "post"))
	}
	if err == nil && done.Stay[schema.HeldUnchecked] > 0 {
		err = errors.New("some were not looked for yet: crier held list shows how far the looks are; release the rest once they are done")
	}
	if err == nil && done.Stay[schema.HeldUncertain] > 0 {
		err = errors.New("--accept-duplicate releases posts of which nobody can tell whether they are out")
	}
	if err != nil {
		return err
	}
	return notReviewed(len(of.Posts) - done.Posts - stay)
}

// notReviewed is an error where ids were of posts that are not held for a person.
func notReviewed(missed int) error {
	if missed <= 0 {
		return nil
	}
	return fmt.Errorf("%d of the posts are not held for review; crier held list shows those that are", missed)
}

type heldCancelCommand struct{ reviewFlags }

// Run cancels posts.
func (h *heldCancelCommand) Run(ctx context.Context, c compose.Config) error {
	of, err := h.read()
	if err != nil {
		return err
	}
	n, err := compose.CancelHeld(ctx, c, of)
	if err == nil || n > 0 {
		fmt.Println(counted(n, "post"), "cancelled")
	}
	if err != nil {
		return err
	}
	return notReviewed(len(of.Posts) - n)
}

// writeLines writes one JSON object a line.
func writeLines[T, L any](w io.Writer, all []T, lineOf func(T) L) error {
	encoder := json.NewEncoder(w)
	for _, item := range all {
		if err := encoder.Encode(lineOf(item)); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	return nil
}
