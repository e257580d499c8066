package schema

import (
	"slices"
	"time"
)

// AnalyticsFilter selects what figures are about.
type AnalyticsFilter struct {
	From, To time.Time   // UTC days, both included
	Platform Platform    // zero: any
	Accounts []AccountID // nil: any
	Post     PostID      // zero: any
}

// Metric names one of Metrics, or MetricEngagement.
type Metric string

// The metrics, by their names in the API.
const (
	MetricImpressions  Metric = "impressions"
	MetricReach        Metric = "reach"
	MetricViews        Metric = "views"
	MetricLikes        Metric = "likes"
	MetricComments     Metric = "comments"
	MetricShares       Metric = "shares"
	MetricSaves        Metric = "saves"
	MetricClicks       Metric = "clicks"
	MetricWatchSeconds Metric = "watchSeconds"
	MetricEngagement   Metric = "engagement" // likes, comments, shares, saves and clicks together
)

// MetricNames returns the names of Metrics, in their order, without engagement.
func MetricNames() []Metric {
	return []Metric{
		MetricImpressions, MetricReach, MetricViews, MetricLikes, MetricComments, MetricShares, MetricSaves, MetricClicks, MetricWatchSeconds,
	}
}

// Of returns the metric of that name; nil: not known.
func (m *Metrics) Of(name Metric) *int64 {
	i := slices.Index(MetricNames(), name)
	if i < 0 {
		return nil
	}
	return [...]*int64{m.Impressions, m.Reach, m.Views, m.Likes, m.Comments, m.Shares, m.Saves, m.Clicks, m.WatchSeconds}[i]
}

// PostFigures is how posts do that share what is set of Day, Account and Platform; nothing is
// set in that of all of them.
type PostFigures struct {
	Day      time.Time // on which they were published, UTC; zero: of any
	Account  AccountID // zero: of any
	Platform Platform  // zero: of any
	Posts    int       // published targets of which metrics are known
	Metrics  Metrics   // of all of them together, by the latest look
}

// PostFigure is how one published target does.
type PostFigure struct {
	Post       PostID
	Account    AccountID
	Platform   Platform
	NativeID   string
	PostedAt   time.Time
	MeasuredAt time.Time
	Metrics    Metrics
}

// TopQuery asks for those posts that do best.
type TopQuery struct {
	By    Metric
	Limit int
}

// FollowersRow is a day's look at an account.
type FollowersRow struct {
	Day      time.Time // UTC midnight
	Account  AccountID
	Platform Platform
	Followers
}

// FollowersDay is how many followers accounts have on a day, by the latest look at each.
type FollowersDay struct {
	Day       time.Time
	Followers int64
	Accounts  int // that are counted
}

// FollowersReport is how accounts gain followers. Those of youtube are in Accounts alone: they
// are subscribers, which youtube rounds.
type FollowersReport struct {
	Days     []FollowersDay
	Accounts []FollowersAccount
}

// FollowersAccount is how one account gains followers.
type FollowersAccount struct {
	Latest FollowersRow
	Change *int64 // since the first look of the range; nil: not known
}

// BestTimesQuery asks when posts do best.
type BestTimesQuery struct {
	AnalyticsFilter
	Metric  Metric
	Zone    *time.Location
	Sandbox bool // of a workspace whose posts go to simulators: it has a history from its first day on
}

// SlotSum is what posts of one hour of one weekday came to a day after they were published, each
// as the difference of the logarithm from the mean of its account.
type SlotSum struct {
	Own     bool // of the accounts that are asked about; else of the workspace's others
	Weekday time.Weekday
	Hour    int
	Posts   int
	Sum     float64
	Squares float64 // those of all hours are right together, each by itself is not
}

// EnoughPosts is from how many posts on an account's own history says something.
const EnoughPosts = 30

// Confidence is how far a statement can be trusted.
type Confidence string

// The confidences.
const (
	NoConfidence     Confidence = "none"
	LowConfidence    Confidence = "low"
	MediumConfidence Confidence = "medium"
	HighConfidence   Confidence = "high"
)

// BestTime is what is expected of posts in one hour of one weekday.
type BestTime struct {
	Weekday    time.Weekday
	Hour       int
	Lift       float64 // expected, relative to the account's mean post: 0.2 is a fifth more
	Low, High  float64 // between which it lies, four times out of five
	Posts      int     // of the account's own history in that hour
	Confidence Confidence
}

// BestTimes is when posts do best, the best first.
type BestTimes struct {
	Times      []BestTime // of all 168 hours; none without any history
	Posts      int        // of own history
	Others     int        // posts of the workspace's other accounts
	Confidence Confidence // in the first of Times
}

// ViewQuery asks for rows of a view of dashboards.
type ViewQuery struct {
	View      string
	Workspace WorkspaceID // zero: all
	From, To  time.Time   // To is not included
	Limit     int
}

// RollupKind is a kind of facts that are counted beforehand, by the UTC days of workspaces.
type RollupKind string

// The kinds of what is counted beforehand.
const (
	RollupOutcomes   RollupKind = "outcomes"
	RollupPosts      RollupKind = "posts"
	RollupDeliveries RollupKind = "deliveries"
	RollupAPIUsage   RollupKind = "api_usage"
	RollupFeed       RollupKind = "feed"
)

// RollupKinds returns the kinds.
func RollupKinds() []RollupKind {
	return []RollupKind{RollupOutcomes, RollupPosts, RollupDeliveries, RollupAPIUsage, RollupFeed}
}
