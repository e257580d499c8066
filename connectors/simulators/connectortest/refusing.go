package connectortest

import (
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// refusing is what a connector makes of a platform that says no.
func refusing() []clause {
	return []clause{
		{"a rate limit in the platform's usual form says when to come again", nil, throttledUsually},
		{"dead credentials are told apart", nil, deadCredentials},
		{"refused content is refused with the platform's words", nil, refusedContent},
		{"a text over the limit is refused", nil, textOverTheLimit},
		{"a repeated text is refused, and a duplicate where it may be of an earlier call", refusesRepeats, repeatIsDuplicate},
	}
}

func throttledUsually(t *testing.T, s *stage) {
	d := s.ready(t, "soon")
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Status: 429})
	_, err := s.connector.Publish(t.Context(), d)
	wait := wantKind(t, err, schema.RateLimited).RetryAfter
	if wait <= 0 {
		t.Error("no RetryAfter")
	}
	s.clock.advance(wait + time.Second)
	s.publish(t, d)
	s.posts(t, 1)
}

func deadCredentials(t *testing.T, s *stage) {
	d := s.ready(t, "[crier:expired-token]")
	for range 2 {
		_, err := s.connector.Publish(t.Context(), d)
		wantKind(t, err, schema.TokenDead)
	}
	s.posts(t, 0)
}

func refusedContent(t *testing.T, s *stage) {
	_, err := s.try(t, s.delivery("[crier:refused]"))
	wantKind(t, err, schema.Refused)
	s.posts(t, 0)
}

func repeatIsDuplicate(t *testing.T, s *stage) {
	s.publish(t, s.delivery("again"))
	d := s.delivery("again")
	_, err := s.try(t, d)
	if !wantKind(t, err, schema.Refused).Repeats {
		t.Error("the refusal does not say that the account has the post already")
	}
	d.Attempts = 1
	_, err = s.try(t, d)
	wantKind(t, err, schema.Duplicate)
	s.posts(t, 1)
}

func textOverTheLimit(t *testing.T, s *stage) {
	limit := s.fixture.Constraints.Text
	_, err := s.try(t, s.delivery(atLimit(limit, "a")+"a"))
	wantKind(t, err, schema.Refused)
	s.posts(t, 0)
}
