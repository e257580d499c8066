package posts_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestAUnitOfTheDailyCapFollowsItsTarget(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, tt := range map[string]struct {
		do                 func(f *fixture, p schema.Post)
		first, second, day int // units of the first and second account on day 1; of the first on day 2
	}{
		"created": {func(*fixture, schema.Post) {}, 1, 1, 0},
		"moved to another day": {func(f *fixture, p schema.Post) {
			_, err := f.Update(p, func(p *schema.Post) { p.ScheduledFor = f.Noon(2) })
			f.Must(err)
		}, 0, 0, 1},
		"edited on the same day": {func(f *fixture, p schema.Post) {
			_, err := f.Update(p, func(p *schema.Post) { p.Content.Entries[0].Text = "new" })
			f.Must(err)
		}, 1, 1, 0},
		"one account less": {func(f *fixture, p schema.Post) {
			_, err := f.Update(p, func(p *schema.Post) { p.Targets = p.Targets[:1] })
			f.Must(err)
		}, 1, 0, 0},
		"made a draft": {func(f *fixture, p schema.Post) {
			_, err := f.Update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.Must(err)
		}, 0, 0, 0},
		"made a draft and scheduled again": {func(f *fixture, p schema.Post) {
			_, err := f.Update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.Must(err)
			_, err = f.Update(p, func(p *schema.Post) { p.Status, p.ScheduledFor = schema.Scheduled, f.Noon(2) })
			f.Must(err)
		}, 0, 0, 1},
		"an edit that is given up": {func(f *fixture, p schema.Post) {
			_, err := f.Gateway.Update(f.Context(), f.Workspace, p.ID, func(p *schema.Post, _ schema.QueueReader) error {
				p.ScheduledFor = f.Noon(2)
				return errors.New("given up")
			})
			if err == nil {
				f.Error("the edit was not given up")
			}
		}, 1, 1, 0},
		"cancelled": {func(f *fixture, p schema.Post) {
			_, err := f.Gateway.Delete(f.Context(), f.Workspace, p.ID)
			f.Must(err)
		}, 0, 0, 0},
		"one posted, one refused": {func(f *fixture, p schema.Post) {
			f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n"}})
			f.Finish(f.Claim(p, 1)[0], refused)
		}, 1, 0, 0},
		"a failure that comes twice": {func(f *fixture, p schema.Post) {
			f.Create(f.PostOn(2, f.Noon(1)))
			d := f.Claim(p, 0)[0]
			f.Finish(d, refused)
			f.Finish(d, refused)
		}, 1, 2, 0},
		"a failure that comes late, after another claim": {func(f *fixture, p schema.Post) {
			late := f.Claim(p, 0)[0]
			f.Exec(`update targets set lease_until = now() - interval '6 seconds' where n = 0`)
			d := f.Claim(p, 0)[0]
			f.Finish(late, refused)
			f.Finish(d, schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: "n"}})
		}, 1, 1, 0},
		"outcome unknown": {func(f *fixture, p schema.Post) {
			f.Claim(p, 0)
			f.Exec(`update targets set lease_until = now() - interval '6 seconds' where n = 0`)
			f.Finish(f.Claim(p, 0)[0], schema.Outcome{Verdict: schema.CannotTell})
		}, 1, 1, 0},
		"a wait": {func(f *fixture, p schema.Post) {
			f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Minute}})
		}, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.PostOn(2, f.Noon(1)))
			tt.do(f, p)
			if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != tt.first {
				t.Errorf("the first account has used %d, want %d", got, tt.first)
			}
			if got := f.UnitsUsed(f.Accounts[1], f.Noon(1)); got != tt.second {
				t.Errorf("the second account has used %d, want %d", got, tt.second)
			}
			if got := f.UnitsUsed(f.Accounts[0], f.Noon(2)); got != tt.day {
				t.Errorf("%d are used on the other day, want %d", got, tt.day)
			}
		})
	}
}

