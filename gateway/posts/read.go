package posts

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

type reader interface {
	// Post returns a post of a workspace, or NotFound.
	Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error)
	// Posts returns a page, and how many posts there are in all.
	Posts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostFilter) (schema.PostPage, error)
	// Lookup returns the posts that have one of the names, as many as one answer has, and which of the
	// names have others.
	Lookup(ctx context.Context, workspace schema.WorkspaceID, names schema.PostNames) (posts []schema.Post, rest schema.PostNames, err error)
}

// get answers with one post, and warns where its accounts take less by now.
func (p *posts) get(c *gin.Context, id schema.PostID) error {
	warnings, err := body.NoParameters(c)
	if err != nil {
		return err
	}
	workspace := admission.RequestOf(c).Key.Workspace
	post, err := p.Store.Post(c.Request.Context(), workspace, id)
	if err != nil {
		return err
	}
	warnings = append(warnings, p.shrunk(c.Request.Context(), workspace, post)...)
	return answer.JSON(c, http.StatusOK, postResponse{Success: true, Post: viewPost(post), Warnings: warnings})
}

// readStatus reads the status to filter by. A post that is published immediately is
// processing from the start, so "immediate" finds those.
func readStatus(q *body.Query) schema.PostStatus {
	name, ok := q.Word("status")
	if !ok {
		return 0
	}
	if name == "immediate" {
		return schema.Processing
	}
	status, err := schema.ParsePostStatus(name)
	if err != nil {
		q.Report.Fail("status", body.CodeInvalidValue, err.Error())
	}
	return status
}

func readExternalID(q *body.Query) string {
	id, _ := q.Text("externalId")
	if len(id) > maxExternalID {
		q.Report.Fail("externalId", body.CodeTooLong, fmt.Sprintf("must be at most %d bytes long", maxExternalID))
	}
	return id
}

// readMetadataFilter reads parameters such as metadata[campaign]=spring or
// metadata.campaign=spring.
func readMetadataFilter(q *body.Query) map[string]string {
	wanted := map[string]string{}
	for name, values := range q.Values {
		key, ok := strings.CutPrefix(name, "metadata.")
		if !ok {
			if key, ok = strings.CutPrefix(name, "metadata["); !ok {
				continue
			}
			key, ok = strings.CutSuffix(key, "]")
		}
		q.All(name)
		if !ok || key == "" || len(values) != 1 {
			q.Report.Fail(body.Clip(name), body.CodeInvalidValue, "must be metadata[name]=value, each name once")
			continue
		}
		wanted[key] = values[0]
	}
	if len(wanted) > maxMetadata {
		q.Report.Fail("metadata", body.CodeTooMany, fmt.Sprintf("must have at most %d entries, not %d", maxMetadata, len(wanted)))
	}
	return wanted
}
