package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// postRetrier sets failed posts going again.
type postRetrier interface {
	// Retry sets the failed targets of a post going again and tells which, and which were
	// left out. It is InvalidState where nothing failed that could go on.
	Retry(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, asked schema.Retry) (schema.Retried, error)
}

type retryAnswer struct {
	Success          bool              `json:"success"`
	Post             postView          `json:"post"`
	RetriedPlatforms []schema.Platform `json:"retriedPlatforms"`
	Warnings         []schema.Detail   `json:"warnings,omitempty"`
}

// retry sets the failed targets of a post going again, and warns of those that may be there
// already and cannot be looked for.
func (p *posts) retry(c *gin.Context) error {
	id, err := postID(c)
	if err != nil {
		return err
	}
	f, err := readOptionalForm(c)
	if err != nil {
		return err
	}
	asked := readRetry(f)
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	done, err := p.Store.Retry(c.Request.Context(), requestOf(c).key.Workspace, id, asked)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, retryAnswer{
		Success: true, Post: viewPost(done.Post), RetriedPlatforms: done.Platforms, Warnings: append(f.report.warnings, done.LeftOut...),
	})
	return nil
}

func readRetry(f *form) (asked schema.Retry) {
	names, _ := f.list("platforms", len(schema.Platforms()))
	for i, name := range names {
		field := indexed("platforms", i)
		if name.kind != text {
			f.fail(field, codeInvalidType, f.report.wrong(name, text))
			continue
		}
		platform, err := schema.ParsePlatform(name.text)
		if err != nil {
			f.fail(field, codeInvalidValue, noPlatform(name.text))
			continue
		}
		asked.Platforms = append(asked.Platforms, platform)
	}
	seconds, ok := f.integer("delay")
	if ok && (seconds < 0 || seconds > int(maxAhead.Seconds())) {
		f.fail("delay", codeInvalidValue, "must be from 0 to 7776000 seconds (90 days)")
	}
	asked.Delay = time.Duration(seconds) * time.Second
	asked.AcceptDuplicate, _ = f.boolean("acceptDuplicate")
	return asked
}
