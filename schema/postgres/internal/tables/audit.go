package tables

import (
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
)

// AccountEntry is what the audit log says of an account.
func AccountEntry(a schema.Account, changes ...people.Change) audit.Entry {
	return audit.Entry{
		Workspace: a.Workspace, Subject: audit.Of("account", a.ID, a.Name+" on "+a.Platform.String()), Changes: audit.Differences(changes...),
	}
}

// IDText is an id in words; empty for the zero id.
func IDText[K schema.Kind](id schema.ID[K]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}
