package postgres_test

import (
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// yesterday moves what is scheduled for tomorrow to yesterday, with its units.
func (f *fixture) yesterday() {
	f.Helper()
	for _, sql := range []string{
		`update posts set scheduled_for = scheduled_for - interval '2 days'`,
		`update targets set charged_on = charged_on - 2`,
		`update counters set period = period - 2`,
	} {
		f.exec(sql)
	}
}

// unitsOn returns what is used of an account's day.
func (f *fixture) unitsOn(account schema.AccountID, day time.Time) int {
	f.Helper()
	used, _, err := f.store.Counter(f.Context(), account, schema.DayOf(day))
	f.must(err)
	return used
}

func TestAReleaseTakesUnitsOfTheDayItIsMadeOn(t *testing.T) {
	f := newFixture(t)
	today := f.store.Now()
	for left := schema.DayOf(today).AddDate(0, 0, 1).Sub(today); left < 3*time.Minute; { // no test runs over midnight
		time.Sleep(left)
		today, left = f.store.Now(), time.Hour
	}
	admin := postgres.NewAdmin(f.store)
	create := func(accounts int, more ...schema.Entry) schema.Post {
		time.Sleep(2 * time.Millisecond) // the order of ids is that of milliseconds
		p := f.on(accounts, f.noon(1))
		p.Content.Entries = append(p.Content.Entries, more...)
		return f.create(p)
	}
	first, second, both, begun := create(1), create(1), create(2), create(1, schema.Entry{Text: "and on"})
	f.finish(f.claim(begun, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "head"}})
	f.yesterday()
	before := today.AddDate(0, 0, -1)
	if held, err := f.store.HoldOverdue(t.Context()); err != nil || held != 4 {
		t.Fatalf("held %d, %v", held, err)
	}

	asked := f.store.Now()
	f.exec(`insert into counters select subject, current_date, 19, 20 from counters where used = 4`) // one unit is left
	n, kept, err := admin.Release(t.Context(), nil, constraints)
	if err != nil || n != 1 || len(kept) != 3 || kept[0].Post != second.ID {
		t.Fatalf("released %d, kept %+v, %v; want the first alone", n, kept, err)
	}
	wantKind(t, kept[0].Reason, schema.DailyLimitReached)
	if says := kept[0].Reason.Message; !strings.Contains(says, schema.DayOf(today).Format(time.DateOnly)+" is full") {
		t.Errorf("it stays because %q", says)
	}
	if now, then := f.unitsOn(f.accounts[0], today), f.unitsOn(f.accounts[0], before); now != dailyCap || then != 3 {
		t.Errorf("%d units of today are used and %d of yesterday", now, then)
	}
	if f.unitsOn(f.accounts[1], today) != 0 || len(f.claim(both, 1)) != 0 {
		t.Error("a part of a post that stays was released")
	}
	if d := f.claimOne(first, 0); d.DueAt.Before(asked.Add(-time.Second)) {
		t.Errorf("the released post is due %v, want it from now on", d.DueAt)
	}

	f.exec(`update counters set used = 10 where period = current_date`)
	if n, kept, err := admin.Release(t.Context(), []schema.PostID{both.ID, begun.ID}, constraints); err != nil || n != 2 || len(kept) > 0 {
		t.Fatalf("released %d, kept %+v, %v", n, kept, err)
	}
	for account, want := range map[schema.AccountID][2]int{f.accounts[0]: {2, 12}, f.accounts[1]: {0, 1}} {
		if then, now := f.unitsOn(account, before), f.unitsOn(account, today); [2]int{then, now} != want {
			t.Errorf("%d units of yesterday and %d of today are used, want %v: what is there already keeps its unit", then, now, want)
		}
	}
	cancelled, err := f.gateway.Delete(t.Context(), f.workspace, both.ID)
	if now := f.unitsOn(f.accounts[0], today); err != nil || !cancelled || now != 11 {
		t.Errorf("a cancel leaves %d units of today used, %v", now, err)
	}
}

func TestManyAreReleasedInBatches(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	f.exec(`insert into holds (subject, kind, reason) select uuidv7(), 4, 'of posts that are gone' from generate_series(1, 450)`)
	if n, kept, err := admin.Release(t.Context(), nil, constraints); err != nil || n != 450 || len(kept) > 0 {
		t.Errorf("released %d, kept %v, %v", n, kept, err)
	}
	f.exec(`insert into holds (subject, kind, reason) select uuidv7(), 4, 'of posts that are gone' from generate_series(1, 450)`)
	if n, err := admin.CancelReviewed(t.Context(), nil); err != nil || n != 450 {
		t.Errorf("cancelled %d, %v", n, err)
	}
}
