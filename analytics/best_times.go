package analytics

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"crier/schema"
)

const (
	weekdays, hours = 7, 24
	// shrinkage is how many posts what is expected beforehand weighs as much as: an hour with
	// as many of its own lies halfway between.
	shrinkage = 8
	// manyPosts is from how many posts on an account's own history may say something surely.
	manyPosts = 150
	// quantile is that of the normal distribution beyond which a tenth lies.
	quantile = 1.2816
)

// BestTimes returns when posts do best, from the history of the accounts of the query.
//
// Each post stands for the logarithm of its metric a day after it was published, less the mean
// of its account: accounts of any size compare. What an hour of a weekday is expected to bring
// is first what its hour and its weekday bring over the workspace's other accounts, then what
// they bring over the accounts' own, then the hour's own posts: each step weighs its posts
// against shrinkage posts of the step before.
func (q *Queries) BestTimes(ctx context.Context, workspace schema.WorkspaceID, query schema.BestTimesQuery) (schema.BestTimes, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	sums, err := q.store.SlotSums(ctx, workspace, query)
	if err != nil {
		return schema.BestTimes{}, err
	}
	if query.Sandbox {
		sums = append(sums, sandboxHistory(query)...)
	}
	return bestTimes(sums), nil
}

// mean is that of posts.
type mean struct{ n, sum float64 }

func (m *mean) add(n int, sum float64) {
	m.n += float64(n)
	m.sum += sum
}

// towards returns the mean as it is expected, which lies between that of the posts and what
// was expected before.
func (m mean) towards(before float64) float64 { return (m.sum + shrinkage*before) / (m.n + shrinkage) }

// effects are the means of hours, of weekdays, and of hours of weekdays.
type effects struct {
	hour  [hours]mean
	day   [weekdays]mean
	slot  [weekdays][hours]mean
	posts int
}

func (e *effects) add(s schema.SlotSum) {
	e.hour[s.Hour].add(s.Posts, s.Sum)
	e.day[s.Weekday].add(s.Posts, s.Sum)
	e.slot[s.Weekday][s.Hour].add(s.Posts, s.Sum)
	e.posts += s.Posts
}

func bestTimes(sums []schema.SlotSum) schema.BestTimes {
	var own, others effects
	var squares float64
	for _, s := range sums {
		if s.Own {
			own.add(s)
		} else {
			others.add(s)
		}
		squares += s.Squares
	}
	best := schema.BestTimes{Posts: own.posts, Others: others.posts, Confidence: schema.NoConfidence}
	posts := own.posts + others.posts
	if posts == 0 {
		return best
	}
	spread := math.Sqrt(max(squares, 0) / float64(posts))
	for day := range weekdays {
		for hour := range hours {
			prior := own.hour[hour].towards(others.hour[hour].towards(0)) + own.day[day].towards(others.day[day].towards(0))
			slot := own.slot[day][hour]
			effect, within := slot.towards(prior), quantile*spread/math.Sqrt(slot.n+shrinkage)
			best.Times = append(best.Times, schema.BestTime{
				Weekday: time.Weekday(day), Hour: hour, Posts: int(slot.n),
				Lift: math.Expm1(effect), Low: math.Expm1(effect - within), High: math.Expm1(effect + within),
				Confidence: confidence(own.posts, effect-within),
			})
		}
	}
	slices.SortStableFunc(best.Times, func(a, b schema.BestTime) int { return cmp.Compare(b.Lift, a.Lift) })
	best.Confidence = best.Times[0].Confidence
	return best
}

// confidence in that an hour does better than the mean, of which low is the least that is
// likely.
func confidence(posts int, low float64) schema.Confidence {
	switch {
	case posts < schema.EnoughPosts || low <= 0:
		return schema.LowConfidence
	case posts < manyPosts:
		return schema.MediumConfidence
	default:
		return schema.HighConfidence
	}
}
