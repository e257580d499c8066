package bluesky

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bluesky-social/indigo/atproto/syntax"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestRecordOfAPost(t *testing.T) {
	s := newStage(t)
	d := s.delivery("Hi @bob.example.com and @ghost.invalid: https://example.com/é #news")
	d.Settings = []byte(`{"langs": ["en", "de_AT"]}`)
	receipt := s.publish(t, d)

	uri, err := syntax.ParseATURI(receipt.NativeID)
	if err != nil {
		t.Fatalf("native id: %v", err)
	}
	if _, err := syntax.ParseTID(uri.RecordKey().String()); err != nil {
		t.Errorf("record key: %v", err)
	}
	if want := "https://bsky.app/profile/" + uri.Authority().String() + "/post/" + uri.RecordKey().String(); receipt.URL != want {
		t.Errorf("URL = %s, want %s", receipt.URL, want)
	}
	post := record(t, s.wantPosts(t, 1)[0])
	created, err := syntax.ParseDatetime(post.CreatedAt)
	if err != nil || !created.Time().Equal(d.Since.Truncate(time.Millisecond)) {
		t.Errorf("createdAt = %q (%v), want the millisecond of %v", post.CreatedAt, err, d.Since)
	}
	if strings.Join(post.Langs, " ") != "en de-AT" {
		t.Errorf("langs = %q", post.Langs)
	}
	var got []string
	for _, f := range post.Facets {
		got = append(got, covered(post.Text, f))
	}
	want := []string{
		"@bob.example.com=" + s.didOf(t, "bob.example.com"),
		"https://example.com/é=https://example.com/%C3%A9", "#news=news",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("facets = %q, want %q", got, want)
	}
}

func TestRepeatedCallMakesNoSecondRecord(t *testing.T) {
	s := newStage(t)
	d := s.delivery("once")
	first := s.publish(t, d)
	s.connector = s.newConnector(t)
	if again := s.publish(t, d); again.NativeID != first.NativeID || again.State != first.State {
		t.Errorf("the repetition is %+v, the first %+v", again, first)
	}
	d.Text = "another text under the same key"
	_, err := s.connector.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Duplicate)
	found, verdict, err := s.connector.Find(t.Context(), d)
	if err != nil || verdict != schema.Found || found.NativeID != first.NativeID || found.State != first.State {
		t.Errorf("Find = %+v, %v, %v; want %+v", found, verdict, err, first)
	}
	s.wantPosts(t, 1)
}

func TestDeadCredentialsDoNotHideARecord(t *testing.T) {
	s := newStage(t)
	d := s.delivery("there")
	s.publish(t, d)
	s.connector = s.newConnector(t)
	d.Account.NativeID = s.didOf(t, password.Identifier)
	s.inject(t, simulation.Fault{Operation: createSession, Status: http.StatusUnauthorized})
	if receipt, verdict, err := s.connector.Find(t.Context(), d); err != nil || verdict != schema.Found || receipt.NativeID == "" {
		t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
	}
	d.Key = "another"
	_, verdict, err := s.connector.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.TokenDead); verdict != schema.CannotTell {
		t.Errorf("a server that may not be the account's own says %v", verdict)
	}
}

func TestRepliesNameRootAndParent(t *testing.T) {
	s := newStage(t)
	var receipts []schema.Receipt
	for i, text := range []string{"one", "two", "three"} {
		d := s.delivery(text)
		d.Entry, d.Entries, d.Receipts = i, 3, receipts
		receipts = append(receipts, s.publish(t, d))
	}
	d := s.delivery("")
	d.Receipts, d.Comment = receipts, &schema.Comment{Entry: 1, Text: "on the second"}
	receipt, err := s.connector.Comment(t.Context(), d)
	if err != nil || receipt.Entry != 1 {
		t.Fatalf("Comment = %+v, %v", receipt, err)
	}
	posts := s.wantPosts(t, 4)
	for i, parent := range map[int]int{1: 0, 2: 1, 3: 1} {
		hung := record(t, posts[i]).Reply
		want := reply{
			Root:   refOfPost(t, posts[0]),
			Parent: refOfPost(t, posts[parent]),
		}
		if hung == nil || *hung != want {
			t.Errorf("post %d hangs on %+v, want %+v", i, hung, want)
		}
	}
}

