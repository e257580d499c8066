package connectortest

import (
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// inTheField is what a connector makes of what servers do that no document tells of.
func inTheField() []clause {
	return []clause{
		{"an answer of another shape to the visible call is enough, or leads to a look", hasField, reshapedAnswer},
		{"fields that no document has harm no other call", hasField, largerAnswers},
		{"a post that is listed late is found once it is listed", both(hasField, looks), listedLate},
	}
}

func hasField(f Fixture) bool { return f.Field }

// fieldAnswers are the shapes of answers to calls that took effect, by the marker that forces them.
var fieldAnswers = map[string]string{
	"no body":                   "[crier:empty-answer]",
	"an empty object":           "[crier:smaller-answer]",
	"further fields":            "[crier:larger-answer]",
	"a 500":                     "[crier:error-after]",
	"a lost answer, to compare": "[crier:lost-answer]",
}

func reshapedAnswer(t *testing.T, s *stage) {
	published := 0
	for name, marker := range fieldAnswers {
		t.Run(name, func(t *testing.T) {
			s.restart()
			d := s.ready(t, name+" "+marker)
			receipt, err := s.connector.Publish(t.Context(), d)
			if published++; err != nil {
				wantKind(t, err, schema.Unknown)
			}
			posts := s.posts(t, published)
			if d.Step = schema.StepFind; err != nil && s.fixture.Looks {
				receipt = s.found(t, d)
			}
			if post := posts[published-1]; receipt.NativeID != "" && !isOf(receipt, post) {
				t.Errorf("receipt %+v, the post is %s", receipt, post.ID)
			}
		})
	}
}

func largerAnswers(t *testing.T, s *stage) {
	for _, operation := range []string{s.fixture.Operations.Upload, s.fixture.Operations.Find} {
		if operation != "" {
			s.inject(t, simulation.Fault{Operation: operation, Shape: simulation.Larger, Times: -1})
		}
	}
	d := s.delivery("look")
	if s.fixture.Operations.Upload != "" {
		d = s.delivery("look", s.image())
	}
	if s.fixture.Looks {
		s.found(t, s.lose(t, d))
		return
	}
	s.publish(t, d)
}

func listedLate(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("late [crier:list-late]"))
	s.restart()
	if _, verdict, _ := s.connector.Find(t.Context(), d); verdict == schema.NotMade {
		t.Error("a list that is late is taken for the word of what was prepared")
	}
	s.clock.advance(simulation.LateList + time.Second)
	s.found(t, d)
	s.posts(t, 1)
}
