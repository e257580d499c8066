package worker

import (
	"context"
	"log/slog"
	"testing"

	"crier/schema"
)

// storing is a stage whose results are stored as a test wants.
type storing struct {
	*stopping
	store func()
}

func (s storing) Do(context.Context, openClaim, schema.Reservation) (Outcome, error) {
	return Outcome{Store: func(context.Context) error {
		s.store()
		return nil
	}}, nil
}

func TestTheNextCallDoesNotWaitForAResultToBeStored(t *testing.T) {
	q := newQueue[schema.CommentMessage, schema.CommentID](unbounded(9), func(Key) int { return 2 })
	meanwhile := 0
	s := storing{store: func() { meanwhile = len(q.takeReady(9)) }}
	w := &Worker[schema.CommentMessage, schema.CommentID, openClaim]{
		Config: Config[schema.CommentMessage]{Name: "test", Logger: slog.New(slog.DiscardHandler)}, stage: s, queue: q,
	}
	for i := range byte(3) {
		m := schema.CommentMessage{Comment: schema.CommentID{1 + i}}
		q.put(&task[schema.CommentMessage, schema.CommentID]{Place: s.Place(m, schema.Host{}), ctx: t.Context(), value: m})
	}
	first := q.takeReady(9)[0]
	w.takeStep(t.Context(), t.Context(), first, openClaim(first.Claims))
	if meanwhile != 1 {
		t.Errorf("%d tasks could be taken while a result was stored, want the next one", meanwhile)
	}
}
