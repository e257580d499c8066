package connectortest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"crier/schema"
)

// publishing is what a connector does when nothing goes wrong.
func publishing() []clause {
	return []clause{
		{"verification names the account", nil, verification},
		{"a text is published", nil, textIsPublished},
		{"a text arrives as it was written", nil, textArrivesUnchanged},
		{"a text at the limit is published", nil, textAtTheLimit},
		{"two entries with the same text are two posts", nil, sameTextTwice},
		{"an entry of a thread hangs on the one before", threads, entryHangsOnParent},
		{"a thread goes on after a restart", threads, threadAfterRestart},
		{"a first comment stands under its entry", comments, commentUnderEntry},
		{"a repeated key is one post", dedupes, repeatedKey},
		{"an image is published", takesPNG, imageIsPublished},
		{"a photo is published", takesImage, photoIsPublished},
		{"as many images as are taken are published in order", takesSeveral, severalImages},
		{"a video is published", takesVideo, videoIsPublished},
		{"what was prepared is published after a restart", both(uploads, takesImage), preparedSurvivesRestart},
		{"accounts at the same time do not mix", nil, accountsAtOnce},
	}
}

func verification(t *testing.T, s *stage) {
	if s.account.NativeID == "" || s.account.Name == "" {
		t.Errorf("account %+v has no id or no name", s.account)
	}
	if other := s.connect(t, 1); other.NativeID == s.account.NativeID {
		t.Errorf("two credentials are both of %s", other.NativeID)
	}
}

func textIsPublished(t *testing.T, s *stage) {
	receipt := s.publish(t, s.delivery("hello"))
	post := s.posts(t, 1)[0]
	if post.Text != "hello" || !isOf(receipt, post) {
		t.Errorf("receipt %+v of post %+v", receipt, post)
	}
	wantAddress(t, receipt)
}

// wantAddress checks the address of a receipt, which platforms need not give.
func wantAddress(t *testing.T, r schema.Receipt) {
	t.Helper()
	if r.URL == "" {
		return
	}
	address, err := url.Parse(r.URL)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Host == "" {
		t.Errorf("receipt's address %q cannot be opened", r.URL)
	}
}

func textArrivesUnchanged(t *testing.T, s *stage) {
	text := s.taken("Tom & Jerry <b>say</b> \"hi\"\n\nto *all* of_them: https://example.com/a?b=c&d=e #tag 100% ünï 👩‍👩‍👧 日本")
	s.publish(t, s.delivery(text))
	if got := s.posts(t, 1)[0].Text; got != text {
		t.Errorf("arrived as %q, was %q", got, text)
	}
}

func textAtTheLimit(t *testing.T, s *stage) {
	for _, sign := range []string{"a", "é", "日", "👍🏽"} {
		text := atLimit(s.fixture.Constraints.Text, sign)
		receipt := s.publish(t, s.delivery(text))
		posts := s.world.Posts()
		if last := posts[len(posts)-1]; last.Text != text || !isOf(receipt, last) {
			t.Errorf("%d × %q arrived as %d bytes, were %d", strings.Count(text, sign), sign, len(last.Text), len(text))
		}
		s.restart() // the next may not find the limiter's bucket empty
	}
}

// atLimit returns the longest text of one sign that a limit lets through.
func atLimit(limit schema.TextLimit, sign string) string {
	times := limit.Max / max(limit.Count(sign), 1)
	for times > 1 && limit.Count(strings.Repeat(sign, times)) > limit.Max {
		times--
	}
	return strings.Repeat(sign, times)
}

func sameTextTwice(t *testing.T, s *stage) {
	first := s.publish(t, s.delivery("again"))
	s.clock.advance(s.fixture.Repeats)
	second := s.publish(t, s.delivery("again"))
	if first.NativeID == second.NativeID {
		t.Errorf("both are %s", first.NativeID)
	}
	s.posts(t, 2)
}

func entryHangsOnParent(t *testing.T, s *stage) {
	var receipts []schema.Receipt
	for _, text := range []string{"one", "two", "three"} {
		receipts = append(receipts, s.publish(t, s.next(text, receipts...)))
		s.clock.advance(s.fixture.Constraints.Thread.Pause)
	}
	posts := s.posts(t, 3)
	if posts[0].ReplyTo != "" || !isReply(posts[1], posts[0]) || !isReply(posts[2], posts[1]) {
		t.Errorf("posts %s; %s on %q; %s on %q", posts[0].ID, posts[1].ID, posts[1].ReplyTo, posts[2].ID, posts[2].ReplyTo)
	}
}

func threadAfterRestart(t *testing.T, s *stage) {
	first := s.publish(t, s.next("one"))
	s.restart()
	s.publish(t, s.next("two", first))
	if posts := s.posts(t, 2); !isReply(posts[1], posts[0]) {
		t.Errorf("the second hangs on %q, the first is %s", posts[1].ReplyTo, posts[0].ID)
	}
}

