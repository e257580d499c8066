package people

import (
	"context"
	"time"

	"crier/schema"
)

// Audited is what somebody does, for the audit log: the stores write it with what changes by it, in the
// same transaction.
type Audited struct {
	Action string // such as key.create
	Actor  Actor
}

type auditedKey struct{}

// WithAudited returns a context whose changes are written into the audit log.
func WithAudited(ctx context.Context, a Audited) context.Context {
	return context.WithValue(ctx, auditedKey{}, a)
}

// AuditedOf returns what is done in a context; false: what changes in it is not audited, as posts and media
// that keys make.
func AuditedOf(ctx context.Context) (Audited, bool) {
	a, ok := ctx.Value(auditedKey{}).(Audited)
	return a, ok
}

// Change is one property of a thing in words, before and after; empty: it had none, or has none. Secrets
// stand in none.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Subject is what was changed.
type Subject struct {
	Type string // such as key
	ID   string
	Name string // that it had
}

// AuditRecord is a row of the audit log.
type AuditRecord struct {
	ID      schema.AuditID
	At      time.Time
	Actor   Actor
	Action  string
	Subject Subject
	Changes []Change
}

// AuditQuery asks for rows of a workspace, live or a sandbox; the newest come first.
type AuditQuery struct {
	Workspace schema.WorkspaceID // zero: of what is no workspace's
	Actor     string             // id, or kind
	Action    string             // whole, or its first part, such as key
	Subject   string             // id, or type
	From, To  time.Time          // To is left out; zero: no bound
	Before    AuditPlace         // zero: from the newest on
	Limit     int
}

// AuditPlace is where a page ends.
type AuditPlace struct {
	At time.Time
	ID schema.AuditID
}

// RemovedUser is what stands in the audit log for the name of a user who is removed.
const RemovedUser = "a removed user"
