package connectortest

import (
	"strconv"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// failing is what a connector makes of statuses that a platform, or something before
// it, answers instead of what was asked for.
func failing() []clause {
	return []clause{
		{"too many calls are rate limited until the platform's time", nil, throttledInEachForm},
		{"a server error of the visible call is unknown", nil, serverErrorIsUnknown},
		{"a server error of an upload is retryable", uploads, uploadServerError},
		{"dead credentials are not verified", nil, deadCredentialsAreNotVerified},
		{"a lost answer forced by a marker is unknown", nil, markedLostAnswer},
	}
}

func throttledInEachForm(t *testing.T, s *stage) {
	for _, form := range s.fixture.Throttled {
		t.Run(form.Name, func(t *testing.T) {
			s.restart()
			d := s.ready(t, form.Name)
			s.inject(t, form.Fault(s.clock.now()))
			before := len(s.world.Posts())
			_, err := s.connector.Publish(t.Context(), d)
			wait := wantKind(t, err, schema.RateLimited).RetryAfter
			// The time of an answer in whole seconds can be a second off.
			if wait < form.Wait-2*time.Second || wait > form.Wait+2*time.Second {
				t.Errorf("RetryAfter = %v, want %v", wait, form.Wait)
			}
			s.clock.advance(wait + time.Second)
			s.publish(t, d)
			s.posts(t, before+1)
		})
	}
}

func serverErrorIsUnknown(t *testing.T, s *stage) {
	for _, status := range []int{500, 502, 503, 504} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			d := s.ready(t, "down")
			s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Status: status})
			_, err := s.connector.Publish(t.Context(), d)
			wantKind(t, err, schema.Unknown)
			s.wantFind(t, d, s.unseen())
		})
	}
	s.posts(t, 0)
}

func uploadServerError(t *testing.T, s *stage) {
	for _, status := range []int{500, 502, 504} {
		s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Upload, Status: status})
		_, err := s.prepare(t, s.delivery("look", s.image()))
		wantKind(t, err, schema.Retryable)
	}
	s.publish(t, s.delivery("look", s.image()))
	s.posts(t, 1)
}

func deadCredentialsAreNotVerified(t *testing.T, s *stage) {
	s.inject(t, simulation.Fault{Status: 401, Times: 10})
	s.restart()
	_, err := s.verify(t, s.account, s.fixture.Credentials(0))
	wantKind(t, err, schema.TokenDead)
}

func markedLostAnswer(t *testing.T, s *stage) {
	d := s.ready(t, "[crier:lost-answer]")
	_, err := s.connector.Publish(t.Context(), d)
	wantKind(t, err, schema.Unknown)
	s.posts(t, 1)
}
