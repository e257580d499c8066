package console

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"crier/client"
)

// Analytics are the commands about how posts and accounts do.
type Analytics struct {
	Posts     AnalyticsPosts     `cmd:"" help:"Count posts, and list those that do best."`
	Followers AnalyticsFollowers `cmd:"" help:"Show how accounts gain followers."`
	BestTimes AnalyticsBestTimes `cmd:"" help:"Show the hours of the week in which posts do best."`
}

// Range is what figures are of.
type Range struct {
	From     string `env:"-" help:"First UTC day, such as 2026-12-01." placeholder:"DAY"`
	To       string `env:"-" help:"Last UTC day; today when it is left out." placeholder:"DAY"`
	Platform string `env:"-" help:"Of this platform alone."`
	Account  string `env:"-" help:"Id of an account: of this one alone." placeholder:"ID"`
	Brand    string `env:"-" help:"Id of a brand: of its accounts alone." placeholder:"ID"`
}

// days are the first and the last.
func (r Range) days() (from, to time.Time, err error) {
	if from, err = ReadTime(r.From, time.UTC); err != nil {
		return from, to, noDay("--from", r.From)
	}
	if to, err = ReadTime(r.To, time.UTC); err != nil {
		return from, to, noDay("--to", r.To)
	}
	return from, to, nil
}

func noDay(flag, text string) error {
	return fmt.Errorf("%s: %q is no day: write it like 2026-12-24", flag, text)
}

// AnalyticsPosts shows how posts do.
type AnalyticsPosts struct {
	Access
	Shape
	Range
	Best  string `default:"engagement" env:"-" help:"What the best have most of: impressions, reach, views, likes, comments, shares, saves, clicks, watchSeconds, or engagement."`
	Limit int    `default:"10" env:"-" help:"How many of the best are shown, up to 100."`
}

// Run shows how many posts there were, and the best of them.
func (a *AnalyticsPosts) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	from, to, err := a.days()
	if err != nil {
		return err
	}
	report, err := c.Analytics.Posts(ctx, client.PostReportFilter{
		From: from, To: to, Platform: client.Platform(a.Platform), AccountID: a.Account, BrandID: a.Brand, Best: client.Metric(a.Best), Top: a.Limit,
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return t.object(report)
	}
	fmt.Fprintf(t.Out, "%s to %s: %d posted, %d failed\n", report.From, report.To, report.Totals[string(client.CountPosted)], report.Totals[string(client.CountFailed)])
	head := row("POST", "PLATFORM", "WHEN", "IMPRESSIONS", "REACH", "VIEWS", "LIKES", "COMMENTS", "SHARES", "SAVES", "CLICKS")
	return lines(t, a.Shape, report.Metrics.Top, head, func(p client.TopPost) string {
		m := p.Metrics
		return row(p.PostID, string(p.Platform), when(p.PostedAt), figure(m.Impressions), figure(m.Reach), figure(m.Views), figure(m.Likes),
			figure(m.Comments), figure(m.Shares), figure(m.Saves), figure(m.Clicks))
	})
}

// AnalyticsFollowers shows who is followed.
type AnalyticsFollowers struct {
	Access
	Shape
	Range
}

// Run shows each account.
func (a *AnalyticsFollowers) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	from, to, err := a.days()
	if err != nil {
		return err
	}
	report, err := c.Analytics.Followers(ctx, client.FollowersFilter{From: from, To: to, Platform: client.Platform(a.Platform), AccountID: a.Account, BrandID: a.Brand})
	if err != nil {
		return err
	}
	if a.JSON {
		return t.object(report)
	}
	return lines(t, a.Shape, report.Accounts, row("ACCOUNT", "PLATFORM", "DAY", "FOLLOWERS", "CHANGE", "FOLLOWING", "POSTS"), func(f client.AccountFollowers) string {
		return row(f.AccountID, string(f.Platform), f.Day.String(), figure(f.Followers), figure(f.Change), figure(f.Following), figure(f.Posts))
	})
}

// AnalyticsBestTimes shows when to post.
type AnalyticsBestTimes struct {
	Access
	Shape
	Range
	Timezone string `default:"UTC" env:"-" help:"IANA name of the time zone of the hours."`
	Best     string `default:"engagement" env:"-" help:"By what posts are compared: impressions, reach, views, likes, comments, shares, saves, clicks, watchSeconds, or engagement."`
	Limit    int    `default:"10" env:"-" help:"How many hours are shown, up to 168."`
}

// Run shows the hours, and how far they can be trusted.
func (a *AnalyticsBestTimes) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	from, to, err := a.days()
	if err != nil {
		return err
	}
	best, err := c.Analytics.BestTimes(ctx, client.BestTimesFilter{
		From: from, To: to, Platform: client.Platform(a.Platform), AccountID: a.Account, BrandID: a.Brand,
		Timezone: a.Timezone, Best: client.Metric(a.Best), Top: a.Limit,
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return t.object(best)
	}
	fmt.Fprintf(t.Out, "%d posts, confidence %s: %s\n", best.Posts, best.Confidence, best.Note)
	return lines(t, a.Shape, best.Times, row("WEEKDAY", "HOUR", "LIFT", "LOW", "HIGH", "POSTS", "CONFIDENCE"), func(b client.BestTime) string {
		return row(string(b.Weekday), fmt.Sprintf("%02d:00", b.Hour), percent(b.Lift), percent(b.Low), percent(b.High), strconv.Itoa(b.Posts), string(b.Confidence))
	})
}

// figure is a number, where it is known.
func figure(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func percent(share float64) string { return fmt.Sprintf("%+.0f%%", share*100) }
