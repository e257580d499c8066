package client_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// newClient calls a server and begins to repeat at once.
func newClient(server *clienttest.Server, options ...client.Option) *client.Client {
	return client.New(server.Key, append([]client.Option{
		client.WithServer(server.URL), client.WithRetry(client.Retry{Tries: 4, For: time.Minute, Wait: time.Millisecond}),
	}, options...)...)
}

func TestClient(t *testing.T) {
	server := clienttest.Serve(t)
	c := newClient(server)
	t.Run("a post is made, read, changed and cancelled", func(t *testing.T) { testPost(t, c) })
	t.Run("a creation whose answers are lost is made once", func(t *testing.T) { testLostAnswers(t, server, c) })
	t.Run("a change sends false and empty values", func(t *testing.T) { testEmptyValues(t, c) })
	t.Run("an error says all that is wrong", func(t *testing.T) { testError(t, server, c) })
	t.Run("a list is read page by page", func(t *testing.T) { testPages(t, server, c) })
	t.Run("what may not be repeated is not", func(t *testing.T) { testUnsafe(t, server, c) })
	t.Run("what no header can carry is not tried again", func(t *testing.T) { testUnsendable(t, server) })
	t.Run("a server that asks for time gets it", func(t *testing.T) { testRetryAfter(t, server) })
	t.Run("a file goes up in parts", func(t *testing.T) { testUpload(t, server, c) })
	t.Run("webhooks are verified and read", func(t *testing.T) { testWebhooks(t, c) })
	t.Run("a thread, a queue, a brand, a key", func(t *testing.T) { testOthers(t, c) })
}

func draft(text string) client.Post {
	return client.Post{Content: text, Platforms: client.To(client.Mastodon), Status: client.PostDraft}
}

