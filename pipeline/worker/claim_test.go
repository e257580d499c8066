package worker

import (
	"context"
	"log/slog"
	"testing"

	"crier/schema"
)

func TestTwoMessagesThatAskForTheSameGetOneStep(t *testing.T) {
	s := &stopping{claim: func(context.Context) error { return nil }}
	wide := func(Key) int { return 2 }
	w := &Worker[schema.CommentMessage, schema.CommentID, openClaim]{
		Config: Config[schema.CommentMessage]{Name: "test", Logger: slog.New(slog.DiscardHandler)}, stage: s,
		queue: newQueue[schema.CommentMessage, schema.CommentID](unbounded(9), wide),
	}
	comment := schema.CommentID{1}
	for _, m := range []schema.CommentMessage{{Comment: comment}, {Comment: comment, Platform: schema.Mastodon}} {
		w.queue.put(&task[schema.CommentMessage, schema.CommentID]{Place: s.Place(m, schema.Host{}), ctx: t.Context(), value: m})
	}
	p, endCalls, endStores := newPhases(t.Context())
	defer endStores()
	defer endCalls()
	batch := w.queue.takeReady(9)
	steps := 0
	if n := w.claimBatch(p, batch, func(*task[schema.CommentMessage, schema.CommentID], openClaim) { steps++ }); len(batch) != 2 || n != 1 || steps != 1 {
		t.Errorf("%d messages got %d claims and %d steps, want one", len(batch), n, steps)
	}
}
