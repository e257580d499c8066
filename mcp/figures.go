package mcp

import (
	"context"
	"time"

	"crier/client"
)

func (t *tools) addFigures() {
	add(t, about{
		name: "best_times", title: "Best times to post", effect: reads,
		says: "Tells in which hours of the week posts did best by their own history, the best first, and how far that can be trusted.",
	}, (*call).bestTimes)
	add(t, about{
		name: "analytics", title: "Figures", effect: reads,
		says: "Tells how posts or followers did, as crier last read it from the platforms. A figure that is absent is not known, which is not zero.",
	}, (*call).analytics)
}

// span is which figures are meant.
type span struct {
	From      string          `json:"from,omitempty" jsonschema:"first day, in UTC, such as 2026-11-01"`
	To        string          `json:"to,omitempty" jsonschema:"last day, in UTC; today by default"`
	Platform  client.Platform `json:"platform,omitempty"`
	AccountID string          `json:"accountId,omitempty"`
	BrandID   string          `json:"brandId,omitempty"`
}

func (s span) days() (from, to time.Time, err error) {
	if from, err = readDay("from", s.From); err != nil {
		return from, to, err
	}
	to, err = readDay("to", s.To)
	return from, to, err
}

type bestTimesInput struct {
	span
	Timezone string        `json:"timezone,omitempty" jsonschema:"IANA name, of the hours; UTC by default"`
	Metric   client.Metric `json:"metric,omitempty" jsonschema:"by what posts are compared; engagement by default"`
	Limit    int           `json:"limit,omitempty" jsonschema:"how many hours, up to 25; 10 by default"`
}

type bestTimesOutput struct {
	From       string     `json:"from"`
	To         string     `json:"to"`
	Timezone   string     `json:"timezone"`
	Metric     string     `json:"metric"`
	Confidence string     `json:"confidence"`
	Posts      int        `json:"posts" jsonschema:"how many posts this is known from"`
	Note       string     `json:"note,omitempty"`
	Times      []bestTime `json:"times"`
}

type bestTime struct {
	Weekday    string  `json:"weekday"`
	Hour       int     `json:"hour"`
	Lift       float64 `json:"lift" jsonschema:"what is expected beside the mean post of the account: 0.2 is a fifth more"`
	Posts      int     `json:"posts"`
	Confidence string  `json:"confidence"`
}

func (c *call) bestTimes(ctx context.Context, in bestTimesInput) (out bestTimesOutput, err error) {
	from, to, err := in.days()
	if err != nil {
		return out, err
	}
	found, err := c.Analytics.BestTimes(ctx, client.BestTimesFilter{
		From: from, To: to, Platform: in.Platform, AccountID: in.AccountID, BrandID: in.BrandID, Timezone: in.Timezone, Best: in.Metric, Top: limited(in.Limit),
	})
	if err != nil {
		return out, err
	}
	out = bestTimesOutput{
		From: found.From.String(), To: found.To.String(), Timezone: found.Timezone, Metric: found.Metric, Confidence: string(found.Confidence),
		Posts: found.Posts, Note: found.Note, Times: []bestTime{},
	}
	for _, t := range found.Times {
		out.Times = append(out.Times, bestTime{Weekday: string(t.Weekday), Hour: t.Hour, Lift: t.Lift, Posts: t.Posts, Confidence: string(t.Confidence)})
	}
	return out, nil
}

// report is a kind of figures.
type report string

const (
	reportPosts     report = "posts"
	reportFollowers report = "followers"
)

type analyticsInput struct {
	span
	Report report        `json:"report" jsonschema:"posts: how many were posted and failed, and which did best; followers: how accounts gain followers"`
	Metric client.Metric `json:"metric,omitempty" jsonschema:"what the best posts have most of; engagement by default"`
	Limit  int           `json:"limit,omitempty" jsonschema:"how many posts or accounts, up to 25; 10 by default"`
	Cursor string        `json:"cursor,omitempty" jsonschema:"nextCursor of the page before, of followers"`
}

type analyticsOutput struct {
	From       string          `json:"from,omitempty"`
	To         string          `json:"to,omitempty"`
	Counts     map[string]int  `json:"counts,omitempty" jsonschema:"how many posts, by what became of them"`
	TopPosts   []topPost       `json:"topPosts,omitempty"`
	Accounts   []accountFigure `json:"accounts,omitempty"`
	NextCursor string          `json:"nextCursor,omitempty" jsonschema:"cursor of the next page; absent on the last one"`
}

type topPost struct {
	PostID    string          `json:"postId"`
	Platform  client.Platform `json:"platform"`
	AccountID string          `json:"accountId"`
	PostedAt  time.Time       `json:"postedAt"`
	Metrics   client.Metrics  `json:"metrics"`
}

type accountFigure struct {
	AccountID string          `json:"accountId"`
	Platform  client.Platform `json:"platform"`
	Day       string          `json:"day"`
	Followers *int            `json:"followers,omitempty"`
	Change    *int            `json:"change,omitempty"`
	Following *int            `json:"following,omitempty"`
	Posts     *int            `json:"posts,omitempty"`
}

func (c *call) analytics(ctx context.Context, in analyticsInput) (out analyticsOutput, err error) {
	from, to, err := in.days()
	if err != nil {
		return out, err
	}
	if in.Report == reportFollowers {
		return c.followers(ctx, in, from, to)
	}
	found, err := c.Analytics.Posts(ctx, client.PostReportFilter{
		From: from, To: to, Platform: in.Platform, AccountID: in.AccountID, BrandID: in.BrandID, Best: in.Metric, Top: limited(in.Limit),
	})
	if err != nil {
		return out, err
	}
	out = analyticsOutput{From: found.From.String(), To: found.To.String(), Counts: found.Totals}
	for _, p := range found.Metrics.Top {
		out.TopPosts = append(out.TopPosts, topPost{PostID: p.PostID, Platform: p.Platform, AccountID: p.AccountID, PostedAt: p.PostedAt, Metrics: p.Metrics})
	}
	return out, nil
}

func (c *call) followers(ctx context.Context, in analyticsInput, from, to time.Time) (out analyticsOutput, err error) {
	found, err := c.Analytics.Followers(ctx, client.FollowersFilter{From: from, To: to, Platform: in.Platform, AccountID: in.AccountID, BrandID: in.BrandID})
	if err != nil {
		return out, err
	}
	page, next, err := part(found.Accounts, func(a client.AccountFollowers) string { return a.AccountID }, in.Cursor, limited(in.Limit))
	if err != nil {
		return out, err
	}
	out = analyticsOutput{From: found.From.String(), To: found.To.String(), NextCursor: next}
	for _, a := range page {
		out.Accounts = append(out.Accounts, accountFigure{
			AccountID: a.AccountID, Platform: a.Platform, Day: a.Day.String(), Followers: a.Followers, Change: a.Change, Following: a.Following, Posts: a.Posts,
		})
	}
	return out, nil
}
