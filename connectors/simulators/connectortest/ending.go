package connectortest

import (
	"context"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how a connector keeps to the end of its time.
func ending() []clause {
	return []clause{
		{"an answer after the deadline is unknown", nil, lateAnswerIsUnknown},
		{"nothing visible is sent for a cancelled call", nil, cancelledIsNotSent},
		{"nothing visible is sent after the deadline", nil, expiredIsNotSent},
		{"a comment is not sent for a cancelled call", comments, cancelledCommentIsNotSent},
		{"a server that is not there had no effect", nil, unreachableIsRetryable},
	}
}

func lateAnswerIsUnknown(t *testing.T, s *stage) {
	const late = time.Minute
	d := s.ready(t, "late")
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Delay: int(late.Milliseconds())})
	begun := time.Now()
	_, err := s.connector.Publish(within(t, 2*time.Second), d)
	wantKind(t, err, schema.Unknown)
	if took := time.Since(begun); took > late/2 {
		t.Errorf("waited %v for an answer past the deadline", took)
	}
	s.posts(t, 1)
	if s.fixture.Looks {
		s.wantFind(t, d, schema.Found)
	}
}

func cancelledIsNotSent(t *testing.T, s *stage) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.wantNotSent(ctx, t)
}

func expiredIsNotSent(t *testing.T, s *stage) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	s.wantNotSent(ctx, t)
}

func (s *stage) wantNotSent(ctx context.Context, t *testing.T) {
	t.Helper()
	_, err := s.connector.Publish(ctx, s.ready(t, "never"))
	wantKind(t, err, schema.Retryable)
	if calls := s.world.Calls(s.fixture.Operations.Publish); calls != 0 {
		t.Errorf("%d visible calls", calls)
	}
}

func cancelledCommentIsNotSent(t *testing.T, s *stage) {
	d := s.comment("never", s.publish(t, s.delivery("the entry")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.connector.Comment(ctx, d)
	wantKind(t, err, schema.Retryable)
	s.posts(t, 1)
}

func unreachableIsRetryable(t *testing.T, s *stage) {
	d := s.ready(t, "hello")
	d.Account.Server = "http://127.0.0.1:1" // tcpmux, which nobody runs
	s.parts.Base = d.Account.Server
	s.restart()
	_, err := s.connector.Publish(t.Context(), d)
	wantKind(t, err, schema.Retryable)
}
