package connectortest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// answering is how a connector reads what people write, and answers it.
func answering() []clause {
	return []clause{
		{"comments of people are read, and the account's own are not", answersComments, commentsAreRead},
		{"answers to comments are read", nests, nestedAreRead},
		{"a comment that is taken back is not read", answersComments, unsaidIsNotRead},
		{"a comment is answered", answersComments, commentIsAnswered},
		{"a lost answer of a reply is found, not repeated", both(answersComments, looks), lostReplyIsFound},
		{"a reply that had no effect is not there, twice, and is repeated once", both(answersComments, looks), refusedReplyIsNotThere},
		{"a like reply to another comment is not taken for it", both(answersComments, looks), otherReplyIsNotTaken},
		{"a reply to what was taken back is refused", strict, replyToUnsaid},
		{"mentions are read by pages and answered", answersMentions, mentionsAreAnswered},
	}
}

// published publishes an entry, and returns it as it is read about.
func (s *stage) answerable(t *testing.T) (schema.PublishedPost, simulation.Post) {
	t.Helper()
	s.world.Quiet()
	receipt := s.publish(t, s.delivery("the entry"))
	posts := s.world.Posts()
	return schema.PublishedPost{
		Post: schema.NewID[schema.PostID](s.clock.now()), NativeID: receipt.NativeID, URL: receipt.URL, PostedAt: receipt.PostedAt,
	}, posts[len(posts)-1]
}

func (s *stage) reader() connectors.Reading {
	return connectors.Reading{Account: s.account, Credentials: s.fixture.Credentials(0)}
}

// comments reads all pages of what is under a post.
func (s *stage) comments(t *testing.T, post schema.PublishedPost) []schema.Received {
	t.Helper()
	source, ok := s.connector.(connectors.CommentSource)
	if !ok {
		t.Fatal("the connector reads no comments")
	}
	var all []schema.Received
	for cursor := ""; ; {
		page, err := source.Comments(t.Context(), s.reader(), post, cursor)
		if err != nil {
			t.Fatalf("Comments: %v", err)
		}
		if all = append(all, page.Items...); page.Next == "" {
			if page.Extent != s.fixture.Answers.Extent {
				t.Errorf("the last page has extent %d", page.Extent)
			}
			return all
		}
		if page.Extent != connectors.SomeComments {
			t.Error("a page is the last one, and another follows")
		}
		cursor = page.Next
	}
}

// mentions reads all pages of what names the account.
func (s *stage) mentions(t *testing.T) []schema.Received {
	t.Helper()
	source, ok := s.connector.(connectors.MentionSource)
	if !ok {
		t.Fatal("the connector reads no mentions")
	}
	var all []schema.Received
	for cursor := ""; ; {
		page, err := source.Mentions(t.Context(), s.reader(), cursor)
		if err != nil {
			t.Fatalf("Mentions: %v", err)
		}
		if all = append(all, page.Items...); page.Next == "" {
			return all
		}
		cursor = page.Next
	}
}

// onlyItem returns the one item that was received with a text.
func onlyItem(t *testing.T, all []schema.Received, text string) schema.Received {
	t.Helper()
	var found []schema.Received
	for _, r := range all {
		if wholeText(r.Item.Text, text) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%q was received %d times among %+v", text, len(found), all)
	}
	r := found[0]
	if r.Item.NativeID == "" || r.Item.WrittenAt.IsZero() || r.Item.Author.ID == "" && r.Item.Author.Name == "" && r.Item.Author.Handle == "" {
		t.Fatalf("received without an id, a time or an author: %+v", r)
	}
	return r
}

// wholeText reports whether got is a text, perhaps behind the name of the addressee, which platforms put
// before it.
func wholeText(got, text string) bool {
	return got == text || len(got) > len(text) && got[0] == '@' && got[len(got)-len(text)-1:] == " "+text
}

