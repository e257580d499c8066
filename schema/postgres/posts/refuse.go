package posts

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"crier/schema"
	"crier/schema/postgres/internal/tables"
)

// demandsOf returns what the posts of a request take, and notes on their targets the day
// whose unit each holds.
func (s *Store) demandsOf(c schema.Creation) []*tables.Demand {
	demands := make([]*tables.Demand, len(c.Posts))
	month := schema.MonthOf(s.Now())
	for i := range c.Posts {
		p := &c.Posts[i]
		d := &tables.Demand{Post: p}
		if c.PostsPerMonth > 0 {
			d.Charges = append(d.Charges, tables.Charge{Key: tables.MonthKey(p.Workspace, month), N: len(p.Content.Entries), Limit: c.PostsPerMonth})
		}
		d.Charges = append(d.Charges, s.chargeTargets(p)...)
		demands[i] = d
	}
	return demands
}

// chargeTargets returns what the targets of a scheduled post take of the day it is
// scheduled for, and notes it on them. A draft takes nothing, nor does a target whose
// platform has no cap.
func (s *Store) chargeTargets(p *schema.Post) []tables.Charge {
	if p.Status != schema.Scheduled {
		return nil
	}
	day := schema.DayOf(p.ScheduledFor)
	taken := make([]tables.Charge, 0, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		if unit := s.unit(t, day); unit.Limit > 0 {
			t.ChargedOn = day
			taken = append(taken, unit)
		}
	}
	return taken
}

// unit is the unit that a target takes of a day.
func (s *Store) unit(t *schema.Target, day time.Time) tables.Charge {
	return tables.ChargeDay(t.Account, day, s.constraints(t.Platform).DailyCap)
}

// commitCreations makes the posts of a batch of requests. Those for which an account's
// day or a plan has no room are refused, and the others go on without them.
func (s *Store) commitCreations(ctx context.Context, batch []*creation) error {
	for range tables.MaxRefusals {
		batch = slices.DeleteFunc(slices.Clone(batch), func(c *creation) bool { return c.settled })
		if len(batch) == 0 {
			return nil
		}
		winners, err := s.tryCreations(ctx, batch)
		if !tables.IsFull(err) {
			return err
		}
		if err := s.refuse(ctx, winners); err != nil {
			return err
		}
	}
	return tables.Crowded()
}

// refuse finds which requests there is no room for, in order, and answers those. One that
// repeats a request which was answered gets that answer: it is looked for after the
// counters were read, which its posts may have filled.
func (s *Store) refuse(ctx context.Context, requests []*creation) error {
	var demands []*tables.Demand
	for _, c := range requests {
		demands = append(demands, c.demands...)
	}
	used, err := tables.ReadUsed(ctx, s.Pool, tables.KeysOf(demands))
	if err != nil {
		return err
	}
	short := map[*tables.Demand][]tables.Shortage{}
	for _, c := range requests {
		for _, d := range c.demands {
			if missing := d.Take(used); len(missing) > 0 {
				short[d] = missing
			}
		}
	}
	refusals, err := s.explain(ctx, short)
	if err != nil {
		return err
	}
	return s.settleRefusals(ctx, requests, refusals)
}

// settleRefusals goes on without the refused posts where a request can do without them,
// and refuses any other that has one.
func (s *Store) settleRefusals(ctx context.Context, requests []*creation, refusals map[schema.PostID]*schema.Error) error {
	var keyed []*creation
	for _, c := range requests {
		refused := c.refusalsOf(refusals)
		switch {
		case len(refused) == 0, c.goesOnWithout(refused):
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
	known, err := readAnswers(ctx, s.Pool, keyed)
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
		if e := refusals[d.Post.ID]; e != nil {
			own[d.Post.ID] = e
		}
	}
	return own
}

// goesOnWithout leaves refused posts out of a request that can do without them.
func (c *creation) goesOnWithout(refused map[schema.PostID]*schema.Error) bool {
	if c.ResponseIfRefused == nil {
		return false
	}
	if c.dropped == nil {
		c.dropped = map[schema.PostID]*schema.Error{}
	}
	maps.Copy(c.dropped, refused)
	response := c.ResponseIfRefused(c.dropped)
	if response == nil {
		return false
	}
	remaining := make([]schema.Post, 0, len(c.Posts))
	demands := make([]*tables.Demand, 0, len(c.demands))
	for i, d := range c.demands {
		if refused[d.Post.ID] == nil {
			remaining, demands = append(remaining, c.Posts[i]), append(demands, d)
		}
	}
	c.Posts, c.demands, c.Response = remaining, demands, response
	return true
}

// explain makes the errors of posts there is no room for, and remembers what is full.
func (s *Store) explain(ctx context.Context, short map[*tables.Demand][]tables.Shortage) (map[schema.PostID]*schema.Error, error) {
	if len(short) == 0 {
		return nil, nil
	}
	now := s.Now()
	var days []tables.Charge
	for _, missing := range short {
		for _, shortage := range missing {
			s.full.note(shortage.Key, now)
			if shortage.Target != nil {
				days = append(days, shortage.Charge)
			}
		}
	}
	free, err := tables.NextFreeDays(ctx, s.Pool, days)
	if err != nil {
		return nil, err
	}
	refusals := make(map[schema.PostID]*schema.Error, len(short))
	for d, missing := range short {
		refusals[d.Post.ID] = tables.RefusalOf(missing, free, now)
	}
	return refusals, nil
}

// fullCounters remembers which counters were full a short while ago. A request that
// reaches for one of them looks before it joins a batch, so that a caller who goes on
// asking does not make everybody's transactions fail.
type fullCounters struct {
	mu    sync.Mutex
	until map[tables.CounterKey]time.Time
}

const (
	rememberFull = time.Minute
	maxFull      = 10_000
)

func newFullCounters() *fullCounters {
	return &fullCounters{until: map[tables.CounterKey]time.Time{}}
}

func (f *fullCounters) note(key tables.CounterKey, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.until) >= maxFull {
		clear(f.until)
	}
	f.until[key] = now.Add(rememberFull)
}

// any reports whether a demand reaches for a counter that was full.
func (f *fullCounters) any(demands []*tables.Demand, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.until) == 0 {
		return false
	}
	for _, d := range demands {
		for _, c := range d.Charges {
			until, ok := f.until[c.Key]
			if ok && now.Before(until) {
				return true
			}
			delete(f.until, c.Key)
		}
	}
	return false
}
