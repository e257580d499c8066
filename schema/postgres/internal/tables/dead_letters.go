package tables

import (
	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// ScanDeadLetter reads {dead_letter_columns}.
func ScanDeadLetter(row pgx.Row, l *schema.DeadLetter) error {
	return row.Scan((*[16]byte)(&l.ID), &l.Stage, &l.Subject.ID, &l.Subject.N, &l.Unreadable,
		&l.Message.Topic, &l.Message.Partition, &l.Message.Key, &l.Message.Value, &l.Reason, &l.Tries, &l.FailedAt)
}

// MarkOf is what the outbox owes a stage of events; 0 for the others.
func MarkOf(stage string) schema.Owed {
	switch stage {
	case schema.StageExpand:
		return schema.OwedNotify
	case schema.StageAnalytics:
		return schema.OwedAnalytics
	default:
		return 0
	}
}
