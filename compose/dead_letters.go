package compose

import (
	"context"

	"crier/schema"
)

// DeadLetters returns what stages have given up on, oldest first, after an id.
func DeadLetters(ctx context.Context, c Config, after schema.DeadLetterID, limit int) (letters []schema.DeadLetter, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		letters, err = o.admin.DeadLetters(ctx, after, limit)
		return err
	})
	return letters, err
}

// ReplayDeadLetters puts dead letters back, all of them where ids is empty, and returns how
// many were dead. What nobody could read is written to the log by the next serve with role
// delay.
func ReplayDeadLetters(ctx context.Context, c Config, ids []schema.DeadLetterID) (replayed int, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		replayed, err = o.admin.Replay(ctx, ids)
		return err
	})
	return replayed, err
}
