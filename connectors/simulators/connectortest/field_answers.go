package connectortest

import (
	"io"
	"net/http"
	"strconv"
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
		{"a list that is null does not say that a post is not there", looks, nullLists},
		{"an answer whose numbers are texts leads to no second post", nil, textsForNumbers},
		{"a look that is led to a page of login says nothing", looks, loginPage},
		{"an answer that is not compressed as it says leads to a look", nil, brokenCompression},
		{"a 429 that says nothing is waited for", nil, barelyThrottled},
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

func nullLists(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("there"))
	s.restart()
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Find, Shape: simulation.Nulls, Times: -1})
	if _, verdict, err := s.connector.Find(t.Context(), d); verdict == schema.NotThere || verdict == schema.NotMade {
		t.Errorf("Find = %s, %v", verdictName(verdict), err)
	}
	s.world.Heal()
	s.restart()
	s.wantFind(t, d, schema.Found)
}

func textsForNumbers(t *testing.T, s *stage) {
	d := s.ready(t, "texts")
	for _, operation := range []string{s.fixture.Operations.Publish, s.fixture.Operations.Find} {
		if operation != "" {
			s.inject(t, simulation.Fault{Operation: operation, Shape: simulation.Texts, Times: -1})
		}
	}
	receipt, err := s.connector.Publish(t.Context(), d)
	if err != nil {
		wantKind(t, err, schema.Unknown)
	}
	if post := s.posts(t, 1)[0]; err == nil && !isOf(receipt, post) {
		t.Errorf("receipt %+v, the post is %s", receipt, post.ID)
	}
	if d.Step = schema.StepFind; !s.fixture.Looks {
		return
	}
	if _, verdict, err := s.connector.Find(t.Context(), d); verdict == schema.NotThere || verdict == schema.NotMade {
		t.Errorf("Find = %s, %v", verdictName(verdict), err)
	}
}

func loginPage(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("there"))
	s.restart()
	login := Serve(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, page) }))
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Find, Status: http.StatusFound, Header: map[string]string{"Location": login + "/login"}})
	s.wantFind(t, d, schema.CannotTell)
	s.restart()
	s.wantFind(t, d, schema.Found)
}

func brokenCompression(t *testing.T, s *stage) {
	for _, status := range []int{200, 400, 500} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			s.restart()
			d := s.ready(t, "compressed")
			fault := answered(s.fixture.Operations.Publish, page)
			fault.Status, fault.Header["Content-Encoding"] = status, "gzip"
			s.inject(t, fault)
			_, err := s.connector.Publish(t.Context(), d)
			wantKind(t, err, schema.Unknown)
			s.wantFind(t, d, s.unseen())
		})
	}
	s.posts(t, 0)
}

func barelyThrottled(t *testing.T, s *stage) {
	d := s.ready(t, "slowly")
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Status: http.StatusTooManyRequests, Body: "slow down"})
	_, err := s.connector.Publish(t.Context(), d)
	s.clock.advance(max(wantKind(t, err, schema.RateLimited).RetryAfter, time.Minute) + time.Second)
	s.publish(t, d)
	s.posts(t, 1)
}
