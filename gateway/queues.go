package gateway

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// queues is the resource of queues.
type queues struct {
	posts  *posts
	reader QueueReader
	writer QueueWriter
}

func (q *queues) routes() []route {
	return []route{
		{http.MethodPost, "/queues", schema.Write, q.create},
		{http.MethodGet, "/queues", schema.Read, q.list},
		{http.MethodGet, "/queues/:id", schema.Read, q.get},
		{http.MethodPatch, "/queues/:id", schema.Write, q.update},
		{http.MethodDelete, "/queues/:id", schema.Write, q.delete},
		{http.MethodGet, "/queues/:id/slots", schema.Read, q.preview},
	}
}

// queueView is a queue as the API shows it.
type queueView struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Timezone  string            `json:"timezone"`
	BrandID   *schema.BrandID   `json:"brandId"`
	Slots     []schema.WeekSlot `json:"slots"`
	IsDefault bool              `json:"isDefault"`
	CreatedAt string            `json:"createdAt"`
	UpdatedAt string            `json:"updatedAt"`
}

type queueAnswer struct {
	Success  bool            `json:"success"`
	Queue    queueView       `json:"queue"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type queuesAnswer struct {
	Success bool        `json:"success"`
	Queues  []queueView `json:"queues"`
}

type slotsAnswer struct {
	Success bool     `json:"success"`
	Slots   []string `json:"slots"`
}

func viewQueue(q schema.Queue) queueView {
	return queueView{
		ID: q.ID.String(), Name: q.Name, Timezone: q.Timezone, BrandID: unlessZero(q.Brand), Slots: q.Slots,
		IsDefault: q.Default, CreatedAt: shownTime(q.CreatedAt), UpdatedAt: shownTime(q.UpdatedAt),
	}
}

// create makes a queue.
func (q *queues) create(c *gin.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	b := q.posts.batchOf(c)
	fields := q.readFields(f)
	brand := optional(f.text("brandId", maxShort))
	f.finish()
	f.require("name")
	f.require("slots")
	change := q.posts.changeOf(c.Request.Context(), b, postFields{brand: brand}, f.report)
	if err := f.report.err(); err != nil {
		return err
	}
	queue := schema.Queue{
		ID: schema.NewQueueID(b.now), Workspace: b.key.Workspace, Brand: change.brand,
		Timezone: defaultTimezone, CreatedAt: b.now, UpdatedAt: b.now,
	}
	fields.apply(&queue)
	if queue, err = q.writer.CreateQueue(c.Request.Context(), queue); err != nil {
		return err
	}
	respond(c, http.StatusCreated, queueAnswer{Success: true, Queue: viewQueue(queue), Warnings: f.report.warnings})
	return nil
}

// list answers with all queues of the workspace.
func (q *queues) list(c *gin.Context) error {
	all, err := q.reader.Queues(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	views := make([]queueView, len(all))
	for i := range all {
		views[i] = viewQueue(all[i])
	}
	respond(c, http.StatusOK, queuesAnswer{Success: true, Queues: views})
	return nil
}

// get answers with one queue.
func (q *queues) get(c *gin.Context) error {
	queue, err := q.read(c)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, queueAnswer{Success: true, Queue: viewQueue(queue)})
	return nil
}

func (q *queues) read(c *gin.Context) (schema.Queue, error) {
	id, err := queueID(c)
	if err != nil {
		return schema.Queue{}, err
	}
	return q.reader.Queue(c.Request.Context(), requestOf(c).key.Workspace, id)
}

// queueID returns the id a path names. One that is no id names nothing that exists.
func queueID(c *gin.Context) (schema.QueueID, error) {
	id, err := schema.ParseQueueID(c.Param("id"))
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: "queue not found", Err: err}
	}
	return id, nil
}

// update changes what a request names of a queue. Posts placed already stay.
func (q *queues) update(c *gin.Context) error {
	id, err := queueID(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	fields := q.readFields(f)
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	queue, err := q.writer.UpdateQueue(c.Request.Context(), requestOf(c).key.Workspace, id, func(queue *schema.Queue) error {
		fields.apply(queue)
		return nil
	})
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, queueAnswer{Success: true, Queue: viewQueue(queue), Warnings: f.report.warnings})
	return nil
}

// delete removes a queue. Posts placed already stay.
func (q *queues) delete(c *gin.Context) error {
	id, err := queueID(c)
	if err != nil {
		return err
	}
	if err := q.writer.DeleteQueue(c.Request.Context(), requestOf(c).key.Workspace, id); err != nil {
		return err
	}
	respond(c, http.StatusOK, messageAnswer{Success: true, Message: "the queue was deleted; its posts keep their times"})
	return nil
}

// preview answers with the next free slots.
func (q *queues) preview(c *gin.Context) error {
	parameters := newQuery(c)
	limit := parameters.integer("limit", 10, maxLimit)
	if err := parameters.report.err(); err != nil {
		return err
	}
	queue, err := q.read(c)
	if err != nil {
		return err
	}
	taken, err := q.reader.TakenSlots(c.Request.Context(), queue.ID)
	if err != nil {
		return err
	}
	zone, err := q.posts.zones.load(queue.Timezone)
	if err != nil {
		return err
	}
	now := q.posts.now()
	answer := slotsAnswer{Success: true, Slots: []string{}}
	for _, at := range freeSlots(queue, zone, taken, now.Add(q.posts.lead), now.Add(maxAhead), limit) {
		answer.Slots = append(answer.Slots, shownTime(at))
	}
	respond(c, http.StatusOK, answer)
	return nil
}