func testPost(t *testing.T, c *client.Client) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().AddDate(0, 0, 3).In(berlin).Truncate(time.Second)
	created, err := c.Posts.Create(t.Context(), client.Post{
		Content: "Good morning", Platforms: client.To(client.Mastodon, client.Bluesky), ScheduledFor: at, FirstComment: "First!",
		PlatformSettings: client.PlatformSettings{Mastodon: client.MastodonSettings{Visibility: "unlisted", Sensitive: new(false)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	read, err := c.Posts.Get(t.Context(), created.ID)
	if err != nil {
		t.Fatal(err)
	}
	if read.Status != client.PostScheduled || !read.ScheduledFor.Equal(at) || read.Timezone != "Europe/Berlin" || len(read.Platforms) != 2 ||
		read.Platforms[0].AccountID == "" || read.PlatformSettings.Mastodon.Visibility != "unlisted" || len(read.FirstComments) != 1 {
		t.Errorf("the post is %+v", read)
	}
	again, err := c.Posts.Create(t.Context(), *read) // what was read can be asked for
	if err != nil || again.ID == read.ID || len(again.Warnings) > 0 {
		t.Errorf("made again: %+v, %v", again, err)
	}
	if err := c.Posts.Cancel(t.Context(), created.ID); err != nil {
		t.Error(err)
	}
	if read, err := c.Posts.Get(t.Context(), created.ID); err != nil || read.Status != client.PostCancelled {
		t.Errorf("cancelled: %+v, %v", read, err)
	}
	if found, err := c.Posts.Validate(t.Context(), draft(strings.Repeat("x", 501))); err != nil || found.IsValid || found.Platforms["mastodon"].RemainingCharacters != -1 {
		t.Errorf("Validate = %+v, %v", found, err)
	}
}

func count(t *testing.T, c *client.Client, filter client.PostFilter) (n int) {
	t.Helper()
	for _, err := range c.Posts.List(t.Context(), filter) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func testLostAnswers(t *testing.T, server *clienttest.Server, c *client.Client) {
	post := draft("Once")
	post.ExternalID = "lost"
	server.LoseAnswers(2)
	created, err := c.Posts.Create(t.Context(), post)
	if err != nil {
		t.Fatal(err)
	}
	server.LoseAnswers(1)
	bulk, err := c.Posts.CreateBulk(t.Context(), client.Bulk{Posts: []client.Post{post, draft(strings.Repeat("x", 501))}})
	if err != nil || bulk.Summary.Succeeded != 1 || bulk.Results[1].Error == nil || bulk.Results[0].Post.ID == created.ID {
		t.Fatalf("CreateBulk = %+v, %v", bulk, err)
	}
	if n := count(t, c, client.PostFilter{ExternalID: "lost"}); n != 2 {
		t.Errorf("%d posts were made, want 2", n)
	}
}

func testEmptyValues(t *testing.T, c *client.Client) {
	post := draft("Full")
	post.MediaItems = []client.MediaItem{{Type: client.Image, URL: "http://127.0.0.1/a.png"}}
	post.Metadata = map[string]string{"a": "b"}
	post.FirstComment, post.ExternalID = "First!", "full"
	created, err := c.Posts.Create(t.Context(), post)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := c.Posts.Update(t.Context(), created.ID, client.PostUpdate{Content: new("Kept")})
	if err != nil || changed.Content != "Kept" || len(changed.MediaItems) != 1 || len(changed.FirstComments) != 1 || changed.ExternalID != "full" {
		t.Fatalf("what was left out is gone: %+v, %v", changed, err)
	}
	changed, err = c.Posts.Update(t.Context(), created.ID, client.PostUpdate{
		MediaItems: []client.MediaItem{}, FirstComments: []client.FirstComment{}, Metadata: map[string]string{}, ExternalID: new(""),
	})
	if err != nil || changed.Content != "Kept" || len(changed.MediaItems)+len(changed.FirstComments)+len(changed.Metadata) > 0 || changed.ExternalID != "" {
		t.Errorf("what was emptied is there: %+v, %v", changed, err)
	}
	queue, err := c.Queues.Create(t.Context(), client.Queue{Name: "Mornings", Slots: []client.WeekSlot{{Day: "monday", Time: "09:00"}}, IsDefault: true})
	if err != nil || !queue.IsDefault {
		t.Fatalf("the queue is %+v, %v", queue, err)
	}
	if queue, err = c.Queues.Update(t.Context(), queue.ID, client.QueueUpdate{IsDefault: new(false)}); err != nil || queue.IsDefault || queue.Name != "Mornings" {
		t.Errorf("changed to false: %+v, %v", queue, err)
	}
}

func testError(t *testing.T, server *clienttest.Server, c *client.Client) {
	_, err := c.Posts.Create(t.Context(), client.Post{Content: "?", Platforms: client.To("myspace", client.LinkedIn), PublishNow: true})
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Status != http.StatusBadRequest || e.Code != client.CodeValidationError || len(e.Details) < 2 ||
		e.Details[0].Field == "" || e.RequestID == "" || !strings.HasPrefix(e.Documentation, server.URL) || e.RetryAfter != 0 {
		t.Errorf("Create = %#v", err)
	}
	if _, err = c.Posts.Get(t.Context(), "post_00000000000000000000000000"); err == nil || !strings.Contains(err.Error(), "not_found (404)") {
		t.Errorf("Get = %v", err)
	}
	for _, address := range []string{"localhost:8080", "127.0.0.1:8080", "http://127.0.0.1:8080/api/v1/"} {
		if _, err := client.New("k", client.WithServer(address)).Posts.Get(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "write it like") {
			t.Errorf("of an address that is none: %v", err)
		}
	}
}

func testPages(t *testing.T, server *clienttest.Server, c *client.Client) {
	var bulk client.Bulk
	for i := range 5 {
		post := draft(fmt.Sprint("Number ", i))
		post.Metadata = map[string]string{"list": "pages"}
		bulk.Posts = append(bulk.Posts, post)
	}
	if _, err := c.Posts.CreateBulk(t.Context(), bulk); err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	before := func(http.ResponseWriter, *http.Request) bool { requests.Add(1); return false }
	server.Before.Store(&before)
	defer server.Before.Store(nil)
	three := client.PostFilter{Metadata: map[string]string{"list": "pages"}, PageSize: 2}
	seen, read := map[string]bool{}, 0
	for post, err := range c.Posts.List(t.Context(), three) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[post.ID], read = true, read+1; read == 1 { // one more, which shifts nothing
			if _, err := c.Posts.Create(t.Context(), bulk.Posts[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 5 || read != 5 || requests.Load() != 4 { // one of which has made a post
		t.Errorf("%d posts, %d read, by %d requests, want 5 by 4", len(seen), read, requests.Load())
	}
	requests.Store(0)
	for range c.Posts.List(t.Context(), three) {
		break
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests for the first post", requests.Load())
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for post, err := range c.Posts.List(ended, three) {
		if post != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v, %v", post, err)
		}
	}
}

func testUnsafe(t *testing.T, server *clienttest.Server, c *client.Client) {
	created, err := c.Posts.Create(t.Context(), draft("No retry"))
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	before := func(http.ResponseWriter, *http.Request) bool { requests.Add(1); return false }
	server.Before.Store(&before)
	defer server.Before.Store(nil)
	server.LoseAnswers(1)
	if _, err := c.Brands.Create(t.Context(), "Twice"); err == nil || requests.Load() != 1 {
		t.Errorf("a creation without a key: %v after %d requests", err, requests.Load())
	}
	requests.Store(0)
	server.LoseAnswers(1)
	if err := c.Posts.Cancel(t.Context(), created.ID); requests.Load() != 2 {
		t.Errorf("a deletion: %v after %d requests", err, requests.Load())
	}
}

func testUnsendable(t *testing.T, server *clienttest.Server) {
	notify := func(failed error, _ time.Duration) { t.Errorf("tried again after %v", failed) }
	c := newClient(server, client.WithRetry(client.Retry{Notify: notify}))
	if _, err := c.Posts.Create(t.Context(), draft("Named"), client.WithIdempotencyKey("order-17\n")); err == nil {
		t.Error("a name with a line break was sent")
	}
}

func testRetryAfter(t *testing.T, server *clienttest.Server) {
	answers := []struct {
		status int
		code   string
	}{{http.StatusServiceUnavailable, "unavailable"}, {http.StatusTooManyRequests, "rate_limit_exceeded"}, {}, {http.StatusTooManyRequests, "daily_limit_reached"}}
	var keys []string
	before := func(w http.ResponseWriter, r *http.Request) bool {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) > len(answers) || answers[len(keys)-1].status == 0 {
			return false
		}
		response := answers[len(keys)-1]
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(response.status)
		fmt.Fprintf(w, `{"success": false, "error": {"code": %q, "message": "later"}}`, response.code)
		return true
	}
	server.Before.Store(&before)
	defer server.Before.Store(nil)
	clock := time.Now()
	var waits []time.Duration
	c := newClient(server, client.WithClock(func() time.Time { return clock }, func(_ context.Context, d time.Duration) error {
		if d > 0 {
			waits = append(waits, d)
			clock = clock.Add(d)
		}
		return nil
	}))
	if _, err := c.Posts.Create(t.Context(), draft("Later")); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] || fmt.Sprint(waits) != "[7s 7s]" {
		t.Errorf("sent under the keys %q with waits of %v", keys, waits)
	}
	_, err := c.Posts.Create(t.Context(), draft("Tomorrow"))
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != client.CodeDailyLimitReached || e.RetryAfter != 7*time.Second || len(keys) != 4 || keys[3] == keys[2] {
		t.Errorf("a limit of the day: %v after %d requests", err, len(keys))
	}
	keys = nil
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := c.Posts.Create(short, draft("No time")); err == nil || len(keys) != 1 {
		t.Errorf("with no time for the wait: %v after %d requests", err, len(keys))
	}
}

// film is an MP4 without a track, of so many bytes.
func film(size int) []byte {
	box := func(size int, kind string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(size)), kind...)
	}
	head := append(append(box(20, "ftyp"), "isom\x00\x00\x02\x00mp42"...), box(8, "moov")...)
	head = append(head, box(size-len(head), "mdat")...)
	return append(head, make([]byte, size-len(head))...)
}

func testUpload(t *testing.T, server *clienttest.Server, c *client.Client) {
	content := film(2*clienttest.PartBytes + 1000)
	var puts atomic.Int64
	before := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && puts.Add(1) == 2 {
			panic(http.ErrAbortHandler) // a connection that is cut
		}
		return false
	}
	server.Before.Store(&before)
	defer server.Before.Store(nil)
	var reports []int64
	media, err := c.Media.Upload(t.Context(), client.Upload{
		Name: "film.mp4", Content: bytes.NewReader(content), Size: int64(len(content)),
		Progress: func(sent, total int64) { reports = append(reports, sent, total) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if media.Type != "video" || media.Size != len(content) || media.URL == "" || puts.Load() < 3 {
		t.Errorf("the upload is %+v after %d requests", media, puts.Load())
	}
	if n := len(reports); n < 2 || reports[n-1] != int64(len(content)) || reports[n-2] != reports[n-1] {
		t.Errorf("told last: %v", reports[max(n-2, 0):])
	}
	_, err = c.Media.Upload(t.Context(), client.Upload{Name: "a.txt", Content: strings.NewReader("text"), Size: 4})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Status != http.StatusBadRequest || strings.Contains(err.Error(), "/uploads/") {
		t.Errorf("what is no media: %v", err)
	}
	listed := 0
	for upload, err := range c.Media.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if listed++; upload.ID == media.ID {
			if described, err := c.Media.Describe(t.Context(), upload.ID, "words"); err != nil || described.AltText != "words" {
				t.Errorf("described: %v, %v", described, err)
			}
			if err := c.Media.Delete(t.Context(), upload.ID); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := c.Media.Get(t.Context(), media.ID); err == nil || listed == 0 {
		t.Errorf("deleted: %v of %d", err, listed)
	}
}

func testOthers(t *testing.T, c *client.Client) {
	thread, err := c.Threads.Create(t.Context(), client.ThreadCreate{
		Posts: []client.ThreadEntryInput{{Content: "One"}, {Content: "Two"}}, Platforms: client.To(client.Mastodon), Status: "draft",
		Config: client.ThreadConfig{ContinueOnError: new(true)},
	})
	if err != nil || thread.EntryCount != 2 || !*thread.Config.ContinueOnError {
		t.Fatalf("the thread is %+v, %v", thread, err)
	}
	if thread, err = c.Threads.Update(t.Context(), thread.ID, client.ThreadUpdate{Config: &client.ThreadConfig{ContinueOnError: new(false)}}); err != nil || *thread.Config.ContinueOnError {
		t.Errorf("changed to false: %+v, %v", thread, err)
	}
	accounts, err := c.Accounts.List(t.Context(), client.AccountFilter{Platform: client.Mastodon})
	if err != nil || len(accounts) != 1 {
		t.Fatalf("accounts = %+v, %v", accounts, err)
	}
	brand, err := c.Brands.Create(t.Context(), "Acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{brand.ID, ""} {
		account, err := c.Accounts.Update(t.Context(), accounts[0].ID, client.AccountUpdate{BrandID: &want})
		if err != nil || account.BrandID != want {
			t.Errorf("in brand %q: %+v, %v", want, account, err)
		}
	}
	key, err := c.Keys.Create(t.Context(), client.NewKey{Name: "reader", Permission: client.Read})
	if err != nil || key.Secret == "" {
		t.Fatalf("the key is %+v, %v", key, err)
	}
	if usage, err := c.Usage.Get(t.Context()); err != nil || usage.Plan.Name != "operator" || usage.Plan.RequestsPerMinute != nil {
		t.Errorf("usage = %+v, %v", usage, err)
	}
}
