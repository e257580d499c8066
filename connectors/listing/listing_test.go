package listing

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"crier/schema"
)

var claim = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func at(after time.Duration) Item {
	return Item{ID: after.String(), At: claim.Add(after), Alike: true}
}

func TestFind(t *testing.T) {
	own := at(-time.Hour)
	own.Own, own.Alike = true, false
	other := at(time.Second)
	other.Alike = false
	near := func(after time.Duration) Item {
		item := at(after)
		item.Alike, item.Near = false, true
		return item
	}
	for name, tt := range map[string]struct {
		items  []Item
		d      schema.Delivery
		passed time.Duration
		want   schema.Verdict
		id     string
		later  bool // it is to be looked again
	}{
		"nothing":                              {want: schema.NotThere},
		"another":                              {items: []Item{other}, want: schema.NotThere},
		"one since":                            {items: []Item{at(time.Second)}, want: schema.Found, id: "1s"},
		"the oldest of two":                    {items: []Item{at(2 * time.Second), at(time.Second)}, want: schema.Found, id: "1s"},
		"one that is known":                    {items: []Item{at(2 * time.Second), at(time.Second)}, d: schema.Delivery{Known: []string{"1s"}}, want: schema.Found, id: "2s"},
		"one of the same thread":               {items: []Item{at(time.Second)}, d: schema.Delivery{Receipts: []schema.Receipt{{NativeID: "1s"}}}, want: schema.NotThere},
		"within the slack of a clock":          {items: []Item{at(-2 * time.Second)}, want: schema.Found, id: "-2s"},
		"right before":                         {items: []Item{at(-10 * time.Second)}, want: schema.CannotTell, later: true},
		"right before, long after":             {items: []Item{at(-10 * time.Second)}, passed: time.Hour, want: schema.CannotTell},
		"nearly like it":                       {items: []Item{near(time.Second)}, want: schema.CannotTell, later: true},
		"nearly like it, long after":           {items: []Item{near(time.Second)}, passed: time.Hour, want: schema.CannotTell},
		"nearly like it, long before":          {items: []Item{near(-time.Hour)}, want: schema.NotThere},
		"nearly like it, and another's":        {items: []Item{near(time.Second)}, d: schema.Delivery{Known: []string{"1s"}}, want: schema.NotThere},
		"one since, and one nearly like it":    {items: []Item{near(2 * time.Second), at(time.Second)}, want: schema.Found, id: "1s"},
		"long before":                          {items: []Item{at(-time.Hour)}, want: schema.NotThere},
		"its own, whenever":                    {items: []Item{own}, d: schema.Delivery{Shared: true}, want: schema.Found, id: "-1h0m0s"},
		"one that may be another's":            {items: []Item{at(time.Second)}, d: schema.Delivery{Shared: true}, want: schema.CannotTell, later: true},
		"one that nobody else has claimed yet": {items: []Item{at(time.Second)}, d: schema.Delivery{Shared: true}, passed: time.Minute, want: schema.Found, id: "1s"},
		"a clock that was set back":            {passed: -time.Minute, want: schema.CannotTell, later: true},
	} {
		t.Run(name, func(t *testing.T) {
			tt.d.Since = claim
			now := func() time.Time { return claim.Add(tt.passed + 5*time.Second) }
			item, verdict, err := Search{Now: now, Read: func(context.Context, string) (Page, error) { return Page{Items: tt.items}, nil }}.Find(t.Context(), tt.d)
			if verdict != tt.want || item.ID != tt.id || (err != nil) != tt.later {
				t.Errorf("Find = %+v, %v, %v", item, verdict, err)
			}
		})
	}
}

// pages is a listing of one item a page, a minute apart, the newest first.
func pages(read *int, total int) func(context.Context, string) (Page, error) {
	return func(_ context.Context, next string) (Page, error) {
		*read++
		n, _ := strconv.Atoi(next)
		item := at(time.Duration(5-n) * time.Minute)
		item.Alike = n == 4 // of a minute after the claim
		p := Page{Items: []Item{item}, Until: item.At}
		if n+1 < total {
			p.Next = strconv.Itoa(n + 1)
		}
		return p, nil
	}
}

