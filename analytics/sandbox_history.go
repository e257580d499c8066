package analytics

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"crier/schema"
)

// What the made-up history of a sandbox is like: its posts are the more engaging the nearer they are to
// the hours at which its audience reads, and less so at weekends.
const (
	sandboxPostsADay = 3
	maxSandboxDays   = 400
	sandboxMorning   = 9 // hours of UTC
	sandboxEvening   = 18
	sandboxSpread    = 0.25 // of what chance adds to a post
	sandboxWeekend   = 0.3  // that is missing at weekends
)

// sandboxHistory is what the posts of a sandbox came to in the days of a query, as SlotSums has it. Nobody
// has published there for months when they try best times out. It is the same at every request.
func sandboxHistory(query schema.BestTimesQuery) []schema.SlotSum {
	first := query.From.UTC().Truncate(24 * time.Hour)
	if oldest := query.To.AddDate(0, 0, -maxSandboxDays); first.Before(oldest) {
		first = oldest.UTC().Truncate(24 * time.Hour)
	}
	var posts []sandboxPost
	total := 0.0
	for day := first; !day.After(query.To); day = day.AddDate(0, 0, 1) {
		chance := rand.New(rand.NewPCG(uint64(day.Unix()), 0)) //nolint:gosec // nothing is secret
		for range sandboxPostsADay {
			p := sandboxPost{at: day.Add(time.Duration(chance.IntN(24*60)) * time.Minute)}
			p.value = readers(p.at) + sandboxSpread*chance.NormFloat64()
			posts, total = append(posts, p), total+p.value
		}
	}
	var slots [weekdays][hours]schema.SlotSum
	for _, p := range posts {
		local, value := p.at.In(query.Zone), p.value-total/float64(len(posts))
		slot := &slots[local.Weekday()][local.Hour()]
		slot.Own, slot.Weekday, slot.Hour = true, local.Weekday(), local.Hour()
		slot.Posts++
		slot.Sum += value
		slot.Squares += value * value
	}
	var sums []schema.SlotSum
	for _, day := range slots {
		sums = append(sums, day[:]...)
	}
	return slices.DeleteFunc(sums, func(s schema.SlotSum) bool { return s.Posts == 0 })
}

type sandboxPost struct {
	at    time.Time
	value float64 // the logarithm of what it came to
}

// readers is how many read at a time, as a logarithm: most in the morning, and again in the evening.
func readers(at time.Time) float64 {
	hour := float64(at.Hour()) + float64(at.Minute())/60
	near := func(peak float64) float64 { return math.Exp(-(hour - peak) * (hour - peak) / 4) }
	value := near(sandboxMorning) + 0.7*near(sandboxEvening)
	if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
		value -= sandboxWeekend
	}
	return value
}
