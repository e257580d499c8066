//go:build cluster

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/compose"
	"crier/schema"
)

// platformsUnderLoad are two where crier can tell whether a lost call worked.
var platformsUnderLoad = []schema.Platform{schema.Mastodon, schema.Bluesky}

// Accounts of each platform that a load uses. A platform takes a post of one account every few
// seconds, and 50 a day: with fewer of them posts would wait for their accounts.
const accountsOfALoad = 2000

// load is a client that has posts published at once, at an even rate, from both gateways in
// turn. What is not acknowledged it sends again, under its key, to the other one.
type load struct {
	*testing.T
	cluster  *cluster
	name     string // of this load, in texts and keys
	key      string
	accounts map[schema.Platform][]string
	client   http.Client

	ended   chan struct{}
	over    time.Time // when nothing was sent any more
	senders sync.WaitGroup
	turn    atomic.Int64

	mu    sync.Mutex
	sent  map[string]time.Time // when a post was first sent, by text
	made  map[string]string    // its id, by text
	slow  time.Duration        // the longest until one was acknowledged
	short int                  // posts that found no sender free in their time
}

// newLoad connects a load's accounts.
func newLoad(t *testing.T, c *cluster, name string) *load {
	t.Helper()
	key, err := c.key(t.Context(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	l := &load{
		T: t, cluster: c, name: name, key: key, accounts: map[schema.Platform][]string{},
		client: http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256}},
		ended:  make(chan struct{}), sent: map[string]time.Time{}, made: map[string]string{},
	}
	accounts, err := compose.ConnectSimulated(t.Context(), c.operator(t), name, compose.Simulated{
		Platforms: platformsUnderLoad, Accounts: accountsOfALoad,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		l.accounts[a.Platform] = append(l.accounts[a.Platform], a.ID.String())
	}
	return l
}

// begin sends posts at a rate until end.
func (l *load) begin(rate int) {
	const senders = 256 // while nobody answers each of them waits
	numbers := make(chan int, rate)
	for range senders {
		l.senders.Go(func() {
			for n := range numbers {
				l.post(n)
			}
		})
	}
	l.senders.Go(func() {
		defer close(numbers)
		began := time.Now()
		for n := 0; ; n++ {
			select {
			case <-l.ended:
				return
			case <-time.After(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(rate)))):
			}
			select {
			case numbers <- n:
			default:
				l.mu.Lock()
				l.short++
				l.mu.Unlock()
			}
		}
	})
}

// end sends nothing more, and returns once all that was sent is acknowledged.
func (l *load) end() {
	close(l.ended)
	l.senders.Wait()
	l.over = time.Now()
}

func (l *load) post(n int) {
	platform := platformsUnderLoad[n%len(platformsUnderLoad)]
	accounts := l.accounts[platform]
	text := fmt.Sprintf("%s %06d", l.name, n)
	body, err := json.Marshal(map[string]any{
		"content": text, "publishNow": true,
		"platforms": []map[string]any{{"platform": platform.String(), "accountId": accounts[n/len(platformsUnderLoad)%len(accounts)]}},
	})
	if err != nil {
		l.Error(err)
		return
	}
	began := time.Now()
	l.mu.Lock()
	l.sent[text] = began
	l.mu.Unlock()
	for time.Since(began) < 2*time.Minute {
		status, answer, err := l.request(http.MethodPost, "/posts", text, body)
		if err == nil && status == http.StatusCreated {
			l.acknowledged(text, time.Since(began), answer)
			return
		}
		if err == nil && status != http.StatusServiceUnavailable {
			l.Errorf("creating %q: %d %s", text, status, answer)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	l.Errorf("creating %q: no answer in two minutes", text)
}

func (l *load) acknowledged(text string, after time.Duration, answer []byte) {
	var created struct{ Post struct{ ID string } }
	if err := json.Unmarshal(answer, &created); err != nil || created.Post.ID == "" {
		l.Errorf("creating %q: %v: %s", text, err, answer)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made[text] = created.Post.ID
	l.slow = max(l.slow, after)
}

// request asks the next gateway.
func (l *load) request(method, path, key string, body []byte) (int, []byte, error) {
	gateway := l.cluster.gateways[int(l.turn.Add(1))%len(l.cluster.gateways)]
	request, err := http.NewRequest(method, gateway+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+l.key)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, answer, err
}

// published is when each text of this load came to the simulators, as often as it did.
func (l *load) published() map[string][]time.Time {
	l.Helper()
	all := map[string][]time.Time{}
	for _, platform := range platformsUnderLoad {
		response, err := http.Get(l.cluster.simulated + "/_control/posts?platform=" + platform.String())
		if err != nil {
			l.Fatal(err)
		}
		var answer struct {
			Posts []struct {
				Text      string    `json:"text"`
				CreatedAt time.Time `json:"createdAt"`
			} `json:"posts"`
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		response.Body.Close()
		if err != nil {
			l.Fatal(err)
		}
		for _, post := range answer.Posts {
			if _, ours := l.sent[post.Text]; ours {
				all[post.Text] = append(all[post.Text], post.CreatedAt)
			}
		}
	}
	return all
}

// settle waits until everything is published, and checks that all is there once.
func (l *load) settle(within time.Duration) map[string][]time.Time {
	l.Helper()
	var all map[string][]time.Time
	for deadline := time.Now().Add(within); ; time.Sleep(time.Second) {
		all = l.published()
		if len(all) == len(l.sent) || time.Now().After(deadline) {
			break
		}
	}
	lost, twice := 0, 0
	for text := range l.sent {
		switch n := len(all[text]); {
		case n == 0:
			lost++
			if lost <= 5 {
				l.tell(text)
			}
		case n > 1:
			twice++
		}
	}
	if lost > 0 || twice > 0 {
		l.Errorf("%d of %d posts are lost, %d are there twice", lost, len(l.sent), twice)
	}
	if failed := l.failed(); failed != 0 {
		l.Errorf("%d posts have failed", failed)
	}
	return all
}

// tell shows what crier knows of a post that is lost.
func (l *load) tell(text string) {
	l.Helper()
	l.Logf("lost: %q, sent at %s", text, l.sent[text].UTC().Format(time.StampMilli))
	for _, path := range []string{"/posts/" + l.made[text], "/posts/" + l.made[text] + "/attempts"} {
		status, said, err := l.request(http.MethodGet, path, "", nil)
		l.Logf("%s: %d %v %s", path, status, err, said)
	}
}

// failed is how many posts ended otherwise than posted.
func (l *load) failed() int {
	l.Helper()
	status, body, err := l.request(http.MethodGet, "/posts?limit=1&status=failed", "", nil)
	var answer struct {
		Pagination struct{ Total int } `json:"pagination"`
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil || status != http.StatusOK {
		l.Fatalf("listing what failed: %d %v %s", status, err, body)
	}
	return answer.Pagination.Total
}

// event is what was done to the cluster, and when.
type event struct {
	what string
	at   time.Time
	back time.Time // when what was ended was there again
}

// report tells, of the posts from each event to the next, how long they took from their first
// request to the platform, and for how long nothing at all was published. It returns the longest
// of both.
func (l *load) report(events []event, all map[string][]time.Time) (worst, gap time.Duration) {
	var moments []time.Time
	for _, times := range all {
		moments = append(moments, times...)
	}
	slices.SortFunc(moments, time.Time.Compare)
	for i, e := range events {
		to := l.over
		if i+1 < len(events) {
			to = events[i+1].at
		}
		var took []time.Duration
		for text, sent := range l.sent {
			// What was under way when it happened counts too.
			if len(all[text]) == 0 || sent.Before(e.at.Add(-time.Second)) || (i+1 < len(events) && !sent.Before(to.Add(-time.Second))) {
				continue
			}
			took = append(took, all[text][0].Sub(sent))
		}
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		longest, nothing := took[len(took)-1], longestPause(moments, e.at, to)
		worst, gap = max(worst, longest), max(gap, nothing)
		l.Logf("%-28s back after %6.2fs; %5d posts: p50 %6.3fs, p99 %6.2fs, %d beyond 5 s, longest %6.2fs; nothing published for %5.2fs",
			e.what, e.back.Sub(e.at).Seconds(), len(took), took[len(took)/2].Seconds(), took[len(took)*99/100].Seconds(),
			len(took)-slices.IndexFunc(append(took, time.Hour), func(d time.Duration) bool { return d > stallAtStops }), longest.Seconds(), nothing.Seconds())
	}
	l.Logf("%d posts, 0 lost and 0 twice unless said otherwise; longest to be acknowledged %v; %d were not sent for want of a sender", len(l.sent), l.slow.Round(time.Millisecond), l.short)
	return worst, gap
}

// longestPause is the longest between two moments that follow each other, of which a part at
// least is between from and to: whoever's posts they are.
func longestPause(moments []time.Time, from, to time.Time) (longest time.Duration) {
	for i := 1; i < len(moments); i++ {
		if moments[i].After(from) && moments[i-1].Before(to) {
			longest = max(longest, moments[i].Sub(moments[i-1]))
		}
	}
	return longest
}
