package tables

import (
	"context"
	"fmt"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Demand is what a post takes of daily caps and of its workspace's plan.
type Demand struct {
	Post    *schema.Post
	Charges []Charge
	Refunds []Charge // once it is met
}

// Shortage is a charge that its counter does not allow, with the target that it is of;
// nil: it is the plan's.
type Shortage struct {
	Charge
	Target *schema.Target
}

// MaxRefusals is how often a batch is tried again without the requests that were refused:
// each time another process has taken the last units meanwhile.
const MaxRefusals = 10

// Crowded is the error of a request after MaxRefusals tries.
func Crowded() error {
	return &schema.Error{
		Kind: schema.Unavailable, Message: "too many requests reach for the last posts of a limit; try again", RetryAfter: time.Second,
	}
}

// KeysOf names the counters that demands take from, each once.
func KeysOf(demands []*Demand) []CounterKey {
	seen := map[CounterKey]bool{}
	var keys []CounterKey
	for _, d := range demands {
		for _, c := range d.Charges {
			if !seen[c.Key] {
				seen[c.Key] = true
				keys = append(keys, c.Key)
			}
		}
	}
	return keys
}

// Take takes what the demand asks for from what is used, or nothing where something of
// it is missing.
func (d *Demand) Take(used map[CounterKey]int) (missing []Shortage) {
	for _, c := range d.Charges {
		if used[c.Key]+c.N > c.Limit {
			missing = append(missing, Shortage{c, d.targetOf(c.Key)})
		}
	}
	if len(missing) > 0 {
		return missing
	}
	for _, c := range d.Charges {
		used[c.Key] += c.N
	}
	return nil
}

// targetOf returns the target of the account that a counter is of, nil for a workspace's.
func (d *Demand) targetOf(key CounterKey) *schema.Target {
	i := slices.IndexFunc(d.Post.Targets, func(t schema.Target) bool { return t.Account == schema.AccountID(key.subject) })
	if i < 0 {
		return nil
	}
	return &d.Post.Targets[i]
}

// RefusalOf makes the error of one post. If the plan's limit and a daily cap are both
// reached, it names the plan's: another day would not help.
func RefusalOf(missing []Shortage, free map[CounterKey]time.Time, now time.Time) *schema.Error {
	refusal := &schema.Error{Kind: schema.DailyLimitReached, Message: "the day of an account is full"}
	for _, s := range missing {
		if s.Target == nil {
			return planRefusal(s)
		}
		day, next := s.Key.period, free[s.Key]
		refusal.Details = append(refusal.Details, schema.Detail{
			Field: fmt.Sprintf("platforms[%d]", s.Target.N), Platform: s.Target.Platform.String(), Code: "daily_limit_reached",
			Message: fmt.Sprintf("crier publishes at most %d posts a day to an account of %s, and %s is full; %s has room",
				s.Limit, s.Target.Platform, day.Format(time.DateOnly), next.Format(time.DateOnly)),
			Limit: s.Limit, NextFreeDay: next.Format(time.DateOnly),
		})
		if day.Equal(schema.DayOf(now)) {
			refusal.RetryAfter = max(refusal.RetryAfter, next.Sub(now))
		}
	}
	refusal.Message = refusal.Details[0].Message
	return refusal
}

func planRefusal(s Shortage) *schema.Error {
	next := s.Key.period.AddDate(0, 1, 0)
	message := fmt.Sprintf("the plan allows %d posts a month, and there is no room for %d more before %s",
		s.Limit, s.N, next.Format(time.DateOnly))
	return &schema.Error{
		Kind: schema.PlanLimitReached, Message: message,
		Details: []schema.Detail{{
			Field: "body", Code: "plan_limit_reached", Message: message, Limit: s.Limit, NextFreeDay: next.Format(time.DateOnly),
		}},
	}
}

// PlanOf returns the plan of a workspace. A sandbox twin has its workspace's; only its
// accounts are free.
func PlanOf(ctx context.Context, q db.Querier, workspace schema.WorkspaceID) (schema.Plan, error) {
	var p schema.Plan
	err := q.QueryRow(ctx, `
		select p.name, p.requests_per_minute, coalesce(p.posts_per_month, 0),
			case when w.live_id is null then coalesce(p.accounts, 0) else 0 end
		from workspaces w
		join workspaces live on live.id = coalesce(w.live_id, w.id)
		join plans p on p.name = live.plan
		where w.id = $1`, workspace).Scan(&p.Name, &p.RequestsPerMinute, &p.PostsPerMonth, &p.Accounts)
	return p, db.OrNotFound(err, "workspace")
}