func TestFindReadsBackToTheClaimAndNoFurther(t *testing.T) {
	now := func() time.Time { return claim.Add(10 * time.Minute) }
	read := 0
	item, verdict, err := Search{Now: now, Read: pages(&read, 100)}.Find(t.Context(), schema.Delivery{Since: claim})
	if verdict != schema.Found || item.ID != "1m0s" || err != nil || read != 8 {
		t.Errorf("Find = %+v, %v, %v after %d pages", item, verdict, err, read)
	}
	read = 0
	older := schema.Delivery{Since: claim.Add(-time.Hour), Known: []string{"1m0s"}}
	if _, verdict, err := (Search{Now: now, Read: pages(&read, 100)}).Find(t.Context(), older); verdict != schema.CannotTell || err != nil || read != MaxPages {
		t.Errorf("Find of more than can be read = %v, %v after %d pages", verdict, err, read)
	}
}

func TestFindGoesByThePlatformsClock(t *testing.T) {
	now := func() time.Time { return claim.Add(5 * time.Second) }
	ahead := 10 * time.Minute
	_, verdict, _ := Search{Now: now, Read: func(context.Context, string) (Page, error) {
		return Page{Items: []Item{at(time.Second)}, Skew: ahead}, nil // ten minutes before the claim
	}}.Find(t.Context(), schema.Delivery{Since: claim})
	if verdict != schema.NotThere {
		t.Errorf("verdict %v", verdict)
	}
}

func TestFindThatCannotRead(t *testing.T) {
	failed := errors.New("failed")
	_, verdict, err := Search{Now: func() time.Time { return claim }, Read: func(context.Context, string) (Page, error) { return Page{}, failed }}.Find(t.Context(), schema.Delivery{Since: claim})
	if verdict != schema.CannotTell || !errors.Is(err, failed) {
		t.Errorf("Find = %v, %v", verdict, err)
	}
}

// A duplicate is evidence of an earlier call where there was one.
func TestOfFirstCall(t *testing.T) {
	duplicate, other := &schema.Error{Kind: schema.Duplicate, Message: "m"}, &schema.Error{Kind: schema.Retryable}
	for name, tt := range map[string]struct {
		d    schema.Delivery
		err  error
		want schema.ErrorKind
	}{
		"a duplicate of the first call":   {schema.Delivery{}, duplicate, schema.Refused},
		"a duplicate of the second":       {schema.Delivery{Attempts: 1}, duplicate, schema.Duplicate},
		"a duplicate after a lost answer": {schema.Delivery{FindAttempts: 1}, duplicate, schema.Duplicate},
		"another error":                   {schema.Delivery{}, other, schema.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			if got := schema.KindOf(OfFirstCall(tt.d, tt.err)); got != tt.want {
				t.Errorf("kind %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSameText(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b string
		want bool
	}{
		"the same":             {"hello", "hello", true},
		"space and quotes":     {"say \"hi\"\n\nnow", "say “hi” now", true},
		"a link of its own":    {"see https://example.com/a?b=c", "see https://lnkd.in/x", true},
		"a link that is gone":  {"see https://example.com", "see", false},
		"other words":          {"one", "two", false},
		"emoji":                {"👍", "👎", false},
		"signs alone":          {"!!!", "!!!", true},
		"other signs":          {"!!!", "???", false},
		"forms of a character": {"é", "e\u0301", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SameText(tt.a, tt.b); got != tt.want {
				t.Errorf("SameText = %t", got)
			}
		})
	}
}

func TestMostlySame(t *testing.T) {
	for name, tt := range map[string]struct {
		sent, listed string
		want         bool
	}{
		"the same":                    {"hello", "hello", true},
		"a number that became a list": {"2026. A year", "A year", true},
		"half of it":                  {"hello there, see https://example.com/a", "hello there, see", true},
		"more than was sent":          {"look at this", "look at this quote: https://example.com/1", true},
		"one of a series":             {"episode 12 is out", "episode 13 is out", true},
		"a short other word":          {"hello", "hallo", false},
		"another text":                {"We open at nine tomorrow, come early", "The meeting was moved to another week", false},
		"nothing is left":             {"<b>", "", true},
		"something from nothing":      {"", "hello", false},
		"another script":              {"こんにちは世界", "お元気ですか", false},
		"a part of another script":    {"こんにちは世界、元気", "こんにちは世界", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MostlySame(tt.sent, tt.listed); got != tt.want {
				t.Errorf("MostlySame(%q, %q) = %t, want %t", tt.sent, tt.listed, got, tt.want)
			}
		})
	}
}
