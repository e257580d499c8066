package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

const (
	defaultLimit = 20
	maxLimit     = 100
	maxPage      = 1_000_000
)

// query reads the parameters of a request and gathers what is wrong with them.
type query struct {
	values url.Values
	report report
}

// newQuery refuses what no store takes as text, and what cannot be read: a filter that is
// dropped would find more than was meant.
func newQuery(c *gin.Context) *query {
	values, err := url.ParseQuery(c.Request.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.report.fail("query", codeInvalidValue, "cannot be read: "+err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		for _, text := range append(q.values[name], name) {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				field := cmp.Or(strings.ToValidUTF8(clip(name), "\uFFFD"), "query") // ?=x has no name
				q.report.fail(field, codeInvalidValue, "must be UTF-8 without U+0000")
				break
			}
		}
	}
	return q
}

// text returns a parameter that is there and not empty.
func (q *query) text(name string) (string, bool) {
	values := q.values[name]
	if len(values) > 1 {
		q.report.fail(name, codeInvalidValue, "must be there once")
		return "", false
	}
	value := q.values.Get(name)
	return value, value != ""
}

// all returns every value of a parameter.
func (q *query) all(name string) []string { return q.values[name] }

// word returns a parameter that must not be empty: a filter that has lost its value would
// find more than was meant.
func (q *query) word(name string) (string, bool) {
	value, ok := q.text(name)
	if !ok && q.values.Has(name) && !q.report.about(name) {
		q.report.fail(name, codeInvalidValue, "must have a value, or be left out")
	}
	return value, ok
}

// integer returns a number from 1 to most.
func (q *query) integer(name string, otherwise, most int) int {
	value, ok := q.word(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		q.report.fail(name, codeInvalidValue, fmt.Sprintf("must be a whole number from 1 to %d", most))
		return otherwise
	}
	return n
}

func (q *query) platform(name string) schema.Platform {
	value, ok := q.word(name)
	if !ok {
		return 0
	}
	platform, err := schema.ParsePlatform(value)
	if err != nil {
		q.report.fail(name, codeInvalidValue, fmt.Sprintf("%q is no platform", clip(value)))
	}
	return platform
}

// time returns a time, which without an offset is UTC; of a day, its beginning. A plus
// that was not escaped arrives as a space.
func (q *query) time(name string) time.Time {
	value, ok := q.word(name)
	if !ok {
		return time.Time{}
	}
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return day
	}
	at, err := parseTime(strings.ReplaceAll(value, " ", "+"), time.UTC)
	if err != nil {
		q.report.fail(name, codeInvalidValue, err.Error())
	}
	return at
}

func (q *query) page() page {
	return page{
		number: q.integer("page", 1, maxPage),
		limit:  q.integer("limit", defaultLimit, maxLimit),
	}
}

// page is which part of a list is asked for, from 1.
type page struct{ number, limit int }

func (p page) offset() int { return (p.number - 1) * p.limit }

// of returns where the page stands in a list of so many items.
func (p page) of(total int, more bool) pagination {
	return paginationOf(p.number, p.limit, total, more)
}
