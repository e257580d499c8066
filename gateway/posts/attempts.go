package posts

import (
	"context"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// attemptReader reads what happened to posts.
type attemptReader interface {
	// Attempts returns a post of a workspace and what was stored of its attempts, oldest
	// first, or NotFound.
	Attempts(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, []schema.Attempt, error)
}

// attemptView is one line of a post's timeline. One about the whole post has no platform.
type attemptView struct {
	At           string `json:"at"`
	Event        string `json:"event"`
	Platform     string `json:"platform,omitempty"`
	AccountID    string `json:"accountId,omitempty"`
	Entry        *int   `json:"entry,omitempty"`
	FirstComment *int   `json:"firstComment,omitempty"`
	FailedCalls  int    `json:"failedCalls,omitempty"`
	Code         string `json:"code,omitempty"`
	Message      string `json:"message,omitempty"`
	NextAt       string `json:"nextAt,omitempty"`
	PlatformID   string `json:"platformId,omitempty"`
	URL          string `json:"url,omitempty"`
}

// attempts answers with a page of what happened to a post, oldest first.
func (p *posts) attempts(c *gin.Context, id schema.PostID) error {
	q := body.NewQuery(c)
	page := q.Page()
	if err := q.Finish(); err != nil {
		return err
	}
	post, stored, err := p.Store.Attempts(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	all := schema.Timeline(post, stored)
	from := min(page.Offset(), len(all))
	to := min(from+page.Limit, len(all))
	views := make([]attemptView, 0, to-from)
	for _, a := range all[from:to] {
		views = append(views, viewAttempt(a, post.Targets))
	}
	return answer.Page(c, "attempts", views, page.Of(len(all), to < len(all)), q.Report.Warnings)
}

func viewAttempt(a schema.Attempt, targets []schema.Target) attemptView {
	v := attemptView{
		At: answer.Time(a.At), Event: a.Kind.String(), FailedCalls: a.Tries, Code: a.Code, Message: a.Message,
		NextAt: answer.Time(a.NextAt), PlatformID: a.NativeID, URL: answer.URL(a.URL),
	}
	for i := range targets {
		if t := &targets[i]; t.N == a.N {
			v.Platform, v.AccountID = t.Platform.String(), answer.ID(t.Account)
		}
	}
	if a.N == schema.WholePost {
		return v
	}
	v.Entry = &a.Entry
	if a.Comment != schema.NoComment {
		position := int(a.Comment)
		v.FirstComment = &position
	}
	return v
}