// reply claims an answer to something received.
func (s *stage) reply(text string, to schema.Received) schema.Delivery {
	d := s.delivery("")
	d.Settings, d.Media = nil, nil
	d.Comment = &schema.Comment{ID: schema.NewID[schema.CommentID](s.clock.now()), Text: text, ReplyTo: &schema.ReplyTo{
		Item: schema.ItemIDOf(s.account.ID, to.Item.NativeID), Kind: to.Item.Kind, NativeID: to.Item.NativeID,
		ParentID: to.Item.ParentID, Post: to.Item.PostNativeID, State: to.State,
	}}
	d.DescribeReply(s.fixture.Constraints)
	d.Key = uuid.NewString()
	return d
}

func (s *stage) replier(t *testing.T) connectors.Replier {
	t.Helper()
	replier, ok := s.connector.(connectors.Replier)
	if !ok {
		t.Fatal("the connector does not reply")
	}
	return replier
}

// maxTries is how often a reply is called for whose platform asks for time.
const maxTries = 10

// answer replies, moving the clock on where the platform asks for time.
func (s *stage) answer(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	for range maxTries {
		receipt, err := s.replier(t).Reply(t.Context(), d)
		if err == nil {
			if receipt.NativeID == "" || receipt.Entry != 0 {
				t.Fatalf("receipt %+v", receipt)
			}
			return receipt
		}
		if e := wantKind(t, err, schema.Retryable); e.RetryAfter <= 0 {
			t.Fatalf("Reply: %v", err)
		}
		s.clock.advance(10 * time.Second)
	}
	t.Fatal("Reply was never ready")
	return schema.Receipt{}
}

func (s *stage) wantFindReply(t *testing.T, d schema.Delivery, want schema.Verdict) schema.Receipt {
	t.Helper()
	receipt, verdict, err := s.replier(t).FindReply(t.Context(), d)
	if verdict != want || err != nil || (receipt.NativeID != "") != (want == schema.Found) {
		t.Fatalf("FindReply = %+v, %s, %v; want %s", receipt, verdictName(verdict), err, verdictName(want))
	}
	return receipt
}

func commentsAreRead(t *testing.T, s *stage) {
	post, stored := s.answerable(t)
	if got := s.comments(t, post); len(got) != 0 {
		t.Fatalf("nobody has commented: %+v", got)
	}
	s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "first & best"})
	s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "second"})
	got := s.comments(t, post)
	if first := onlyItem(t, got, "first & best"); first.Item.Kind != schema.InboxComment || first.Post != post.Post || first.Item.PostNativeID != post.NativeID {
		t.Errorf("received %+v", first)
	}
	s.answer(t, s.reply("our own", onlyItem(t, got, "second")))
	if again := s.comments(t, post); len(again) != 2 {
		t.Errorf("received %+v, want what two people wrote", again)
	}
}

func nestedAreRead(t *testing.T, s *stage) {
	post, stored := s.answerable(t)
	first := s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "first"})
	s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Answers: first.ID, Text: "below it"})
	got := s.comments(t, post)
	if below := onlyItem(t, got, "below it"); below.Item.ParentID != onlyItem(t, got, "first").Item.NativeID {
		t.Errorf("received %+v, want it below the first", below)
	}
	s.answer(t, s.reply("to what is below", onlyItem(t, got, "below it")))
}

func unsaidIsNotRead(t *testing.T, s *stage) {
	post, stored := s.answerable(t)
	remark := s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "oops"})
	s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "stays"})
	onlyItem(t, s.comments(t, post), "oops")
	s.world.Unsay(stored.Account, remark.ID)
	if got := s.comments(t, post); len(got) != 1 {
		t.Errorf("received %+v", got)
	}
}

// remark publishes an entry and has somebody comment on it.
func (s *stage) remark(t *testing.T, text string) (simulation.Remark, schema.Received) {
	t.Helper()
	post, stored := s.answerable(t)
	remark := s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: text})
	return remark, onlyItem(t, s.comments(t, post), text)
}

func commentIsAnswered(t *testing.T, s *stage) {
	remark, to := s.remark(t, "Where can I get this?")
	receipt := s.answer(t, s.reply("At the shop & online.", to))
	post := s.posts(t, 2)[1]
	if !isOf(receipt, post) || post.Text != "At the shop & online." || !isAnswer(post, remark, to) {
		t.Errorf("made %+v, receipt %+v, the answer to %s", post, receipt, remark.ID)
	}
}

