package posts

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema"
)

// deletedAnswer is the answer of what deletes a post or a thread.
type deletedAnswer struct {
	Success bool   `json:"success"`
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
	Method  string `json:"method,omitempty"` // cancelled, where the post is kept
}

// delete removes a draft or cancels a scheduled post.
func (p *posts) delete(c *gin.Context) error {
	id, err := postID(c)
	if err != nil {
		return err
	}
	cancelled, err := p.Store.Delete(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	answerDeleted(c, id.String(), cancelled)
	return nil
}

func answerDeleted(c *gin.Context, id string, cancelled bool) {
	reply := deletedAnswer{Success: true, Deleted: true, ID: id}
	if cancelled {
		reply.Method = schema.Cancelled.String()
	}
	answer.JSON(c, http.StatusOK, reply)
}
