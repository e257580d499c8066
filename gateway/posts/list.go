package posts

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// list answers with a page of posts.
func (p *posts) list(c *gin.Context) error {
	workspace := admission.RequestOf(c).Key.Workspace
	q := body.NewQuery(c)
	filter := readFilter(q)
	part := p.Cursors.Read(q, "posts of "+workspace.String())
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
	reply := listAnswer{Success: true, Posts: make([]postView, len(page.Posts)), Warnings: q.Report.Warnings}
	for i := range page.Posts {
		reply.Posts[i] = viewPost(page.Posts[i])
	}
	var last any
	if page.Last != nil {
		last = page.Last
	}
	if reply.Pagination, err = part.Paginate(page.Total, last); err != nil {
		return err
	}
	answer.JSON(c, http.StatusOK, reply)
	return nil
}

// readFilter reads which posts are selected, and their order.
func readFilter(q *body.Query) schema.PostFilter {
	f := schema.PostFilter{
		Status: readStatus(q), Platform: q.Platform("platform"), Brand: q.Brand(),
		ExternalID: readExternalID(q), Metadata: readMetadataFilter(q),
		After: q.Time("after"), Before: q.Time("before"), UpdatedAfter: q.Time("updatedAfter"), Order: readOrder(q),
	}
	refuseUnindexed(q, f)
	return f
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
