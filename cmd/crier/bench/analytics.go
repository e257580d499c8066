package bench

import (
	"cmp"
	"context"
	"errors"

	"crier/cmd/crier/bench/facts"
)

// answersWithin is what a dashboard's query may take, in milliseconds.
const answersWithin = 100

// measureAnalytics measures a ClickHouse with a year of facts.
func measureAnalytics(ctx context.Context, s *session) error {
	if s.config.Target.URL != "" {
		return errors.New("a running server's tables are not filled: analytics starts its own")
	}
	return facts.Measure(ctx, facts.Config{
		Rows: cmp.Or(s.config.Rows, facts.Rows), Months: facts.Months, Asks: facts.Asks, Say: s.say,
		Report: func(r facts.Result) error { return s.report(analyticsFigures(r)...) },
	})
}

// analyticsFigures are those of a result.
func analyticsFigures(r facts.Result) []Figure {
	if len(r.Took) == 0 {
		one := Figure{Name: "analytics_" + r.Name, Value: r.Value, Unit: r.Unit}
		if r.Control > 0 {
			one.Control = &Control{"a plain insertion of the same rows, in turn", r.Control}
		}
		return []Figure{one}
	}
	at := func(name string, rank float64, goal *Goal) Figure {
		f := Figure{Name: name + r.Name, Value: milliseconds(samples(r.Took).rank(rank)), Unit: "ms", Goal: goal}
		if r.Raw != nil {
			f.Control = &Control{"the same from the facts", milliseconds(samples(r.Raw).rank(rank))}
		}
		return f
	}
	return []Figure{at("analytics_p50 ", 0.5, nil), at("analytics_p99 ", 0.99, &Goal{Bound: answersWithin})}
}
