package postgrestest

import (
	"time"

	"crier/schema"
)

// DailyCap is what every platform of these tests takes of an account a day.
const DailyCap = 20

// UnitsUsed returns how many units of an account's day are used. It fails the test where targets hold another
// number.
func (f *Fixture) UnitsUsed(account schema.AccountID, day time.Time) int {
	f.Helper()
	used, held := f.Counter(account, day)
	if used != held {
		f.Errorf("%d units are used on %s, and %d held by targets", used, day.Format(time.DateOnly), held)
	}
	return used
}

// Noon is the middle of a day ahead, the same for all of a test that runs over midnight.
func (f *Fixture) Noon(daysAhead int) time.Time {
	return schema.DayOf(f.Began).AddDate(0, 0, daysAhead).Add(12 * time.Hour)
}

// FillDay takes n units of the first account's day.
func (f *Fixture) FillDay(day time.Time, n int) []schema.Post {
	f.Helper()
	var posts []schema.Post
	for range n {
		posts = append(posts, f.Create(f.PostOn(1, day)))
	}
	return posts
}

// Counter returns how many units of an account's day are used, and how many of them targets hold.
func (f *Fixture) Counter(account schema.AccountID, day time.Time) (used, held int) {
	f.Helper()
	f.Must(f.Store.Pool.QueryRow(f.Context(), `
		select coalesce((select used from counters where subject = $1 and period = $2), 0),
			(select count(*) from targets where account_id = $1 and charged_on = $2)`, account, schema.DayOf(day)).Scan(&used, &held))
	return used, held
}