func TestCommentOnAHoleIsRefused(t *testing.T) {
	s := newStage(t)
	d := s.delivery("")
	d.Comment = &schema.Comment{Entry: 2, Text: "on nothing"}
	_, err := s.connector.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	s.wantPosts(t, 0)
}

func picked(names ...string) []schema.Media {
	var items []schema.Media
	for _, name := range names {
		items = append(items, schema.Media{Kind: schema.Image, URL: name, AltText: "alt of " + name})
	}
	return items
}

func TestUploadedImagesAreKeptAfterAFailure(t *testing.T) {
	s := newStage(t)
	d := s.delivery("look", picked("one.png", "large.png")...)
	progress, err := s.connector.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	d.Progress, d.Media = progress.State, picked("one.png", "other.png")
	progress, err = s.connector.Prepare(t.Context(), d)
	if err != nil || !progress.Ready {
		t.Fatalf("Prepare = %+v, %v", progress, err)
	}
	s.wantCalls(t, uploadBlob, 2)
	d.Progress = progress.State
	s.publish(t, d)
	embed := record(t, s.wantPosts(t, 1)[0]).Embed
	if embed.Type != imagesEmbed || len(embed.Images) != 2 {
		t.Fatalf("embed = %+v", embed)
	}
	if second := embed.Images[1]; second.Alt != "alt of other.png" || *second.Aspect != (aspectRatio{Width: 3, Height: 4}) {
		t.Errorf("second image = %+v, %+v", second, second.Aspect)
	}
}

func TestImagesTheServerDroppedAreUploadedAgain(t *testing.T) {
	s := newStage(t)
	d := s.delivery("look", picked("one.png")...)
	progress, err := s.connector.Prepare(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.Progress = progress.State
	s.inject(t, simulation.Fault{Operation: putRecord, Status: http.StatusBadRequest,
		Body: `{"error": "BlobNotFound", "message": "Could not find blob"}`})
	s.publish(t, d)
	s.wantCalls(t, uploadBlob, 2)
	s.wantPosts(t, 1)
}

func TestUnpreparedMediaIsAFault(t *testing.T) {
	s := newStage(t)
	_, err := s.connector.Publish(t.Context(), s.delivery("look", picked("one.png")...))
	if _, ok := errors.AsType[*schema.Error](err); err == nil || ok {
		t.Errorf("err = %v, want a fault", err)
	}
}

func TestMentionsThatCannotBeLookedUpHoldThePost(t *testing.T) {
	s := newStage(t)
	s.inject(t, simulation.Fault{Operation: resolveHandle, Status: http.StatusBadGateway})
	d := s.delivery("hi @bob.example.com")
	_, err := s.connector.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	s.wantCalls(t, putRecord, 0)
	s.publish(t, d)
}

func TestServersOfAnAccount(t *testing.T) {
	simulator := connectors.Parts{Base: "http://127.0.0.1:8090/bluesky/"}
	own := schema.Account{Server: "https://pds.example.com"}
	for name, tt := range map[string]struct {
		parts         connectors.Parts
		account       schema.Account
		server, video string
	}{
		"Bluesky's own":       {connectors.Parts{}, schema.Account{}, DefaultBase, DefaultVideo},
		"a server of its own": {connectors.Parts{}, own, "https://pds.example.com", DefaultVideo},
		"a sandbox's":         {simulator, schema.Account{Sandbox: true, Server: "https://pds.example.com"}, "http://127.0.0.1:8090/bluesky", "http://127.0.0.1:8090/bluesky"},
		"another base":        {connectors.Parts{Base: "http://staging/"}, schema.Account{}, "http://staging", "http://staging"},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(tt.parts)
			if got := c.sessions.server(tt.account); got != tt.server {
				t.Errorf("server = %s, want %s", got, tt.server)
			}
			if got := c.video; got != tt.video {
				t.Errorf("video service = %s, want %s", got, tt.video)
			}
		})
	}
}

func TestFollowersAreThoseOfWhoLogsIn(t *testing.T) {
	s := newStage(t)
	d := s.delivery("")
	d.Account.NativeID = "sandbox" // no person's id, as a twin's account has it
	got, err := s.connector.Followers(t.Context(), connectors.Reading{Account: d.Account, Credentials: d.Credentials})
	if err != nil || got.Followers == nil {
		t.Errorf("Followers = %+v, %v", got, err)
	}
}
