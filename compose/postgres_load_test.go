package compose_test

import (
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/schema"
)

// attempt is one request of the load and what came of it.
type attempt struct {
	key    string
	id     string    // of the post, with a 201
	status int       // 0: the connection was lost
	at     time.Time // of the answer
}

func TestPostgresEndsUnderLoad(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{
		"killed": syscall.SIGKILL,
		// What pg_ctl restart -m fast does: clients are cut in the middle of transactions.
		"restarted in order": syscall.SIGINT,
	} {
		t.Run(name, func(t *testing.T) { newWorld(t, nil).surviveLoad(signal) })
	}
}

// surviveLoad creates posts at a rate while PostgreSQL gets a signal now and then: no 201
// is without its post, and all goes on by itself.
func (w *world) surviveLoad(signal syscall.Signal) {
	w.Helper()
	const perSecond = 200
	account := w.connect(schema.Mastodon, 1)[0].String()
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: perSecond}
	n, between := bySize(10, 60)*perSecond, bySize(5, 15)*perSecond
	load := w.createEvenly(account, perSecond, n, func(sent int) {
		if sent > 0 && sent%between == 0 {
			w.signalPostgres(signal)
		}
	})
	w.eventually(time.Minute, "PostgreSQL answers again", w.postgresAnswers)
	created, refused, lost, gap := w.tally(load)
	w.Logf("%d created, %d refused with 503, %d connections lost; the longest time without a 201 was %v",
		created, refused, lost, gap.Round(time.Millisecond))
	if created < len(load)/4 {
		w.Errorf("only %d of %d requests succeeded", created, len(load))
	}
	if limit := 15 * time.Second; gap > limit {
		w.Errorf("no post was created for %v, want less than %v", gap, limit)
	}
	w.checkAcknowledged(load)
	w.checkSentAgain(account, load)
}

// createEvenly sends requests at a rate, whatever becomes of the earlier ones. before is
// called before each.
func (w *world) createEvenly(account string, perSecond, n int, before func(sent int)) []attempt {
	load := make([]attempt, n)
	var sending sync.WaitGroup
	began := time.Now()
	for i := range load {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		before(i)
		sending.Go(func() { load[i] = w.createOnce(account, fmt.Sprintf("load %05d", i)) })
	}
	sending.Wait()
	return load
}

func loadBody(account, text string) map[string]any {
	return map[string]any{
		"content": text, "status": "draft",
		"platforms": []map[string]any{{"platform": "mastodon", "accountId": account}},
	}
}

func (w *world) createOnce(account, key string) attempt {
	var answer postAnswer
	status, err := w.tryKeyed(key, loadBody(account, key), &answer)
	if err != nil {
		status = 0
	}
	return attempt{key, answer.Post.ID, status, time.Now()}
}

// tally counts the answers and finds the longest time without a 201.
func (w *world) tally(load []attempt) (created, refused, lost int, gap time.Duration) {
	w.Helper()
	var last time.Time
	for _, a := range load {
		switch a.status {
		case http.StatusCreated:
			created++
			if !last.IsZero() {
				gap = max(gap, a.at.Sub(last))
			}
			if a.at.After(last) {
				last = a.at
			}
		case http.StatusServiceUnavailable:
			refused++
		case 0:
			lost++
		default:
			w.Errorf("%s was answered %d", a.key, a.status)
		}
	}
	return created, refused, lost, gap
}

// checkAcknowledged checks in the database that every 201 has its post.
func (w *world) checkAcknowledged(load []attempt) {
	w.Helper()
	stored := w.storedTexts()
	for _, a := range load {
		switch n := len(stored[a.key]); {
		case n > 1:
			w.Errorf("%s made %d posts", a.key, n)
		case a.status == http.StatusCreated && (n == 0 || stored[a.key][0] != a.id):
			w.Errorf("%s was answered 201 with %s, stored is %v", a.key, a.id, stored[a.key])
		}
	}
}

// checkSentAgain sends again what had no 201, and checks that each has one post then.
func (w *world) checkSentAgain(account string, load []attempt) {
	w.Helper()
	created := 0
	before := w.storedTexts()
	var sending errgroup.Group
	sending.SetLimit(16)
	for _, a := range load {
		if a.status == http.StatusCreated {
			continue
		}
		created += len(before[a.key])
		sending.Go(func() error {
			if again := w.createOnce(account, a.key); again.status != http.StatusCreated {
				return fmt.Errorf("%s, sent again: %d", a.key, again.status)
			}
			return nil
		})
	}
	if err := sending.Wait(); err != nil {
		w.Error(err)
	}
	for key, ids := range w.storedTexts() {
		if len(ids) != 1 {
			w.Errorf("%s, sent again, made %d posts", key, len(ids))
		}
	}
	w.Logf("%d posts had been made by requests without an answer", created)
}

// storedTexts returns the ids of the posts in the database by their text.
func (w *world) storedTexts() map[string][]string {
	w.Helper()
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	rows, err := conn.Query(w.Context(), `select id, content -> 'entries' -> 0 ->> 'text' from posts`)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	stored := map[string][]string{}
	for rows.Next() {
		var id schema.PostID
		var text string
		if err := rows.Scan((*[16]byte)(&id), &text); err != nil {
			w.Fatal(err)
		}
		stored[text] = append(stored[text], id.String())
	}
	if err := rows.Err(); err != nil {
		w.Fatal(err)
	}
	return stored
}
