package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// olderPatience is how long the parts may take to be compared with the database: one that does not answer
// holds up nothing.
const olderPatience = 10 * time.Second

// lastMessages is how many messages of each partition of the events are compared: among so many are some of
// posts, unless no post has had any for long.
const lastMessages = 64

// refuseOlder fails where ClickHouse or the log has events that the database would have if it had not
// gone back to an earlier moment: what went out since would go out again. A part that does not answer is
// not compared, since publishing needs neither.
func (b *base) refuseOlder(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, olderPatience)
	defer cancel()
	restored := postgres.NewRestores(b.store)
	known, err := restored.Newest(ctx)
	if err != nil || known.Empty {
		return err
	}
	for _, part := range []struct {
		name   string
		newest func(context.Context, *postgres.Restores, schema.NewestKnown) (time.Time, error)
	}{{"ClickHouse", b.beyondClickHouse}, {"the log", b.beyondLog}} {
		at, err := part.newest(ctx, restored, known)
		switch {
		case err != nil:
			b.config.Logger.WarnContext(ctx, "the database was not compared with "+part.name, "err", err)
		case !at.IsZero():
			return &olderError{part.name, at, known.At}
		}
	}
	return nil
}

// olderError is of a database that went back.
type olderError struct {
	part         string
	newest, last time.Time
}

func (e *olderError) Error() string {
	return fmt.Sprintf("%s has events up to %s, and this database knows of none after %s: it went back to an earlier moment, by a recovery or a standby that was behind. "+
		"What was published, edited or cancelled since is not known to it, so that nothing is published. "+
		"Start once with --restored-to %s, which holds what was open then until you decide (see Restore in docs/operation.md); if %s is of another installation, give this one its own",
		e.part, e.newest.Format(time.RFC3339), e.last.Format(time.RFC3339), e.last.Format(time.RFC3339), e.part)
}

// beyondClickHouse returns the time of ClickHouse's newest event where the database has given its position
// to none; zero where it has.
func (b *base) beyondClickHouse(ctx context.Context, _ *postgres.Restores, known schema.NewestKnown) (time.Time, error) {
	if b.analytics == nil {
		return time.Time{}, nil
	}
	_, at, err := b.analytics.Since().Beyond(ctx, known.Position, b.store.Now())
	return at, err
}

// beyondLog returns when the newest batch of events in the log was made that the database never had; zero
// where it had those that were written last.
func (b *base) beyondLog(ctx context.Context, restored *postgres.Restores, known schema.NewestKnown) (time.Time, error) {
	last, err := b.log.Last(ctx, schema.TopicEvents, lastMessages)
	if err != nil {
		return time.Time{}, err
	}
	var batches []schema.BatchID
	for _, m := range last {
		var batch schema.EventBatch
		if json.Unmarshal(m.Value, &batch) == nil && slices.ContainsFunc(batch.Events, isOfPost) {
			batches = append(batches, batch.ID)
		}
	}
	return restored.Unknown(ctx, batches, known)
}

// isOfPost reports whether an event is of a post: those are committed before anybody is told of them. Of
// others PostgreSQL may have lost the last in a crash.
func isOfPost(e schema.Event) bool { return !e.Post.IsZero() }
