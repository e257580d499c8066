package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"crier/schema"
)

// demand is what a post takes of daily caps and of its workspace's plan.
type demand struct {
	post    *schema.Post
	charges []charge
	given   []charge // back, once it is met
}

// demandsOf returns what the posts of a request take, and notes on their targets the day
// whose unit each holds.
func (g *Gateway) demandsOf(c schema.Creation) []*demand {
	demands := make([]*demand, len(c.Posts))
	month := schema.MonthOf(g.Now())
	for i := range c.Posts {
		p := &c.Posts[i]
		d := &demand{post: p}
		if c.PostsPerMonth > 0 {
			d.charges = append(d.charges, charge{monthKey(p.Workspace, month), len(p.Content.Entries), c.PostsPerMonth})
		}
		d.charges = append(d.charges, g.chargeTargets(p)...)
		demands[i] = d
	}
	return demands
}

// chargeTargets returns what the targets of a scheduled post take of the day it is
// scheduled for, and notes it on them. A draft takes nothing, nor does a target whose
// platform has no cap.
func (g *Gateway) chargeTargets(p *schema.Post) []charge {
	if p.Status != schema.Scheduled {
		return nil
	}
	day := schema.DayOf(p.ScheduledFor)
	taken := make([]charge, 0, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		if unit := g.unit(t, day); unit.limit > 0 {
			t.ChargedOn = day
			taken = append(taken, unit)
		}
	}
	return taken
}

// unit is the unit that a target takes of a day.
func (g *Gateway) unit(t *schema.Target, day time.Time) charge {
	return charge{dayKey(t.Account, day), 1, g.constraints(t.Platform).DailyCap}
}

// shortage is a charge for which there is no room, with the target that it is of; nil:
// it is the plan's.
type shortage struct {
	charge
	target *schema.Target
}

// maxRefusals is how often a batch is tried again without the requests there was no room
// for: each time somebody else was faster and took the last units.
const maxRefusals = 10

// commitCreations makes the posts of a batch of requests. Those for which an account's
// day or a plan has no room are refused, and the others go on without them.
func (g *Gateway) commitCreations(ctx context.Context, batch []*creation) error {
	for range maxRefusals {
		batch = slices.DeleteFunc(slices.Clone(batch), func(c *creation) bool { return c.settled })
		if len(batch) == 0 {
			return nil
		}
		winners, err := g.tryCreations(ctx, batch)
		if !isFull(err) {
			return err
		}
		if err := g.refuse(ctx, winners); err != nil {
			return err
		}
	}
	return crowded()
}

func crowded() error {
	return &schema.Error{
		Kind: schema.Unavailable, Message: "too many requests reach for the last posts of a limit; try again", RetryAfter: time.Second,
	}
}

// refuse finds which requests there is no room for, in order, and answers those. One that
// repeats a request which was answered gets that answer: it is looked for after the
// counters were read, which its posts may have filled.
func (g *Gateway) refuse(ctx context.Context, requests []*creation) error {
	var demands []*demand
	for _, c := range requests {
		demands = append(demands, c.demands...)
	}
	used, err := readUsed(ctx, g.pool, keysOf(demands))
	if err != nil {
		return err
	}
	short := map[*demand][]shortage{}
	for _, c := range requests {
		for _, d := range c.demands {
			if missing := d.take(used); len(missing) > 0 {
				short[d] = missing
			}
		}
	}
	refusals, err := g.explain(ctx, short)
	if err != nil {
		return err
	}
	return g.settleRefusals(ctx, requests, refusals)
}

func keysOf(demands []*demand) []counterKey {
	seen := map[counterKey]bool{}
	var keys []counterKey
	for _, d := range demands {
		for _, c := range d.charges {
			if !seen[c.key] {
				seen[c.key] = true
				keys = append(keys, c.key)
			}
		}
	}
	return keys
}

// take takes what the demand asks for from what is used, or nothing where something of
// it is missing.
func (d *demand) take(used map[counterKey]int) (missing []shortage) {
	for _, c := range d.charges {
		if used[c.key]+c.n > c.limit {
			missing = append(missing, shortage{c, d.targetOf(c.key)})
		}
	}
	if len(missing) > 0 {
		return missing
	}
	for _, c := range d.charges {
		used[c.key] += c.n
	}
	return nil
}

// targetOf returns the target of the account that a counter is of, nil for a workspace's.
func (d *demand) targetOf(key counterKey) *schema.Target {
	i := slices.IndexFunc(d.post.Targets, func(t schema.Target) bool { return t.Account == schema.AccountID(key.subject) })
	if i < 0 {
		return nil
	}
	return &d.post.Targets[i]
}