func commentUnderEntry(t *testing.T, s *stage) {
	entry := s.publish(t, s.delivery("the entry"))
	receipt, err := s.connector.Comment(t.Context(), s.comment("the comment", entry))
	if err != nil {
		t.Fatalf("Comment: %v", err)
	}
	posts := s.posts(t, 2)
	if posts[1].Text != "the comment" || !isReply(posts[1], posts[0]) || !isOf(receipt, posts[1]) {
		t.Errorf("receipt %+v of comment %+v under %s", receipt, posts[1], posts[0].ID)
	}
}

func repeatedKey(t *testing.T, s *stage) {
	d := s.delivery("once")
	first := s.publish(t, d)
	s.restart()
	if second := s.publish(t, d); second.NativeID != first.NativeID {
		t.Errorf("the repetition is %s, the first %s", second.NativeID, first.NativeID)
	}
	s.posts(t, 1)
}

func imageIsPublished(t *testing.T, s *stage) {
	mediaIsPublished(t, s, s.files.png(), s.files.shape.png())
}
func photoIsPublished(t *testing.T, s *stage) {
	mediaIsPublished(t, s, s.files.jpeg(), s.files.shape.jpeg())
}
func videoIsPublished(t *testing.T, s *stage) {
	mediaIsPublished(t, s, s.files.film(), s.files.shape.film())
}

// mediaIsPublished publishes an item, of which the platform has every byte, in one part or many.
func mediaIsPublished(t *testing.T, s *stage, item schema.Media, content []byte) {
	t.Helper()
	mediaType := http.DetectContentType(content)
	receipt := s.publish(t, s.delivery("look", item))
	post := s.posts(t, 1)[0]
	if !isOf(receipt, post) || post.Text != "look" || len(post.Media) != 1 {
		t.Fatalf("receipt %+v of post %+v", receipt, post)
	}
	if got := post.Media[0]; got.Type != mediaType || got.Size == 0 {
		t.Errorf("the platform has media %+v, want %s", got, mediaType)
	}
	file, err := s.world.Content(post.Media[0].Content)
	if err != nil {
		t.Fatalf("the platform keeps nothing of it: %v", err)
	}
	defer file.Close()
	if stored, err := io.ReadAll(file); err != nil || !bytes.Equal(stored, content) {
		t.Errorf("the platform has other bytes: %d of %d, %v", len(stored), len(content), err)
	}
}

func severalImages(t *testing.T, s *stage) {
	items := []schema.Media{s.files.jpeg()}
	want := []string{jpeg}
	for len(items) < s.fixture.Constraints.Media.Max {
		items = append(items, s.image())
		want = append(want, s.imageType())
	}
	s.publish(t, s.delivery("look", items...))
	var types []string
	for _, p := range s.world.Posts() { // some platforms make a post of each item
		for _, m := range p.Media {
			types = append(types, m.Type)
		}
	}
	if !slices.Equal(types, want) {
		t.Errorf("the platform has %v, want %v", types, want)
	}
}

func preparedSurvivesRestart(t *testing.T, s *stage) {
	d := s.ready(t, "look", s.image())
	s.restart()
	if _, err := s.connector.Publish(t.Context(), d); err != nil {
		t.Fatalf("Publish: %v", err)
	}
	if post := s.posts(t, 1)[0]; len(post.Media) != 1 {
		t.Errorf("the post has %d media items, want 1", len(post.Media))
	}
	if got := s.world.Calls(s.fixture.Operations.Upload); got != 1 {
		t.Errorf("%d uploads, want 1", got)
	}
}

func accountsAtOnce(t *testing.T, s *stage) {
	const accounts, each = 8, 3
	var group sync.WaitGroup
	for n := range accounts {
		account := s.connect(t, n)
		group.Go(func() {
			for i := range each {
				d := s.delivery(fmt.Sprintf("%s says %d", account.NativeID, i))
				d.Account, d.Credentials = account, s.fixture.Credentials(n)
				if _, err := s.try(t, d); err != nil {
					t.Errorf("Publish: %v", err)
				}
			}
		})
	}
	group.Wait()
	owners := map[string]string{} // by the account's id as crier knows it, which the text begins with
	for _, p := range s.posts(t, accounts*each) {
		id, _, _ := strings.Cut(p.Text, " ")
		if owner, ok := owners[id]; ok && owner != p.Account {
			t.Errorf("posts of %s are with %s and %s", id, owner, p.Account)
		}
		owners[id] = p.Account
	}
	if len(owners) != accounts {
		t.Errorf("posts of %d accounts, want %d", len(owners), accounts)
	}
}
