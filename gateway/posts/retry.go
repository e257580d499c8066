package posts

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/schema"
)

// retrier retries failed posts.
type retrier interface {
	// Retry schedules the failed targets of a post again, and returns which ones and
	// which were left out. It is InvalidState if no failed target can be retried.
	Retry(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, retry schema.Retry) (schema.Retried, error)
}

// retry schedules the failed targets of a post again, and warns of those that may be on
// their platform already where nobody can look.
func (p *posts) retry(c *gin.Context, id schema.PostID) error {
	f, err := body.ReadOptionalForm(c)
	if err != nil {
		return err
	}
	retry := readRetry(f)
	if err := f.Finish(); err != nil {
		return err
	}
	done, err := p.Store.Retry(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, retry)
	if err != nil {
		return f.Report.Refused(err)
	}
	views := map[string]any{"post": viewPost(done.Post), "retriedPlatforms": done.Platforms}
	return answer.Several(c, http.StatusOK, views, append(f.Report.Warnings, done.LeftOut...))
}

func readRetry(f *body.Form) (retry schema.Retry) {
	names, _ := f.List("platforms", len(schema.Platforms()))
	for i, name := range names {
		field := body.Indexed("platforms", i)
		if name.Kind != body.Text {
			f.Fail(field, body.CodeInvalidType, f.Report.Wrong(name, body.Text))
			continue
		}
		platform, err := schema.ParsePlatform(name.Text)
		if err != nil {
			f.Fail(field, body.CodeInvalidValue, body.NoPlatform(name.Text))
			continue
		}
		retry.Platforms = append(retry.Platforms, platform)
	}
	seconds, ok := f.Integer("delay")
	if ok && (seconds < 0 || seconds > int(calendar.MaxAhead.Seconds())) {
		f.Fail("delay", body.CodeInvalidValue, "must be from 0 to 7776000 seconds (90 days)")
	}
	retry.Delay = time.Duration(seconds) * time.Second
	retry.AcceptDuplicate, _ = f.Boolean("acceptDuplicate")
	return retry
}
