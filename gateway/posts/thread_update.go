package posts

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// update changes time, title, config or status of a draft or scheduled thread; its
// entries stay as they are.
func (t *threads) update(c *gin.Context) error {
	before, err := t.read(c)
	if err != nil {
		return err
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	p := t.posts
	f.Judge = p.judge
	b := p.batchOf(c)
	b.timezone = before.Timezone // of times without an offset
	fields := postFields{
		status:       body.Optional(f.Text("status", body.MaxShort)),
		scheduledFor: body.Optional(f.Text("scheduledFor", body.MaxShort)),
		timezone:     body.Optional(f.Text("timezone", body.MaxShort)),
	}
	config := readThreadConfig(f)
	f.NoteUnread()
	checkPatch(fields, f.Report)
	change := p.changeOf(c.Request.Context(), b, fields, f.Report)
	if err := f.Report.Err(); err != nil {
		return err
	}
	var r body.Report // of the last run: the store may call this again
	post, err := p.Store.Update(c.Request.Context(), b.key.Workspace, before.ID, func(post *schema.Post) error {
		r = body.Report{Warnings: slices.Clone(f.Report.Warnings)}
		if fields.isEmpty() && config == (threadConfig{}) {
			return schema.ErrUnchanged
		}
		merged := config.merge(*post.Content.Thread)
		post.Content.Thread = &merged
		return p.patch(post, change, b, &r)
	})
	if err != nil {
		return threadNotFound(err)
	}
	return answer.JSON(c, http.StatusOK, threadResponse{Success: true, Thread: viewThread(post), Warnings: r.Warnings})
}