func TestARetryTakesAUnitOfItsDay(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, tt := range map[string]struct {
		fail       func(f *fixture, p schema.Post)
		then       func(f *fixture, p schema.Post)
		first, day int // units of the day it was scheduled for, and of the day of the retry
	}{
		"after a refusal": {
			func(f *fixture, p schema.Post) { f.Finish(f.Claim(p, 0)[0], refused) },
			func(*fixture, schema.Post) {}, 0, 1,
		},
		"after a refusal, and refused again": {
			func(f *fixture, p schema.Post) { f.Finish(f.Claim(p, 0)[0], refused) },
			func(f *fixture, p schema.Post) {
				f.Exec(`update targets set next_at = now(), step = 1`)
				f.Finish(f.Claim(p, 0)[0], refused)
			}, 0, 0,
		},
		"after a refusal, and cancelled": {
			func(f *fixture, p schema.Post) { f.Finish(f.Claim(p, 0)[0], refused) },
			func(f *fixture, p schema.Post) {
				_, err := f.Gateway.Delete(f.Context(), f.Workspace, p.ID)
				f.Must(err)
			}, 0, 0,
		},
		"after an unknown outcome": {
			func(f *fixture, p schema.Post) {
				f.Claim(p, 0)
				f.Exec(`update targets set lease_until = now() - interval '6 seconds'`)
				f.Finish(f.Claim(p, 0)[0], schema.Outcome{Verdict: schema.CannotTell})
			},
			func(*fixture, schema.Post) {}, 1, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.PostOn(1, f.Noon(1)))
			tt.fail(f, p)
			delay := f.Noon(3).Sub(f.Store.Now())
			tt.then(f, f.Retry(p, delay))
			first, _ := f.Counter(f.Accounts[0], f.Noon(1))
			if first != tt.first {
				t.Errorf("%d units of the first day are used, want %d", first, tt.first)
			}
			if got := f.UnitsUsed(f.Accounts[0], f.Noon(3)); got != tt.day {
				t.Errorf("%d units of the retry's day are used, want %d", got, tt.day)
			}
		})
	}
}

func TestAFullDayRefuses(t *testing.T) {
	for name, reach := range map[string]func(f *fixture, p schema.Post) error{
		"a creation": func(f *fixture, _ schema.Post) error {
			_, err := f.Gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{f.PostOn(2, f.Noon(1))}})
			return err
		},
		"a move": func(f *fixture, p schema.Post) error {
			_, err := f.Update(p, func(p *schema.Post) { p.ScheduledFor = f.Noon(1) })
			return err
		},
		"a draft that becomes scheduled": func(f *fixture, p schema.Post) error {
			_, err := f.Update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.Must(err)
			_, err = f.Update(p, func(p *schema.Post) { p.Status, p.ScheduledFor = schema.Scheduled, f.Noon(1) })
			return err
		},
		"a retry": func(f *fixture, p schema.Post) error {
			f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
			_, err := f.Gateway.Retry(f.Context(), f.Workspace, p.ID, schema.Retry{Delay: f.Noon(1).Sub(f.Store.Now())})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			filled := f.FillDay(f.Noon(1), postgrestest.DailyCap)
			f.FillDay(f.Noon(2), postgrestest.DailyCap)
			p := f.Create(f.PostOn(1, f.Noon(3)))
			for range 2 { // a second time, once the day is known to be full
				err := reach(f, p)
				postgrestest.WantKind(t, err, schema.DailyLimitReached)
				if e, ok := errors.AsType[*schema.Error](err); ok {
					want := schema.DayOf(f.Noon(3)).Format(time.DateOnly)
					if d := e.Details[0]; d.Field != "platforms[0]" || d.Code != "daily_limit_reached" || d.Limit != postgrestest.DailyCap || d.NextFreeDay != want {
						t.Errorf("details = %+v, want platforms[0], %d and %s", e.Details, postgrestest.DailyCap, want)
					}
				}
				if name != "a creation" {
					break
				}
			}
			if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != postgrestest.DailyCap {
				t.Errorf("%d are used", got)
			}
			if got := f.UnitsUsed(f.Accounts[1], f.Noon(1)); got != 0 {
				t.Errorf("a refused post has used %d of another account", got)
			}
			_, err := f.Gateway.Delete(t.Context(), f.Workspace, filled[0].ID)
			f.Must(err)
			f.Create(f.PostOn(1, f.Noon(1)))
		})
	}
}

func TestARefusedRequestCanBeSentAgain(t *testing.T) {
	f := newFixture(t)
	filled := f.FillDay(f.Noon(1), postgrestest.DailyCap)
	request := func() (schema.Created, error) {
		return f.Gateway.Create(t.Context(), schema.Creation{
			Idempotency: &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{1}},
			Posts:       []schema.Post{f.PostOn(1, f.Noon(1))}, Response: []byte("made"),
		})
	}
	for range 2 {
		_, err := request()
		postgrestest.WantKind(t, err, schema.DailyLimitReached)
	}
	_, err := f.Gateway.Delete(t.Context(), f.Workspace, filled[0].ID)
	f.Must(err)
	if created, err := request(); err != nil || created.Replayed {
		t.Fatalf("Create = %+v, %v, want a post", created, err)
	}
	if again, err := request(); err != nil || !again.Replayed {
		t.Fatalf("Create = %+v, %v, want the first answer: the day is full by the request itself", again, err)
	}
	if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != postgrestest.DailyCap {
		t.Errorf("%d are used", got)
	}
}

