package posts

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
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
	queue := readQueueID(f)
	mode := readNewMode(f, fields, queue)
	config := readThreadConfig(f)
	f.NoteUnread()
	checkPatch(fields, f.Report)
	change := p.changeOf(c.Request.Context(), b, fields, f.Report)
	change.mode, change.queue, change.config = mode, queue, config
	if err := f.Report.Err(); err != nil {
		return err
	}
	post, warnings, err := p.store(c.Request.Context(), b, before.ID, change, f.Report.Warnings)
	if err != nil {
		return threadNotFound(err)
	}
	return answer.JSON(c, http.StatusOK, threadResponse{Success: true, Thread: viewThread(post), Warnings: warnings})
}
