package connectortest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"crier/connectors"
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
	s.eachEnd(t, func(t *testing.T, cause string, want simulation.EndAnswer) {
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
		if refresher, ok := s.connector.(connectors.Refresher); ok && want.End.Traits().Passes && s.fixture.Credentials(0).SelfRenewing {
			_, err := refresher.Refresh(t.Context(), s.account, s.fixture.Credentials(0))
			wantEnd(t, err, want.End, "")
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
	s.eachEnd(t, func(t *testing.T, cause string, want simulation.EndAnswer) {
		_, err := s.try(t, s.delivery("[crier:account-"+cause+"]"))
		wantEnd(t, err, want.End, "")
	})
	s.posts(t, 0)
	s.publish(t, s.delivery("the account itself goes on"))
}

// eachEnd goes through the ends that the platform has, each on a connector that has just
// started.
func (s *stage) eachEnd(t *testing.T, run func(*testing.T, string, simulation.EndAnswer)) {
	t.Helper()
	for _, end := range slices.Sorted(maps.Keys(s.fixture.Ends)) {
		t.Run(string(end), func(t *testing.T) {
			s.restart()
			run(t, string(end), s.fixture.Ends[end])
		})
	}
	if len(s.fixture.Ends) == 0 {
		t.Error("nothing is known of how accounts end")
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
