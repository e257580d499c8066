package connectortest

import (
	"errors"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// endingAccounts is what a connector makes of an account that its platform serves no more.
func endingAccounts() []clause {
	return []clause{
		{"every end of an account is told apart, and undone", nil, endsAreToldApart},
		{"an end that a text asks for is the platform's", nil, markedEnds},
	}
}

func endsAreToldApart(t *testing.T, s *stage) {
	published := 0
	s.eachEnd(t, func(t *testing.T, cause string, want EndAnswer) {
		s.publish(t, s.delivery("until it is "+cause))
		s.end(t, cause)
		for range 2 { // the second meets what the first has made the connector remember
			_, err := s.try(t, s.delivery("of an account that has ended"))
			wantEnd(t, err, want.End, want.Says)
		}
		if want.End.Traits().Passes || want.End == schema.NotEnded {
			_, err := s.verify(t, s.account, s.fixture.Credentials(0))
			found := want.End
			if e, ok := errors.AsType[*schema.Error](err); ok && found == schema.NotEnded && e.End == schema.EndScope {
				found = e.End
			}
			wantEnd(t, err, found, "")
		}
		s.posts(t, published+1)
		s.end(t, "")
		if _, err := s.verify(t, s.account, s.fixture.Credentials(0)); err != nil {
			t.Fatalf("Check of the account that works again: %v", err)
		}
		s.publish(t, s.delivery("back after it was "+cause))
		published += 2
	})
}

func markedEnds(t *testing.T, s *stage) {
	s.eachEnd(t, func(t *testing.T, cause string, want EndAnswer) {
		_, err := s.try(t, s.delivery("[crier:account-"+cause+"]"))
		wantEnd(t, err, want.End, "")
	})
	s.posts(t, 0)
	s.publish(t, s.delivery("the account itself goes on"))
}

// eachEnd goes through the ends that the platform has, each on a connector that has just
// started.
func (s *stage) eachEnd(t *testing.T, run func(*testing.T, string, EndAnswer)) {
	t.Helper()
	met := 0
	for _, end := range AccountEnds() {
		want, has := end.Answers[s.fixture.Constraints.Platform]
		if !has {
			continue
		}
		met++
		t.Run(end.Cause, func(t *testing.T) {
			s.restart()
			run(t, end.Cause, want)
		})
	}
	if met == 0 {
		t.Error("the table of ends does not know the platform")
	}
}

// end ends the account on its platform, or takes its end back.
func (s *stage) end(t *testing.T, cause string) {
	t.Helper()
	if err := s.world.End(s.account.NativeID, simulation.End(cause)); err != nil {
		t.Fatal(err)
	}
}

func wantEnd(t *testing.T, err error, want schema.End, says string) {
	t.Helper()
	e := wantKind(t, err, schema.TokenDead)
	if e.End != want || !strings.Contains(e.Message, says) {
		t.Errorf("%q is taken for the end %q, want %q of a text with %q", e.Message, e.End, want, says)
	}
}
