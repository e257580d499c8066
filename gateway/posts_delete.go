package gateway

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

type deletedAnswer struct {
	Success bool          `json:"success"`
	Deleted bool          `json:"deleted"`
	ID      schema.PostID `json:"id"`
	Method  string        `json:"method,omitempty"` // cancelled, where the post is kept
}

// delete removes a draft or cancels a scheduled post.
func (p *posts) delete(c *gin.Context) error {
	id, err := postID(c)
	if err != nil {
		return err
	}
	cancelled, err := p.Store.Delete(c.Request.Context(), requestOf(c).key.Workspace, id)
	if err != nil {
		return err
	}
	answer := deletedAnswer{Success: true, Deleted: true, ID: id}
	if cancelled {
		answer.Method = schema.Cancelled.String()
	}
	respond(c, http.StatusOK, answer)
	return nil
}