// TestALastUnitIsGivenOnce races many requests of one batch, some of them repeated, for
// an account's last units; neighbours for other accounts are not held up.
func TestALastUnitIsGivenOnce(t *testing.T) {
	f := newFixture(t)
	f.FillDay(f.Noon(1), postgrestest.DailyCap-5)
	var mu sync.Mutex
	created := map[string]bool{}
	var callers sync.WaitGroup
	for i := range 120 {
		callers.Go(func() {
			key := fmt.Sprint("k", i/3)
			_, err := f.Gateway.Create(f.Context(), schema.Creation{
				Idempotency: &schema.Idempotency{Lineage: f.Key, Key: key, Fingerprint: [32]byte{1}},
				Posts:       []schema.Post{f.PostOn(1, f.Noon(1))}, Response: []byte(key),
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				created[key] = true
			} else if e, ok := errors.AsType[*schema.Error](err); !ok || e.Kind != schema.DailyLimitReached {
				t.Error(err)
			}
		})
		if i%10 == 0 {
			callers.Go(func() {
				p := f.PostOn(2, f.Noon(1))
				p.Targets = p.Targets[1:]
				if _, err := f.Gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	callers.Wait()
	if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != postgrestest.DailyCap || len(created) != 5 {
		t.Errorf("%d are used by %d requests, want %d by 5", got, len(created), postgrestest.DailyCap)
	}
}

func TestABulkGoesOnWithoutWhatIsRefused(t *testing.T) {
	f := newFixture(t)
	f.FillDay(f.Noon(1), postgrestest.DailyCap-2)
	posts := make([]schema.Post, 5)
	for i := range posts {
		posts[i] = f.PostOn(1, f.Noon(1))
	}
	request := func() schema.Created {
		created, err := f.Gateway.Create(t.Context(), schema.Creation{
			Idempotency: &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{1}},
			Posts:       posts, Response: []byte("all"),
			ResponseIfRefused: func(refused map[schema.PostID]*schema.Error) []byte {
				return fmt.Appendf(nil, "without %d, the third %v", len(refused), refused[posts[2].ID] != nil)
			},
		})
		f.Must(err)
		return created
	}
	first, again := request(), request()
	if string(first.Response) != "without 3, the third true" || string(again.Response) != string(first.Response) || !again.Replayed {
		t.Errorf("answers %q and %q", first.Response, again.Response)
	}
	if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != postgrestest.DailyCap {
		t.Errorf("%d are used", got)
	}
}

func TestAPlanBoundsPostsAMonth(t *testing.T) {
	f := newFixture(t)
	thread := f.PostOn(1, f.Noon(1))
	thread.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	make := func(p schema.Post) error {
		_, err := f.Gateway.Create(t.Context(), schema.Creation{Posts: []schema.Post{p}, PostsPerMonth: 4})
		return err
	}
	f.Must(make(thread))
	f.Must(make(f.PostOn(1, f.Noon(1))))
	for range 2 {
		postgrestest.WantKind(t, make(f.PostOn(1, f.Noon(40))), schema.PlanLimitReached)
	}
	f.Exec(`update workspaces set plan = 'free'`)
	usage, err := f.Gateway.Usage(t.Context(), f.Workspace)
	if err != nil || usage.Posts != 4 || usage.Plan.PostsPerMonth != 4 || usage.Accounts != 3 {
		t.Errorf("Usage = %+v, %v", usage, err)
	}
	_, err = f.Update(thread, func(p *schema.Post) { p.Content.Entries = append(p.Content.Entries, schema.Entry{Text: "four"}) })
	postgrestest.WantKind(t, err, schema.PlanLimitReached)
	_, err = f.Update(thread, func(p *schema.Post) { p.Content.Entries = p.Content.Entries[:2] })
	f.Must(err)
}

// TestTheLastPostsOfAMonthAreTakenOnce races creations and threads that grow, each in a
// transaction of its own, for what a plan allows.
func TestTheLastPostsOfAMonthAreTakenOnce(t *testing.T) {
	const limit = 100
	f := newFixture(t)
	f.Exec(fmt.Sprintf(`update plans set posts_per_month = %d where name = 'free'`, limit))
	f.Exec(`update workspaces set plan = 'free'`)
	var taken atomic.Int32
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			thread := f.Post(1, 0)
			thread.Status, thread.ScheduledFor = schema.Draft, time.Time{}
			_, err := f.Gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{thread}, PostsPerMonth: limit})
			for err == nil {
				taken.Add(1)
				_, err = f.Update(thread, func(p *schema.Post) { p.Content.Entries = append(p.Content.Entries, schema.Entry{Text: "more"}) })
			}
			postgrestest.WantKind(t, err, schema.PlanLimitReached)
		})
	}
	callers.Wait()
	usage, err := f.Gateway.Usage(t.Context(), f.Workspace)
	if err != nil || usage.Posts != limit || taken.Load() != limit {
		t.Errorf("%d are taken, usage = %+v, %v, want %d", taken.Load(), usage, err, limit)
	}
	if versions := f.Count(`select count(*) from plan_usage`); versions != 1 {
		t.Errorf("%d versions of the month are left, want the newest alone", versions)
	}
}
