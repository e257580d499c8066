// Package audit writes the audit log: each row in the transaction of what it tells of.
package audit

import (
	"context"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
)

// Entry is a change as the store knows that makes it. Who makes it, and by what, is in its context.
type Entry struct {
	Workspace schema.WorkspaceID // that the thing is of; zero: none
	Subject   people.Subject
	Changes   []people.Change
	By        people.Actor // instead of who the context says; zero: as it says
	Action    string       // instead of what the context says; empty: as it says
}

// Queue adds the row of a change to the batch of the change; none where nothing in the context is audited.
func Queue(ctx context.Context, b *pgx.Batch, now time.Time, e Entry) {
	a, ok := people.AuditedOf(ctx)
	if !ok {
		return
	}
	if e.By.Kind != 0 {
		a.Actor = e.By
	}
	if e.Action != "" {
		a.Action = e.Action
	}
	now = now.UTC().Truncate(time.Millisecond)
	b.Queue(insert, pgx.StrictNamedArgs{
		"id": schema.NewID[schema.AuditID](now), "at": now, "workspace": e.Workspace,
		"actor": int16(a.Actor.Kind), "actor_id": a.Actor.ID, "actor_name": a.Actor.Name, "address": a.Actor.Address, "action": a.Action,
		"subject": e.Subject.Type, "subject_id": e.Subject.ID, "subject_name": e.Subject.Name, "changes": string(db.Encode(nonNil(e.Changes))),
	})
}

const insert = `
	insert into audit (id, at, workspace_id, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
	values (@id, @at, @workspace, @actor, @actor_id, @actor_name, @address, @action, @subject, @subject_id, @subject_name, @changes::text::jsonb)`

func nonNil(changes []people.Change) []people.Change {
	if changes == nil {
		return []people.Change{}
	}
	return changes
}

// Write writes the rows of changes in their transaction.
func Write(ctx context.Context, tx pgx.Tx, now time.Time, entries ...Entry) error {
	b := &pgx.Batch{}
	for _, e := range entries {
		Queue(ctx, b, now, e)
	}
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}

// BySystem returns the context of what crier does on its own.
func BySystem(ctx context.Context, action string) context.Context {
	return people.WithAudited(ctx, people.Audited{Action: action, Actor: people.Actor{Kind: people.BySystem, Name: "crier"}})
}

// Of names a thing.
func Of[K schema.Kind](kind string, id schema.ID[K], name string) people.Subject {
	return people.Subject{Type: kind, ID: id.String(), Name: name}
}

// Differences are what differs of a thing, by field, before and after; what stayed is left out.
func Differences(all ...people.Change) (changes []people.Change) {
	for _, c := range all {
		if c.Before != c.After {
			changes = append(changes, c)
		}
	}
	return changes
}

// Time is a time in words, to the second; empty for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Address is a URL without what may be a secret of its receiver: user, query and fragment.
func Address(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
