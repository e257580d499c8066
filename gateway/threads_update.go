package gateway

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// update changes time, title, config or status of a draft or scheduled thread; its
// entries stay as they are.
func (t *threads) update(c *gin.Context) error {
	before, err := t.read(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	p := t.posts
	b := p.batchOf(c)
	b.timezone = before.Timezone // of a time without a zone
	fields := postFields{
		status:       optional(f.text("status", maxShort)),
		scheduledFor: optional(f.text("scheduledFor", maxShort)),
		timezone:     optional(f.text("timezone", maxShort)),
	}
	config := readThreadConfig(f)
	f.finish()
	checkPatch(fields, f.report)
	change := p.changeOf(c.Request.Context(), b, fields, f.report)
	if err := f.report.err(); err != nil {
		return err
	}
	var r report // of the last run: the store may run the change again
	post, err := p.Store.Update(c.Request.Context(), b.key.Workspace, before.ID, func(post *schema.Post) error {
		r = report{warnings: slices.Clone(f.report.warnings)}
		merged := config.merge(*post.Content.Thread)
		post.Content.Thread = &merged
		return p.patch(post, change, b.now, &r)
	})
	if err != nil {
		return threadNotFound(err)
	}
	respond(c, http.StatusOK, threadAnswer{Success: true, Thread: viewThread(post), Warnings: r.warnings})
	return nil
}
