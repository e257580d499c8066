package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/sleep"
)

const (
	// latenessStep is that of 200 posts a second, at every phase of timers, which are exact to a
	// millisecond: due times at one phase alone are late by up to that more than those at another.
	latenessStep  = 5*time.Millisecond + 7*time.Microsecond
	latenessPosts = 2400
	latenessFirst = 300             // these do not count: accounts log in, connections are made
	latenessAhead = 8 * time.Second // in which all posts are created
	latenessEnd   = 5 * time.Second // by then the last is published, or counts as an error
	pacedPosts    = 600             // of each run of the control
	pacedLabel    = "paced"
	// early is how much sooner than due a call may come: the clocks of PostgreSQL and of
	// the simulators are compared by a round trip.
	early = time.Millisecond

	readingLimit = time.Minute
)

// measureLateness measures from a post's due time to the arrival of its visible call at the
// platform, as the simulators record it.
func measureLateness(ctx context.Context, s *session) error {
	if s.config.Target.URL != "" {
		return errors.New("a running server wants posts five minutes ahead: lateness starts its own")
	}
	return s.onServer(ctx, serverConfig{}, func(t *run) error { return t.lateness(ctx) })
}

// lateness is measured between two runs of its control.
func (t *run) lateness(ctx context.Context) error {
	if err := t.on.awaitReadings(ctx); err != nil {
		return err
	}
	var paced, late arrivals
	if err := t.pace(ctx, t.simulators, &paced); err != nil {
		return err
	}
	if err := t.session.publish(ctx, t.on, t.simulators, "lateness", &late); err != nil {
		return err
	}
	if err := errors.Join(t.on.settle(ctx), t.pace(ctx, t.simulators, &paced)); err != nil {
		return err
	}
	if paced.errors > 0 {
		return fmt.Errorf("%d calls of the control did not arrive", paced.errors)
	}
	return t.report(latenessFigures(late, paced)...)
}

// awaitReadings returns once all that is read of accounts when they are connected was read: that is work of
// theirs, and not of the posts that follow.
func (s *server) awaitReadings(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readingLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.Postgres)
	if err != nil {
		return fmt.Errorf("connecting to look for readings: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		var read bool
		err := conn.QueryRow(ctx, `
			select not exists (select from accounts a where not exists (select from collections c where c.account_id = a.id))
				and not exists (select from collections where due_at <= now())`).Scan(&read)
		if err != nil {
			return fmt.Errorf("looking for readings: %w", err)
		}
		if read {
			return nil
		}
		if err := sleep.For(ctx, settleLook); err != nil {
			return fmt.Errorf("waiting for accounts to be read: %w", err)
		}
	}
}

// publish has posts published, each at its own instant, and reads when they arrived.
func (s *session) publish(ctx context.Context, on *server, simulators, label string, late *arrivals) error {
	accounts, err := on.accounts(ctx)
	if err != nil {
		return err
	}
	plan := loadPlan{
		URL: on.URL, Key: on.Key, Targets: inTurn(accounts), Connections: 16, Posts: latenessPosts,
		First: time.Now().Add(latenessAhead).Truncate(time.Microsecond), Step: latenessStep, Span: latenessPosts * latenessStep,
		Label: label,
	}
	s.say("creating %d posts, due every %v", plan.Posts, plan.Step)
	var created loadResult
	if err := s.do(ctx, roleLoad, plan, &created); err != nil {
		return err
	}
	s.tell(created)
	if time.Now().After(plan.First) {
		return fmt.Errorf("creating the posts took longer than %v: some were due before", latenessAhead)
	}
	s.say("publishing for %v", plan.Span)
	if err := sleep.For(ctx, time.Until(plan.First)); err != nil {
		return err
	}
	before, err := on.work()
	if err != nil {
		return err
	}
	if err := sleep.For(ctx, time.Until(plan.First.Add(plan.Span))); err != nil {
		return err
	}
	expected := schedule{plan.Label, plan.First, plan.Step, latenessFirst, latenessPosts}
	if err := s.collect(ctx, simulators, expected, late); err != nil {
		return err
	}
	after, err := on.work()
	late.work = after.since(before)
	return err
}

// schedule is when posts are due. The text of each begins with the label and a number; those due
// before from do not count.
type schedule struct {
	label       string
	first       time.Time
	step        time.Duration
	from, until int
}

// due returns the number of the post that a text belongs to, and when it is due.
func (s schedule) due(text string) (i int, due time.Time, ok bool) {
	rest, ok := strings.CutPrefix(text, s.label+" ")
	if !ok {
		return 0, time.Time{}, false
	}
	number, _, _ := strings.Cut(rest, " ")
	i, err := strconv.Atoi(number)
	if err != nil || i < s.from || i >= s.until {
		return 0, time.Time{}, false
	}
	return i, s.first.Add(time.Duration(i) * s.step), true
}

// arrivals are how late calls arrived, and how many did not, or twice, or too soon.
type arrivals struct {
	late   samples
	errors int
	work   work // of the last turn
}

// arrived is a post as the simulators show it.
type arrived struct {
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
}

// add compares what arrived with the schedule.
func (a *arrivals) add(s schedule, posts []arrived) {
	seen := make(map[int]bool, s.until-s.from)
	for _, p := range posts {
		i, due, ok := s.due(p.Text)
		if !ok {
			continue
		}
		late := p.CreatedAt.Sub(due)
		if seen[i] || late < -early {
			a.errors++
		}
		seen[i] = true
		a.late = append(a.late, late)
	}
	a.errors += s.until - s.from - len(seen)
}

// collect waits until all posts have arrived, or for a while, and adds them.
func (s *session) collect(ctx context.Context, simulators string, expected schedule, to *arrivals) error {
	deadline := time.Now().Add(latenessEnd)
	for {
		var answer struct {
			Posts []arrived `json:"posts"`
		}
		if err := getJSON(ctx, "http://"+simulators+"/_control/posts", "", &answer); err != nil {
			return err
		}
		var now arrivals
		now.add(expected, answer.Posts)
		if now.errors == 0 || time.Now().After(deadline) {
			s.say("%s: p50 %v, p99 %v, max %v of %d, %d errors", expected.label,
				now.late.rank(0.5), now.late.rank(0.99), now.late.rank(1), len(now.late), now.errors)
			to.late, to.errors = append(to.late, now.late...), to.errors+now.errors
			return nil
		}
		if err := sleep.For(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

func latenessFigures(late, paced arrivals) []Figure {
	figure := func(name string, q float64, goal *Goal) Figure {
		return Figure{
			Name: name, Value: milliseconds(late.late.rank(q)), Unit: "ms", Errors: late.errors, Goal: goal,
			Control: &Control{"timer and bare HTTP call to the simulators, 200/s", milliseconds(paced.late.rank(q))},
		}
	}
	return append([]Figure{
		figure("lateness_p50", 0.5, nil),
		figure("lateness_p99", 0.99, &Goal{Bound: 25}),
		figure("lateness_max", 1, &Goal{Bound: 250}),
	}, late.work.figures("lateness", "post", latenessPosts, nil)...)
}
