package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// postReader reads posts.
type postReader interface {
	// Post returns a post of a workspace, or NotFound.
	Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error)
	// Posts returns a page, newest scheduled first, and how many posts there are in all.
	Posts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostFilter) ([]schema.Post, int, error)
}

type postsAnswer struct {
	Success    bool       `json:"success"`
	Posts      []postView `json:"posts"`
	Pagination pagination `json:"pagination"`
}

// get answers with one post.
func (p *posts) get(c *gin.Context) error {
	id, err := postID(c)
	if err != nil {
		return err
	}
	post, err := p.Store.Post(c.Request.Context(), requestOf(c).key.Workspace, id)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, postAnswer{Success: true, Post: viewPost(post)})
	return nil
}

// list answers with a page of posts.
func (p *posts) list(c *gin.Context) error {
	q := newQuery(c)
	page := q.page()
	filter := schema.PostFilter{
		Status: readStatus(q), Platform: q.platform("platform"), Brand: q.brand(),
		ExternalID: readExternalID(q), Metadata: readMetadataFilter(q),
		After: q.time("after"), Before: q.time("before"), Limit: page.limit + 1, Offset: page.offset(), // one more tells whether there is more
	}
	if err := q.report.err(); err != nil {
		return err
	}
	found, total, err := p.Store.Posts(c.Request.Context(), requestOf(c).key.Workspace, filter)
	if err != nil {
		return err
	}
	more := len(found) > page.limit
	views := make([]postView, min(len(found), page.limit))
	for i := range views {
		views[i] = viewPost(found[i])
	}
	respond(c, http.StatusOK, postsAnswer{Success: true, Posts: views, Pagination: page.of(total, more)})
	return nil
}

// readStatus reads the status to filter by. A post that is published immediately is
// processing from its first moment on, so that is what "immediate" finds.
func readStatus(q *query) schema.PostStatus {
	name, ok := q.word("status")
	if !ok {
		return 0
	}
	if name == "immediate" {
		return schema.Processing
	}
	status, err := schema.ParsePostStatus(name)
	if err != nil {
		q.report.fail("status", codeInvalidValue, err.Error())
	}
	return status
}

func readExternalID(q *query) string {
	id, _ := q.text("externalId")
	if len(id) > maxExternalID {
		q.report.fail("externalId", codeTooLong, fmt.Sprintf("must be at most %d bytes long", maxExternalID))
	}
	return id
}

// readMetadataFilter reads parameters such as metadata[campaign]=spring, for which
// metadata.campaign=spring may stand.
func readMetadataFilter(q *query) map[string]string {
	wanted := map[string]string{}
	for name, values := range q.values {
		key, ok := strings.CutPrefix(name, "metadata.")
		if !ok {
			if key, ok = strings.CutPrefix(name, "metadata["); !ok {
				continue
			}
			key, ok = strings.CutSuffix(key, "]")
		}
		if !ok || key == "" || len(values) != 1 {
			q.report.fail(clip(name), codeInvalidValue, "must be metadata[name]=value, each name once")
			continue
		}
		wanted[key] = values[0]
	}
	if len(wanted) > maxMetadata {
		q.report.fail("metadata", codeTooMany, fmt.Sprintf("must have at most %d entries, not %d", maxMetadata, len(wanted)))
	}
	return wanted
}
