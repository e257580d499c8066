package connectortest

import (
	"fmt"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// finding is how an unknown outcome is settled.
func finding() []clause {
	return []clause{
		{"a lost answer is unknown and found, not repeated", looks, lostAnswerIsFound},
		{"a lost answer is unknown and stays so where nobody can look", cannotLook, lostAnswerStaysUnknown},
		{"a lost answer of a thread's entry is found and built on", both(threads, looks), lostEntryIsFound},
		{"a lost answer of a post with an image is found", both(takesImage, looks), lostImageIsFound},
		{"a lost answer of a first comment is found", both(comments, looks), lostCommentIsFound},
		{"a call that had no effect is not there, twice, and is repeated once", looks, refusedIsNotThere},
		{"a call that was never made is not there", looks, neverCalledIsNotThere},
		{"a comment that was never made is not there", both(comments, looks), neverCommentedIsNotThere},
		{"another post of the same text is not taken for it", looks, knownIsNotTaken},
		{"a post that is nearly like it settles nothing", both(looks, comparesPosts), nearSettlesNothing},
		{"a comment that is nearly like it settles nothing", both(both(looks, comments), comparesPosts), nearCommentSettlesNothing},
		{"an older post of the same text is not taken for it", looks, olderIsNotTaken},
		{"another account's post of the same text is not taken for it", looks, foreignIsNotTaken},
		{"a reply of the same text is not taken for a post", both(both(threads, comments), looks), replyIsNotTaken},
		{"it is found behind many later posts", looks, foundBehindMany},
	}
}

// lose publishes an entry and loses the answer.
func (s *stage) lose(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	d, err := s.prepare(t, d)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Lose: true})
	_, err = s.connector.Publish(t.Context(), d)
	wantKind(t, err, schema.Unknown)
	d.Step = schema.StepFind
	return d
}

// found checks that a lost entry is found by another process too, each time the same.
func (s *stage) found(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	s.restart()
	first := s.wantFind(t, d, schema.Found)
	if second := s.wantFind(t, d, schema.Found); second.NativeID != first.NativeID {
		t.Fatalf("found %s, then %s", first.NativeID, second.NativeID)
	}
	if first.Entry != d.Entry {
		t.Fatalf("receipt of entry %d, want %d", first.Entry, d.Entry)
	}
	return first
}

func lostAnswerIsFound(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("lost & <found>\nhttps://example.com/x"))
	receipt := s.found(t, d)
	if post := s.posts(t, 1)[0]; !isOf(receipt, post) {
		t.Errorf("found %s, the post is %s", receipt.NativeID, post.ID)
	}
	wantAddress(t, receipt)
}

func lostAnswerStaysUnknown(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("lost"))
	for range 2 {
		s.wantFind(t, d, schema.CannotTell)
	}
	s.posts(t, 1)
}

func lostEntryIsFound(t *testing.T, s *stage) {
	first := s.publish(t, s.next("one"))
	second := s.found(t, s.lose(t, s.next("two", first)))
	s.publish(t, s.next("three", first, second))
	posts := s.posts(t, 3)
	if !isReply(posts[1], posts[0]) || !isReply(posts[2], posts[1]) {
		t.Errorf("the thread is broken: %+v", posts)
	}
}

func lostImageIsFound(t *testing.T, s *stage) {
	receipt := s.found(t, s.lose(t, s.delivery("look", s.image())))
	if post := s.posts(t, 1)[0]; !isOf(receipt, post) {
		t.Errorf("found %s, the post is %s", receipt.NativeID, post.ID)
	}
}

func lostCommentIsFound(t *testing.T, s *stage) {
	d := s.comment("the comment", s.publish(t, s.delivery("the entry")))
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Comment, Lose: true})
	_, err := s.connector.Comment(t.Context(), d)
	wantKind(t, err, schema.Unknown)
	s.restart()
	if receipt := s.wantFind(t, d, schema.Found); !isOf(receipt, s.posts(t, 2)[1]) {
		t.Errorf("found %s, the comment is %s", receipt.NativeID, s.posts(t, 2)[1].ID)
	}
}

func refusedIsNotThere(t *testing.T, s *stage) {
	d := s.ready(t, "refused")
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Refuse: true})
	_, err := s.connector.Publish(t.Context(), d)
	wantKind(t, err, schema.Unknown)
	for range 2 {
		s.wantFind(t, d, schema.NotThere)
		s.clock.advance(schema.SettleTime)
	}
	s.publish(t, d)
	s.posts(t, 1)
}

func neverCalledIsNotThere(t *testing.T, s *stage) {
	s.wantFind(t, s.ready(t, "never"), schema.NotThere)
	s.posts(t, 0)
}

func neverCommentedIsNotThere(t *testing.T, s *stage) {
	s.wantFind(t, s.comment("never", s.publish(t, s.delivery("the entry"))), schema.NotThere)
}

func knownIsNotTaken(t *testing.T, s *stage) {
	d := s.ready(t, "twin")
	twin := s.publish(t, s.delivery("twin"))
	d.Known = []string{twin.NativeID}
	s.wantFind(t, d, schema.NotThere)
	s.clock.advance(s.fixture.Repeats)
	d = s.lose(t, d)
	if receipt := s.found(t, d); receipt.NativeID == twin.NativeID {
		t.Error("the other post was taken for it")
	}
	s.posts(t, 2)
}

// What is there may be the post, which the platform has changed. By what was prepared some platforms could
// tell all the same, so that nothing is.
func nearSettlesNothing(t *testing.T, s *stage) {
	d := s.delivery("2026. A year of many things")
	s.publish(t, s.delivery("A year of many things"))
	s.wantFind(t, d, schema.CannotTell)
}

func nearCommentSettlesNothing(t *testing.T, s *stage) {
	entry := s.publish(t, s.delivery("the entry"))
	d := s.comment("2026. A year of many things", entry)
	if _, err := s.connector.Comment(t.Context(), s.comment("A year of many things", entry)); err != nil {
		t.Fatalf("Comment: %v", err)
	}
	s.wantFind(t, d, schema.CannotTell)
}

func olderIsNotTaken(t *testing.T, s *stage) {
	s.publish(t, s.delivery("every day"))
	s.clock.advance(time.Hour)
	s.wantFind(t, s.ready(t, "every day"), schema.NotThere)
}

func foreignIsNotTaken(t *testing.T, s *stage) {
	d := s.ready(t, "popular")
	other := s.delivery("popular")
	other.Account, other.Credentials = s.connect(t, 1), s.fixture.Credentials(1)
	s.publish(t, other)
	s.wantFind(t, d, schema.NotThere)
}

func replyIsNotTaken(t *testing.T, s *stage) {
	entry := s.publish(t, s.delivery("the entry"))
	d := s.ready(t, "twin")
	if _, err := s.connector.Comment(t.Context(), s.comment("twin", entry)); err != nil {
		t.Fatalf("Comment: %v", err)
	}
	s.wantFind(t, d, schema.NotThere)
}

func foundBehindMany(t *testing.T, s *stage) {
	const later = 90 // more than a page of any platform's look-up twice
	d := s.lose(t, s.delivery("early"))
	for i := range later {
		s.clock.advance(10 * time.Second) // below every platform's rate limit
		s.publish(t, s.delivery(fmt.Sprintf("late %d", i)))
	}
	if receipt := s.wantFind(t, d, schema.Found); !isOf(receipt, s.posts(t, later+1)[0]) {
		t.Errorf("found %s, the post is %s", receipt.NativeID, s.posts(t, later+1)[0].ID)
	}
}