// settleRefusals goes on without the refused posts where a request can do without them,
// and refuses any other that has one.
func (g *Gateway) settleRefusals(ctx context.Context, requests []*creation, refusals map[schema.PostID]*schema.Error) error {
	var keyed []*creation
	for _, c := range requests {
		refused := c.refusalsOf(refusals)
		switch {
		case len(refused) == 0:
			continue
		case c.Without != nil:
			c.goOnWithout(refused)
			continue
		case c.Idempotency != nil:
			keyed = append(keyed, c)
		}
		for _, e := range refused {
			c.refused, c.settled = e, true
		}
	}
	if len(keyed) == 0 {
		return nil
	}
	known, err := readAnswers(ctx, g.pool, keyed)
	if err != nil {
		return err
	}
	for _, c := range keyed {
		if first, ok := known[keyOf(c)]; ok {
			c.refused = nil
			c.repeat(first)
		}
	}
	return nil
}

func (c *creation) refusalsOf(refusals map[schema.PostID]*schema.Error) map[schema.PostID]*schema.Error {
	own := map[schema.PostID]*schema.Error{}
	for _, d := range c.demands {
		if e := refusals[d.post.ID]; e != nil {
			own[d.post.ID] = e
		}
	}
	return own
}

// goOnWithout leaves refused posts out of a request that can do without them.
func (c *creation) goOnWithout(refused map[schema.PostID]*schema.Error) {
	if c.dropped == nil {
		c.dropped = map[schema.PostID]*schema.Error{}
	}
	for id, e := range refused {
		c.dropped[id] = e
	}
	kept := make([]schema.Post, 0, len(c.Posts))
	demands := make([]*demand, 0, len(c.demands))
	for i, d := range c.demands {
		if refused[d.post.ID] == nil {
			kept, demands = append(kept, c.Posts[i]), append(demands, d)
		}
	}
	c.Posts, c.demands = kept, demands
	c.Response = c.Without(c.dropped)
}

// explain makes the errors of posts there is no room for, and remembers what is full.
func (g *Gateway) explain(ctx context.Context, short map[*demand][]shortage) (map[schema.PostID]*schema.Error, error) {
	if len(short) == 0 {
		return nil, nil
	}
	now := g.Now()
	var days []charge
	for _, missing := range short {
		for _, s := range missing {
			g.full.note(s.key, now)
			if s.target != nil {
				days = append(days, s.charge)
			}
		}
	}
	free, err := nextFreeDays(ctx, g.pool, days)
	if err != nil {
		return nil, err
	}
	refusals := make(map[schema.PostID]*schema.Error, len(short))
	for d, missing := range short {
		refusals[d.post.ID] = refusalOf(missing, free, now)
	}
	return refusals, nil
}

// refusalOf makes the error of one post. Where both are reached, the plan's limit comes
// before the days: another day would not help.
func refusalOf(missing []shortage, free map[counterKey]time.Time, now time.Time) *schema.Error {
	refusal := &schema.Error{Kind: schema.DailyLimitReached, Message: "the day of an account is full"}
	for _, s := range missing {
		if s.target == nil {
			return planRefusal(s)
		}
		day, next := s.key.period, free[s.key]
		refusal.Details = append(refusal.Details, schema.Detail{
			Field: fmt.Sprintf("platforms[%d]", s.target.N), Platform: s.target.Platform.String(), Code: "daily_limit_reached",
			Message: fmt.Sprintf("%s takes %d posts a day from an account, and %s is full; %s has room",
				s.target.Platform, s.limit, day.Format(time.DateOnly), next.Format(time.DateOnly)),
			Limit: s.limit, NextFreeDay: next.Format(time.DateOnly),
		})
		if day.Equal(schema.DayOf(now)) {
			refusal.RetryAfter = max(refusal.RetryAfter, next.Sub(now))
		}
	}
	refusal.Message = refusal.Details[0].Message
	return refusal
}

func planRefusal(s shortage) *schema.Error {
	next := s.key.period.AddDate(0, 1, 0)
	message := fmt.Sprintf("the plan allows %d posts a month, and there is no room for %d more before %s",
		s.limit, s.n, next.Format(time.DateOnly))
	return &schema.Error{
		Kind: schema.PlanLimitReached, Message: message,
		Details: []schema.Detail{{
			Field: "body", Code: "plan_limit_reached", Message: message, Limit: s.limit, NextFreeDay: next.Format(time.DateOnly),
		}},
	}
}

// fullCounters remembers which counters were full a short while ago. A request that
// reaches for one of them looks before it joins a batch, so that a caller who goes on
// asking does not make everybody's transactions fail.
type fullCounters struct {
	mu    sync.Mutex
	until map[counterKey]time.Time
}

const (
	rememberFull = time.Minute
	maxFull      = 10_000
)

func newFullCounters() *fullCounters {
	return &fullCounters{until: map[counterKey]time.Time{}}
}

func (f *fullCounters) note(key counterKey, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.until) >= maxFull {
		clear(f.until)
	}
	f.until[key] = now.Add(rememberFull)
}

// any tells whether a demand reaches for a counter that was full.
func (f *fullCounters) any(demands []*demand, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.until) == 0 {
		return false
	}
	for _, d := range demands {
		for _, c := range d.charges {
			until, ok := f.until[c.key]
			if ok && now.Before(until) {
				return true
			}
			delete(f.until, c.key)
		}
	}
	return false
}
