package body

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

	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/spelling"
)

// Bounds of pages.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	maxPage      = 1_000_000
)

// Query reads the parameters of a request and gathers what is wrong with them.
type Query struct {
	Values  url.Values
	Report  Report
	allowed map[string]bool // parameters that the request may have
}

// NewQuery fails parameters that PostgreSQL cannot store as text or that cannot be
// parsed: a filter that is dropped would find more than was meant.
func NewQuery(c *gin.Context) *Query {
	values, err := url.ParseQuery(c.Request.URL.RawQuery)
	q := &Query{Values: values, allowed: map[string]bool{}}
	if err != nil {
		q.Report.Fail("query", CodeInvalidValue, "cannot be read: "+err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(q.Values)) {
		for _, text := range append(q.Values[name], name) {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				field := cmp.Or(strings.ToValidUTF8(Clip(name), "\uFFFD"), "query") // ?=x has no name
				q.Report.Fail(field, CodeInvalidValue, "must be UTF-8 without U+0000")
				break
			}
		}
	}
	return q
}

// Text returns a parameter that is present and not empty.
func (q *Query) Text(name string) (string, bool) {
	values := q.All(name)
	if len(values) > 1 {
		q.Report.Fail(name, CodeInvalidValue, "must be there once")
		return "", false
	}
	value := q.Values.Get(name)
	return value, value != ""
}

// All returns every value of a parameter.
func (q *Query) All(name string) []string {
	q.allowed[name] = true
	return q.Values[name]
}

// Has reports whether a parameter is there.
func (q *Query) Has(name string) bool { return q.Values.Has(name) }

// Canonical returns the parameters that were read so far, except some, in one form for the same
// values.
func (q *Query) Canonical(but ...string) string {
	parameters := url.Values{}
	for name, values := range q.Values {
		if q.allowed[name] && !slices.Contains(but, name) {
			parameters[name] = values
		}
	}
	return parameters.Encode()
}

// Finish warns of the parameters that were not read, and returns Report.Err.
func (q *Query) Finish() error {
	for _, name := range slices.Sorted(maps.Keys(q.Values)) {
		if !q.allowed[name] {
			hint := spelling.DidYouMean(name, slices.Collect(maps.Keys(q.allowed)))
			q.Report.WarnUnknown(cmp.Or(Clip(name), "query"), "parameter", hint)
		}
	}
	return q.Report.Err()
}

// NoParameters warns of the parameters of a read that takes none.
func NoParameters(c *gin.Context) (warnings []schema.Detail, err error) {
	q := NewQuery(c)
	err = q.Finish()
	return q.Report.Warnings, err
}

// Word returns a parameter that must not be empty: an empty filter would find more than
// was meant.
func (q *Query) Word(name string) (string, bool) {
	value, ok := q.Text(name)
	if !ok && q.Values.Has(name) && !q.Report.About(name) {
		q.Report.Fail(name, CodeInvalidValue, "must have a value, or be left out")
	}
	return value, ok
}

// QueryID returns the id that a parameter is; zero where it is left out.
func QueryID[K schema.Kind](q *Query, name string, parse func(string) (schema.ID[K], error)) (id schema.ID[K]) {
	text, given := q.Word(name)
	if !given {
		return id
	}
	id, err := parse(text)
	if err != nil {
		q.Report.Fail(name, CodeInvalidValue, err.Error())
	}
	return id
}

// Integer returns a number from 1 to a maximum.
func (q *Query) Integer(name string, otherwise, maximum int) int {
	value, ok := q.Word(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maximum {
		q.Report.Fail(name, CodeInvalidValue, fmt.Sprintf("must be a whole number from 1 to %d", maximum))
		return otherwise
	}
	return n
}

// Platform returns the platform to filter by; zero for none.
func (q *Query) Platform(name string) schema.Platform {
	value, ok := q.Word(name)
	if !ok {
		return 0
	}
	platform, err := schema.ParsePlatform(value)
	if err != nil {
		q.Report.Fail(name, CodeInvalidValue, NoPlatform(value))
	}
	return platform
}

// Time returns a time, in UTC if it has no offset; a date is the beginning of its day. A
// plus sign that was not escaped arrives as a space.
func (q *Query) Time(name string) time.Time {
	value, ok := q.Word(name)
	if !ok {
		return time.Time{}
	}
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return day
	}
	at, err := ParseTime(strings.ReplaceAll(value, " ", "+"), time.UTC)
	if err != nil {
		q.Report.Fail(name, CodeInvalidValue, err.Error())
	}
	return at
}

// Page returns which part of a list is asked for.
func (q *Query) Page() Page {
	return Page{
		Number: q.Integer("page", 1, maxPage),
		Limit:  q.Integer("limit", DefaultLimit, MaxLimit),
	}
}

// Page is which part of a list is asked for, from 1.
type Page struct{ Number, Limit int }

// Offset is how many items come before the page.
func (p Page) Offset() int { return (p.Number - 1) * p.Limit }

// Of returns where the page stands in a list of so many items.
func (p Page) Of(total int, more bool) answer.Pagination {
	return answer.Paginate(p.Number, p.Limit, total, more)
}

// PathID reads an id of a path. One that is none names nothing that exists.
func PathID[K schema.Kind](text, what string, parse func(string) (schema.ID[K], error)) (schema.ID[K], error) {
	id, err := parse(text)
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: what + " not found", Err: err}
	}
	return id, nil
}
