package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"crier/compose"
	"crier/schema"
)

type deadLettersCommand struct {
	List   deadLettersListCommand   `cmd:"" help:"List what crier gave up on after faults of its own, oldest first."`
	Replay deadLettersReplayCommand `cmd:"" help:"Put dead letters back, once their cause is mended."`
}

type deadLettersListCommand struct {
	partsFlags
	JSON  bool   `name:"json" help:"One JSON object a line."`
	Limit int    `default:"100" help:"How many to list."`
	After string `placeholder:"ID" env:"-" help:"Go on after this dead letter."`
}

// Validate refuses what names no dead letters.
func (d *deadLettersListCommand) Validate() error {
	if d.Limit < 1 {
		return errors.New("--limit is at least 1")
	}
	_, err := d.after()
	return err
}

func (d *deadLettersListCommand) after() (schema.DeadLetterID, error) {
	if d.After == "" {
		return schema.DeadLetterID{}, nil
	}
	after, err := schema.ParseID[schema.DeadLetterID](d.After)
	if err != nil {
		err = fmt.Errorf("reading --after: %w", err)
	}
	return after, err
}

// Run lists dead letters.
func (d *deadLettersListCommand) Run(ctx context.Context, c compose.Config) error {
	after, err := d.after()
	if err != nil {
		return err
	}
	letters, err := compose.DeadLetters(ctx, c, after, d.Limit)
	if err != nil {
		return err
	}
	if d.JSON {
		return writeLines(os.Stdout, letters, deadLetterLineOf)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTAGE\tABOUT\tTRIES\tFAILED\tREASON")
	for _, letter := range letters {
		l := deadLetterLineOf(letter)
		reason, _, _ := strings.Cut(l.Reason, "\n")
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", l.ID, l.Stage, l.About, l.Tries, l.FailedAt, reason)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(letters) == d.Limit {
		fmt.Fprintf(os.Stderr, "there may be more: --after %s\n", letters[len(letters)-1].ID)
	}
	return nil
}

// deadLetterLine is a dead letter as it is listed.
type deadLetterLine struct {
	ID         string `json:"id"`
	Stage      string `json:"stage"`
	About      string `json:"about,omitempty"` // id of the post, comment, delivery, account, job or batch of events
	Target     int16  `json:"target,omitempty"`
	Unreadable bool   `json:"unreadable,omitempty"`
	Tries      int    `json:"tries"`
	FailedAt   string `json:"failedAt"`
	Reason     string `json:"reason"`
	Topic      string `json:"topic"`
	Message    string `json:"message,omitempty"`      // as text
	Bytes      []byte `json:"messageBytes,omitempty"` // of what is no text, in base64
}

func deadLetterLineOf(d schema.DeadLetter) deadLetterLine {
	l := deadLetterLine{
		ID: d.ID.String(), Stage: d.Stage, About: d.About(), Target: d.Subject.N, Unreadable: d.Unreadable,
		Tries: d.Tries, FailedAt: d.FailedAt.Format(time.RFC3339), Reason: d.Reason, Topic: d.Message.Topic,
	}
	if utf8.Valid(d.Message.Value) {
		l.Message = string(d.Message.Value)
	} else {
		l.Bytes = d.Message.Value
	}
	return l
}

type deadLettersReplayCommand struct {
	partsFlags
	ID  []string `name:"id" xor:"letters" required:"" env:"-" help:"Id of a dead letter; may be repeated."`
	All bool     `xor:"letters" required:"" env:"-" help:"Every dead letter."`
}

// Validate refuses ids that are of no dead letter.
func (d *deadLettersReplayCommand) Validate() error {
	_, err := d.ids()
	return err
}

func (d *deadLettersReplayCommand) ids() ([]schema.DeadLetterID, error) {
	return readIDs(d.ID, d.All, "dead letters", schema.ParseID[schema.DeadLetterID])
}

// Run puts dead letters back.
func (d *deadLettersReplayCommand) Run(ctx context.Context, c compose.Config) error {
	ids, err := d.ids()
	if err != nil {
		return err
	}
	if d.All {
		return replayAll(ctx, c)
	}
	n, err := compose.ReplayDeadLetters(ctx, c, ids)
	if err != nil {
		return err
	}
	fmt.Println(counted(n, "dead letter"), "replayed")
	if n < len(ids) {
		return fmt.Errorf("%d of the ids name no dead letter", len(ids)-n)
	}
	return nil
}

func replayAll(ctx context.Context, c compose.Config) error {
	n, err := compose.ReplayAllDeadLetters(ctx, c, func(replayed int) {
		fmt.Fprintln(os.Stderr, replayed, "so far")
	})
	if err != nil {
		return fmt.Errorf("replayed %s, the same command goes on with the rest: %w", counted(n, "dead letter"), err)
	}
	fmt.Println(counted(n, "dead letter"), "replayed")
	return nil
}