// isAnswer reports whether a post answers what was said.
func isAnswer(post simulation.Post, remark simulation.Remark, to schema.Received) bool {
	return slices.Contains([]string{remark.ID, to.Item.NativeID}, post.ReplyTo) || isReply(post, simulation.Post{ID: remark.ID})
}

func lostReplyIsFound(t *testing.T, s *stage) {
	remark, to := s.remark(t, "hello?")
	d := s.loseReply(t, s.reply("Hello & <welcome>!", to))
	s.restart()
	receipt := s.wantFindReply(t, d, schema.Found)
	post := s.posts(t, 2)[1]
	if !isOf(receipt, post) || !isAnswer(post, remark, to) {
		t.Errorf("found %s, the reply is %+v", receipt.NativeID, post)
	}
	if again := s.wantFindReply(t, d, schema.Found); again.NativeID != receipt.NativeID {
		t.Errorf("found %s, then %s", receipt.NativeID, again.NativeID)
	}
}

func (s *stage) loseReply(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Reply, Lose: true})
	for range maxTries {
		_, err := s.replier(t).Reply(t.Context(), d)
		if schema.KindOf(err) == schema.Unknown {
			d.Step = schema.StepFind
			return d
		}
		wantKind(t, err, schema.Retryable)
		s.clock.advance(10 * time.Second)
	}
	t.Fatal("no answer was lost")
	return d
}

func refusedReplyIsNotThere(t *testing.T, s *stage) {
	_, to := s.remark(t, "hello?")
	d := s.reply("hello", to)
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Reply, Refuse: true})
	for range maxTries {
		_, err := s.replier(t).Reply(t.Context(), d)
		if schema.KindOf(err) == schema.Unknown {
			break
		}
		wantKind(t, err, schema.Retryable)
		s.clock.advance(10 * time.Second)
	}
	for range 2 {
		s.wantFindReply(t, d, schema.NotThere)
		s.clock.advance(schema.SettleTime)
	}
	s.answer(t, d)
	s.posts(t, 2)
}

func otherReplyIsNotTaken(t *testing.T, s *stage) {
	post, stored := s.answerable(t)
	for _, text := range []string{"first", "second"} {
		s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: text})
	}
	got := s.comments(t, post)
	d := s.reply("thank you", onlyItem(t, got, "second"))
	other := s.answer(t, s.reply("thank you", onlyItem(t, got, "first")))
	d.Known = []string{other.NativeID}
	s.wantFindReply(t, d, schema.NotThere)
	s.clock.advance(s.fixture.Repeats)
	s.answer(t, d)
	s.posts(t, 3)
}

func replyToUnsaid(t *testing.T, s *stage) {
	remark, to := s.remark(t, "oops")
	s.world.Unsay(remark.Account, remark.ID)
	for range maxTries {
		_, err := s.replier(t).Reply(t.Context(), s.reply("what?", to))
		if schema.KindOf(err) == schema.Retryable {
			s.clock.advance(10 * time.Second)
			continue
		}
		wantKind(t, err, schema.Refused)
		break
	}
	s.posts(t, 1)
}

func mentionsAreAnswered(t *testing.T, s *stage) {
	_, stored := s.answerable(t)
	const many = 120 // more than a page of any platform
	for range many {
		s.world.Say(simulation.Remark{Account: stored.Account, Text: "again"})
		s.clock.advance(time.Second)
	}
	remark := s.world.Say(simulation.Remark{Account: stored.Account, Text: "do you know these?"})
	s.clock.advance(time.Second)
	s.world.Say(simulation.Remark{Account: stored.Account, Under: stored.ID, Text: "a comment"})
	got := s.mentions(t)
	if len(got) != many+1 {
		t.Fatalf("%d mentions, want %d", len(got), many+1)
	}
	to := onlyItem(t, got, remark.Text)
	if to.Item.Kind != schema.InboxMention {
		t.Errorf("received %+v", to)
	}
	receipt := s.answer(t, s.reply("they are ours", to))
	if post := s.posts(t, 2)[1]; !isOf(receipt, post) || !isAnswer(post, remark, to) {
		t.Errorf("made %+v, receipt %+v", post, receipt)
	}
}
