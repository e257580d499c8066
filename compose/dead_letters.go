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

// ReplayDeadLetters puts dead letters back, and returns how many of ids were dead. What
// nobody could read is written to the log by the next serve with role delay.
func ReplayDeadLetters(ctx context.Context, c Config, ids []schema.DeadLetterID) (replayed int, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		replayed, err = o.admin.Replay(ctx, ids)
		return err
	})
	return replayed, err
}

// ReplayAllDeadLetters puts every dead letter back, batch by batch, and tells progress
// after each how many there are so far. It returns how many, after an error too: they are
// replayed for good.
func ReplayAllDeadLetters(ctx context.Context, c Config, progress func(replayed int)) (replayed int, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		replayed, err = o.admin.ReplayAll(ctx, progress)
		return err
	})
	return replayed, err
}
