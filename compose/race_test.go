package compose_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// racedPosts are posts that are edited or cancelled at the moment they are due.
var racedPosts = bySize(800, 10_000)

// history is what was acknowledged of one post.
type history struct {
	text      string // of the last version that was acknowledged
	cancelled bool
	unsure    bool // a change was neither acknowledged nor refused
	refused   bool // a change came too late
}

func TestEditsAndCancelsRacedAgainstPublishing(t *testing.T) {
	besideOthers(t)
	const racers = 32
	w := newWorldWith(t, childConfig{Raced: true})
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: racers}
	accounts := w.connect(schema.Mastodon, racedPosts/postsPerAccount+1)
	seed := seedOfTest(t)
	histories := make([]history, racedPosts)
	var nearby aim
	numbers := make(chan int)
	var racing sync.WaitGroup
	for r := range racers {
		random := rand.New(rand.NewPCG(seed, uint64(r)))
		racing.Go(func() {
			for n := range numbers {
				histories[n] = w.race(n, accounts[n%len(accounts)], random, &nearby)
			}
		})
	}
	for n := range histories {
		numbers <- n
	}
	close(numbers)
	racing.Wait()
	w.checkHistories(histories)
}

// aim is how long after its time a post is changed: a little more whenever that was in
// time, less when it was too late. So about half are, on any machine.
type aim struct{ microseconds atomic.Int64 }

func (a *aim) after() time.Duration { return time.Duration(a.microseconds.Load()) * time.Microsecond }

func (a *aim) learn(late bool) {
	const step = 1000
	if late {
		a.microseconds.Add(-step)
		return
	}
	a.microseconds.Add(step)
}

// race creates a post that is due soon and changes it up to three times around the moment
// it is published.
func (w *world) race(n int, account schema.AccountID, random *rand.Rand, nearby *aim) history {
	h := history{text: fmt.Sprintf("race %05d version 0", n)}
	id, due := w.createSoon(account, h.text)
	time.Sleep(time.Until(due.Add(nearby.after() + time.Duration(random.NormFloat64()*10)*time.Millisecond)))
	for version := 1; version <= 1+random.IntN(3) && !h.cancelled && !h.refused && !h.unsure; version++ {
		w.change(&h, n, version, id, random.IntN(2) == 0)
		if version == 1 {
			nearby.learn(h.refused)
		}
	}
	return h
}

// createSoon creates a post that is due in a moment; on a busy machine it takes several
// tries, as one whose time has passed is refused.
func (w *world) createSoon(account schema.AccountID, text string) (id string, due time.Time) {
	for range 20 {
		due = time.Now().Add(200 * time.Millisecond)
		var answer postAnswer
		status, err := w.tryCall(http.MethodPost, "/posts", map[string]any{
			"content": text, "scheduledFor": due.Format(time.RFC3339Nano),
			"platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
		}, &answer)
		if err == nil && status == http.StatusCreated {
			return answer.Post.ID, due
		}
	}
	w.Errorf("creating %q failed again and again", text)
	return "", due
}

// change edits or cancels a post and notes what was acknowledged.
func (w *world) change(h *history, n, version int, id string, cancel bool) {
	text := fmt.Sprintf("race %05d version %d", n, version)
	method, body := http.MethodPatch, any(map[string]any{"content": text})
	if cancel {
		method, body = http.MethodDelete, nil
	}
	status, err := w.tryCall(method, "/posts/"+id, body, nil)
	switch {
	case err != nil || status >= http.StatusInternalServerError:
		h.unsure = true
	case status == http.StatusBadRequest:
		h.refused = true
	case status != http.StatusOK:
		w.Errorf("%s of %q: %d", method, h.text, status)
	case cancel:
		h.cancelled = true
	default:
		h.text = text
	}
}

// checkHistories waits until all is published and compares.
func (w *world) checkHistories(histories []history) {
	w.Helper()
	published := map[string]string{} // text by post
	settled := func() bool {
		for _, s := range w.simulated() {
			post := s.Text[:len("race 00000")]
			if before, ok := published[post]; ok && before != s.ID+s.Text {
				w.Errorf("%s was published twice", post)
			}
			published[post] = s.ID + s.Text
		}
		for n, h := range histories {
			if _, ok := published[fmt.Sprintf("race %05d", n)]; !ok && !h.cancelled && !h.unsure {
				return false
			}
		}
		return true
	}
	w.eventually(3*time.Minute, "every post that was not cancelled is published", settled)
	time.Sleep(2 * time.Second) // what must not be published comes late
	settled()
	texts := map[string]bool{}
	for _, s := range w.simulated() {
		texts[s.Text] = true
	}
	var cancelled, edited, late, unsure int
	for n, h := range histories {
		_, there := published[fmt.Sprintf("race %05d", n)]
		switch {
		case h.unsure:
			unsure++
		case h.cancelled && there:
			w.Errorf("post %d was published though its cancel was acknowledged", n)
		case h.cancelled:
			cancelled++
		case !texts[h.text]:
			w.Errorf("post %d: %q was acknowledged last and is not what was published", n, h.text)
		case h.refused:
			late++
		default:
			edited++
		}
	}
	w.Logf("%d posts: %d cancelled, %d edited in time, %d changes came too late, %d without an answer",
		len(histories), cancelled, edited, late, unsure)
	if few := len(histories) / 20; cancelled < few || edited < few || late < few {
		w.Errorf("the race was not close: want at least %d of each", few)
	}
}
