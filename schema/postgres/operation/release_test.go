package operation_test

import (
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

// yesterday moves what is scheduled for tomorrow to yesterday, with its units.
func (f *fixture) yesterday() {
	f.Helper()
	for _, sql := range []string{
		`update posts set scheduled_for = scheduled_for - interval '2 days'`,
		`update targets set charged_on = charged_on - 2`,
		`update counters set period = period - 2`,
	} {
		f.Exec(sql)
	}
}

// unitsOn returns what is used of an account's day.
func (f *fixture) unitsOn(account schema.AccountID, day time.Time) int {
	f.Helper()
	used, _ := f.Counter(account, day)
	return used
}

func TestAReleaseTakesUnitsOfTheDayItIsMadeOn(t *testing.T) {
	if left := time.Until(schema.DayOf(time.Now()).AddDate(0, 0, 1)); left < 3*time.Minute { // all of it is of one day
		time.Sleep(left)
	}
	f := newFixture(t)
	today := f.Began
	admin := postgres.NewAdmin(f.Store)
	create := func(accounts int, more ...schema.Entry) schema.Post {
		time.Sleep(2 * time.Millisecond) // the order of ids is that of milliseconds
		p := f.PostOn(accounts, f.Noon(1))
		p.Content.Entries = append(p.Content.Entries, more...)
		return f.Create(p)
	}
	first, second, both, begun := create(1), create(1), create(2), create(1, schema.Entry{Text: "and on"})
	f.Finish(f.Claim(begun, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "head"}})
	f.yesterday()
	before := today.AddDate(0, 0, -1)
	if held, err := f.Store.HoldOverdue(t.Context()); err != nil || held != 4 {
		t.Fatalf("held %d, %v", held, err)
	}

	since := f.Store.Now()
	f.Exec(`insert into counters select subject, current_date, 19, 20 from counters where used = 4`) // one unit is left
	n, unreleased, err := admin.Release(t.Context(), nil, postgrestest.Constraints)
	if err != nil || n != 1 || len(unreleased) != 3 || unreleased[0].Post != second.ID {
		t.Fatalf("released %d, kept %+v, %v; want the first alone", n, unreleased, err)
	}
	postgrestest.WantKind(t, unreleased[0].Reason, schema.DailyLimitReached)
	if says := unreleased[0].Reason.Message; !strings.Contains(says, schema.DayOf(today).Format(time.DateOnly)+" is full") {
		t.Errorf("it stays because %q", says)
	}
	if now, then := f.unitsOn(f.Accounts[0], today), f.unitsOn(f.Accounts[0], before); now != postgrestest.DailyCap || then != 3 {
		t.Errorf("%d units of today are used and %d of yesterday", now, then)
	}
	if f.unitsOn(f.Accounts[1], today) != 0 || len(f.Claim(both, 1)) != 0 {
		t.Error("a part of a post that stays was released")
	}
	if d := f.MustClaim(first, 0); d.DueAt.Before(since.Add(-time.Second)) {
		t.Errorf("the released post is due %v, want it from now on", d.DueAt)
	}

	f.Exec(`update counters set used = 10 where period = current_date`)
	if n, unreleased, err := admin.Release(t.Context(), []schema.PostID{both.ID, begun.ID}, postgrestest.Constraints); err != nil || n != 2 || len(unreleased) > 0 {
		t.Fatalf("released %d, kept %+v, %v", n, unreleased, err)
	}
	for account, want := range map[schema.AccountID][2]int{f.Accounts[0]: {2, 12}, f.Accounts[1]: {0, 1}} {
		if then, now := f.unitsOn(account, before), f.unitsOn(account, today); [2]int{then, now} != want {
			t.Errorf("%d units of yesterday and %d of today are used, want %v: what is there already keeps its unit", then, now, want)
		}
	}
	cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, both.ID)
	if now := f.unitsOn(f.Accounts[0], today); err != nil || !cancelled || now != 11 {
		t.Errorf("a cancel leaves %d units of today used, %v", now, err)
	}
}

func TestManyAreReleasedInBatches(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	f.Exec(`insert into holds (subject, kind, reason) select uuidv7(), 4, 'of posts that are gone' from generate_series(1, 450)`)
	if n, unreleased, err := admin.Release(t.Context(), nil, postgrestest.Constraints); err != nil || n != 450 || len(unreleased) > 0 {
		t.Errorf("released %d, kept %v, %v", n, unreleased, err)
	}
	f.Exec(`insert into holds (subject, kind, reason) select uuidv7(), 4, 'of posts that are gone' from generate_series(1, 450)`)
	if n, err := admin.CancelReviewed(t.Context(), nil); err != nil || n != 450 {
		t.Errorf("cancelled %d, %v", n, err)
	}
}
