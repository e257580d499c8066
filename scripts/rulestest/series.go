package main

import (
	"fmt"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// series are what a test has scraped; as a storage.Queryable.
type series []storage.Series

// newSeries reads the series of a test, whose first values are of time 0.
func newSeries(g group) (series, error) {
	var all series
	for _, in := range g.Input {
		name, values, err := parser.ParseSeriesDesc(in.Series + " " + in.Values)
		if err != nil {
			return nil, fmt.Errorf("reading the series %s: %w", in.Series, err)
		}
		var points []chunks.Sample
		for i, v := range values {
			if !v.Omitted {
				points = append(points, point{int64(i) * time.Duration(g.Interval).Milliseconds(), v.Value})
			}
		}
		all = append(all, storage.NewListSeries(name, points))
	}
	return all, nil
}

// Querier implements storage.Queryable.
func (s series) Querier(_, _ int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		return &selection{left: s.matching(matchers)}
	}}, nil
}

func (s series) matching(matchers []*labels.Matcher) series {
	var found series
	for _, one := range s {
		matches := true
		for _, m := range matchers {
			matches = matches && m.Matches(one.Labels().Get(m.Name))
		}
		if matches {
			found = append(found, one)
		}
	}
	return found
}

// selection is a storage.SeriesSet.
type selection struct {
	left    series
	current storage.Series
}

func (s *selection) Next() bool {
	if len(s.left) == 0 {
		return false
	}
	s.current, s.left = s.left[0], s.left[1:]
	return true
}

func (s *selection) At() storage.Series                { return s.current }
func (s *selection) Err() error                        { return nil }
func (s *selection) Warnings() annotations.Annotations { return nil }

// point is a float at a time.
type point struct {
	at    int64 // milliseconds since 1970
	value float64
}

func (p point) T() int64                      { return p.at }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }
