package posts

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/textsearch"
)

// list answers with a page of posts.
func (p *posts) list(c *gin.Context) error {
	workspace := admission.RequestOf(c).Key.Workspace
	q := body.NewQuery(c)
	filter := readFilter(q)
	part := p.Cursors.Read(q, "posts of "+workspace.String())
	if filter.Search != "" && part.Offset > 0 {
		q.Report.Fail("page", body.CodeConflict, "a search is read on by its nextCursor as cursor")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	filter.Limit, filter.Offset = part.Limit, part.Offset
	if from := (schema.PostPosition{}); part.From(&from) {
		filter.From = &from
	}
	page, err := p.Store.Posts(c.Request.Context(), workspace, filter)
	if err != nil {
		return err
	}
	var last any
	if page.Last != nil {
		last = page.Last
	}
	pagination, err := part.Paginate(page.Total, last)
	if err != nil {
		return err
	}
	pagination.AtLeast = filter.Search != "" && (page.Last != nil || filter.From != nil)
	views := map[string]any{"posts": lists.Map(page.Posts, viewPost), "pagination": pagination}
	if page.Truncated { // a search: older posts were not read
		views["truncated"] = true
	}
	return answer.Several(c, http.StatusOK, views, q.Report.Warnings)
}

// readFilter reads which posts are selected, and their order.
func readFilter(q *body.Query) schema.PostFilter {
	f := schema.PostFilter{
		Status: readStatus(q), Platform: q.Platform("platform"), Brand: q.Brand(),
		ExternalID: readExternalID(q), Metadata: readMetadataFilter(q),
		After: q.Time("after"), Before: q.Time("before"), UpdatedAfter: q.Time("updatedAfter"), Order: readOrder(q),
		Search: readSearch(q), All: readSource(q),
	}
	if f.Search != "" {
		refuseUnsearched(q)
		return f
	}
	refuseUnindexed(q, f)
	return f
}

// readSource reads whether posts of the dashboard are listed too.
func readSource(q *body.Query) (all bool) {
	source, ok := q.Word("source")
	if ok && source != "all" && source != "api" {
		q.Report.Fail("source", body.CodeInvalidValue, "must be api or all")
	}
	return source == "all"
}

// maxSearch bounds the words of a search, in characters.
const maxSearch = 100

// readSearch reads the words of a search.
func readSearch(q *body.Query) string {
	words, ok := q.Word("q")
	if !ok {
		return ""
	}
	if n := utf8.RuneCountInString(words); n > maxSearch {
		q.Report.Fail("q", body.CodeTooLong, fmt.Sprintf("must have at most %d characters, not %d", maxSearch, n))
		return ""
	}
	if _, ok := textsearch.New(words); !ok {
		q.Report.Fail("q", body.CodeInvalidValue, fmt.Sprintf("must have 1 to %d words, with a letter or a digit", textsearch.MaxWords))
		return ""
	}
	return words
}

// refuseUnsearched fails what cannot stand beside a search, which reads the newest posts first.
func refuseUnsearched(q *body.Query) {
	if q.Has("sort") && q.Values.Get("sort") != "-createdAt" {
		q.Report.Fail("sort", body.CodeConflict, "must not stand beside q, which finds the newest posts first (-createdAt)")
	}
	for _, name := range slices.Sorted(maps.Keys(q.Values)) {
		if name == "updatedAfter" || name == "externalId" || strings.HasPrefix(name, "metadata") {
			q.Report.Fail(body.Clip(name), body.CodeConflict, "must not stand beside q: leave one of them out")
		}
	}
}

// orders are what sort may say.
var orders = map[string]schema.PostOrder{
	"-scheduledFor": schema.LastScheduled, "scheduledFor": schema.FirstScheduled,
	"-createdAt": schema.LastCreated, "createdAt": schema.FirstCreated,
}

func readOrder(q *body.Query) schema.PostOrder {
	text, ok := q.Word("sort")
	order, known := orders[text]
	if ok && !known {
		q.Report.Fail("sort", body.CodeInvalidValue, "must be scheduledFor or createdAt, or one of them after a minus sign for the latest first")
	}
	return order
}

// refuseUnindexed fails what no index serves: such a list would read the whole calendar for a
// page.
func refuseUnindexed(q *body.Query, f schema.PostFilter) {
	others := []string{"platform", "brandId", "after", "before"}
	if f.Order == schema.LastCreated || f.Order == schema.FirstCreated {
		for _, name := range append(others, "status") {
			if q.Has(name) {
				q.Report.Fail("sort", body.CodeConflict, "posts are not indexed by createdAt beside "+name+": leave one of them out")
			}
		}
	}
	if f.UpdatedAfter.IsZero() {
		return
	}
	if q.Has("sort") {
		q.Report.Fail("sort", body.CodeConflict, "must not stand beside updatedAfter, whose posts come in the order of their changes")
	}
	if f.ExternalID != "" {
		others = append(others, "externalId")
	}
	if len(f.Metadata) > 0 {
		q.Report.Fail("updatedAfter", body.CodeConflict, "changes are not indexed by metadata: leave one of them out")
	}
	for _, name := range others {
		if q.Has(name) {
			q.Report.Fail("updatedAfter", body.CodeConflict, "changes are not indexed by "+name+": leave one of them out")
		}
	}
}
