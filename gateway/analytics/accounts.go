package analytics

import (
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

type followersResponse struct {
	Success  bool               `json:"success"`
	From     string             `json:"from"`
	To       string             `json:"to"`
	Totals   followersTotals    `json:"totals"`
	Series   []followersDay     `json:"series"`
	Accounts []followersAccount `json:"accounts"`
	Warnings []schema.Detail    `json:"warnings,omitempty"`
}

// followersTotals leave youtube out.
type followersTotals struct {
	Followers *int64 `json:"followers"` // null: not known
	Change    *int64 `json:"change"`    // of the accounts of which it is known
	Accounts  int    `json:"accounts"`
}

type followersDay struct {
	Day       string `json:"day"`
	Followers int64  `json:"followers"`
	Accounts  int    `json:"accounts"`
}

type followersAccount struct {
	Account   schema.AccountID `json:"accountId"`
	Platform  schema.Platform  `json:"platform"`
	Day       string           `json:"day"`
	Followers *int64           `json:"followers"`
	Following *int64           `json:"following"`
	Posts     *int64           `json:"posts"`
	Change    *int64           `json:"change"`
}

// followers answers with how accounts gain followers.
func (a *analytics) followers(c *gin.Context) error {
	q, err := a.readQuery(c, defaultSpan)
	if err != nil {
		return err
	}
	if err := q.Finish(); err != nil {
		return err
	}
	report, err := a.Figures.Followers(c.Request.Context(), q.workspace, q.filter)
	if err != nil {
		return err
	}
	if q.csv {
		followersTable(report).write(c, "followers")
		return nil
	}
	reply := followersResponse{
		Success: true, From: dateOf(q.filter.From), To: dateOf(q.filter.To),
		Series: make([]followersDay, len(report.Days)), Accounts: make([]followersAccount, len(report.Accounts)), Warnings: q.Report.Warnings,
	}
	for i, d := range report.Days {
		reply.Series[i] = followersDay{dateOf(d.Day), d.Followers, d.Accounts}
	}
	for i, account := range report.Accounts {
		l := account.Latest
		reply.Accounts[i] = followersAccount{l.Account, l.Platform, dateOf(l.Day), l.Followers.Followers, l.Following, l.Posts, account.Change}
		if l.Platform == schema.YouTube {
			continue
		}
		if account.Change != nil {
			reply.Totals.Change = sum(reply.Totals.Change, *account.Change)
		}
	}
	if n := len(report.Days); n > 0 {
		last := report.Days[n-1]
		reply.Totals.Followers, reply.Totals.Accounts = &last.Followers, last.Accounts
	}
	return answer.JSON(c, http.StatusOK, reply)
}

func sum(total *int64, n int64) *int64 {
	if total != nil {
		n += *total
	}
	return &n
}

func followersTable(report schema.FollowersReport) *table {
	t := &table{columns: []string{"account_id", "platform", "day", "followers", "following", "posts", "change"}}
	for _, account := range report.Accounts {
		l := account.Latest
		t.add(l.Account.String(), l.Platform.String(), dateOf(l.Day), number(l.Followers.Followers), number(l.Following), number(l.Posts), number(account.Change))
	}
	return t
}

type retentionResponse struct {
	Success     bool            `json:"success"`
	From        string          `json:"from"`
	To          string          `json:"to"`
	Videos      []retentionView `json:"videos"`
	Unavailable string          `json:"unavailable"`
	Warnings    []schema.Detail `json:"warnings,omitempty"`
}

// retentionView is how long people watch a video.
type retentionView struct {
	Post           schema.PostID    `json:"postId"`
	Account        schema.AccountID `json:"accountId"`
	NativeID       string           `json:"platformPostId"`
	PostedAt       string           `json:"postedAt"`
	MeasuredAt     string           `json:"measuredAt"`
	Views          *int64           `json:"views"`
	WatchSeconds   *int64           `json:"watchSeconds"`
	AverageSeconds *float64         `json:"averageViewSeconds"` // null: not known
	Curve          []float64        `json:"curve"`              // null: not available
	CurveAt        []float64        `json:"curveAt,omitempty"`  // the shares of the video that are over at the curve's points
}

// retention answers with how long people watch the videos on youtube, the most viewed first.
func (a *analytics) retention(c *gin.Context) error {
	q, err := a.readQuery(c, defaultSpan)
	if err != nil {
		return err
	}
	q.post()
	if q.filter.Platform != 0 && q.filter.Platform != schema.YouTube {
		q.Report.Fail("platform", body.CodeInvalidValue, "only youtube has retention")
	}
	q.filter.Platform = schema.YouTube
	limit := q.Integer("limit", body.DefaultLimit, maxTop)
	if err := q.Finish(); err != nil {
		return err
	}
	posts, err := a.Figures.TopPosts(c.Request.Context(), q.workspace, q.filter, schema.TopQuery{By: schema.MetricViews, Limit: limit})
	if err != nil {
		return err
	}
	reply := retentionResponse{Success: true, From: dateOf(q.filter.From), To: dateOf(q.filter.To), Videos: make([]retentionView, len(posts)), Unavailable: noCurve, Warnings: q.Report.Warnings}
	t := &table{columns: []string{"post_id", "account_id", "platform_post_id", "posted_at", "measured_at", "views", "watch_seconds", "average_view_seconds"}}
	for i := range posts {
		p := &posts[i]
		v := retentionView{
			Post: p.Post, Account: p.Account, NativeID: p.NativeID, PostedAt: timeOf(p.PostedAt), MeasuredAt: timeOf(p.MeasuredAt),
			Views: p.Metrics.Views, WatchSeconds: p.Metrics.WatchSeconds,
		}
		average := ""
		if v.Views != nil && *v.Views > 0 && v.WatchSeconds != nil {
			seconds := float64(*v.WatchSeconds) / float64(*v.Views)
			v.AverageSeconds, average = &seconds, decimal(seconds)
		}
		reply.Videos[i] = v
		t.add(v.Post.String(), v.Account.String(), v.NativeID, v.PostedAt, v.MeasuredAt, number(v.Views), number(v.WatchSeconds), average)
	}
	if q.csv {
		t.write(c, "retention")
		return nil
	}
	if !q.filter.Post.IsZero() && len(reply.Videos) == 1 {
		reply.Unavailable = a.addCurve(c.Request.Context(), q, &reply.Videos[0], posts[0].PostedAt)
	}
	return answer.JSON(c, http.StatusOK, reply)
}

type bestTimesResponse struct {
	Success    bool              `json:"success"`
	From       string            `json:"from"`
	To         string            `json:"to"`
	Timezone   string            `json:"timezone"`
	Metric     schema.Metric     `json:"metric"`
	Method     string            `json:"method"`
	Confidence schema.Confidence `json:"confidence"`
	Note       string            `json:"note,omitempty"`
	Posts      int               `json:"posts"`
	OtherPosts int               `json:"otherPosts"`
	Times      []bestTimeView    `json:"times"`
	Warnings   []schema.Detail   `json:"warnings,omitempty"`
}

type bestTimeView struct {
	Weekday    string            `json:"weekday"`
	Hour       int               `json:"hour"`
	Lift       float64           `json:"lift"`
	Low        float64           `json:"low"`
	High       float64           `json:"high"`
	Posts      int               `json:"posts"`
	Confidence schema.Confidence `json:"confidence"`
}

const method = "The metric of each post a day after it was published is compared with its account's mean, in logarithms. " +
	"An hour of a weekday is expected to do as its hour and its weekday do, and as its own posts did, each weighed against 8 posts of what is known without them: " +
	"first of the workspace's other accounts, then of the account's own. low and high hold four times out of five."

// manyHours is all of a week.
const manyHours = 7 * 24

// bestTimes answers with the hours of the week in which posts do best.
func (a *analytics) bestTimes(c *gin.Context) error {
	q, err := a.readQuery(c, historySpan)
	if err != nil {
		return err
	}
	query := schema.BestTimesQuery{Metric: q.metric("metric", schema.MetricEngagement)}
	zone, ok := q.Word("timezone")
	if !ok {
		zone = "UTC"
	}
	if query.Zone, err = a.Zones.Load(zone); err != nil {
		q.Report.Fail("timezone", body.CodeInvalidValue, err.Error())
	}
	limit := q.Integer("limit", defaultTop, manyHours)
	if err := q.Finish(); err != nil {
		return err
	}
	query.AnalyticsFilter, query.Sandbox = q.filter, admission.RequestOf(c).Key.Sandbox
	if query.Sandbox {
		q.Report.Warn("query", "sandbox_history", "with a test key the posts that these times follow from are made up, beside your own")
	}
	best, err := a.Figures.BestTimes(c.Request.Context(), q.workspace, query)
	if err != nil {
		return err
	}
	reply := bestTimesResponse{
		Success: true, From: dateOf(q.filter.From), To: dateOf(q.filter.To), Timezone: zone, Metric: query.Metric, Method: method,
		Confidence: best.Confidence, Note: noteOf(best), Posts: best.Posts, OtherPosts: best.Others, Times: []bestTimeView{}, Warnings: q.Report.Warnings,
	}
	t := &table{columns: []string{"weekday", "hour", "lift", "low", "high", "posts", "confidence"}}
	for _, b := range best.Times[:min(limit, len(best.Times))] {
		v := bestTimeView{weekdayOf(b), b.Hour, b.Lift, b.Low, b.High, b.Posts, b.Confidence}
		reply.Times = append(reply.Times, v)
		t.add(v.Weekday, strconv.Itoa(v.Hour), decimal(v.Lift), decimal(v.Low), decimal(v.High), strconv.Itoa(v.Posts), string(v.Confidence))
	}
	if q.csv {
		t.write(c, "best-times")
		return nil
	}
	return answer.JSON(c, http.StatusOK, reply)
}
