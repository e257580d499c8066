package queues

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/lists"
)

// Store is all that queues ask of the database.
type Store interface {
	reader
	writer
}

type reader interface {
	Queues(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Queue, error)
	Queue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) (schema.Queue, error)
	// TakenSlots returns the taken slots of a queue that are still to come, in order.
	TakenSlots(ctx context.Context, queue schema.QueueID) ([]time.Time, error)
}

// writer creates and changes queues. A brand and a workspace have one default queue each:
// making one the default ends that of another.
type writer interface {
	CreateQueue(ctx context.Context, queue schema.Queue) (schema.Queue, error)
	// UpdateQueue calls change with the locked queue and stores the result.
	UpdateQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID, change func(*schema.Queue) error) (schema.Queue, error)
	DeleteQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) error
}

// Config is what queues are served with.
type Config struct {
	Store    Store
	Accounts directory.Directories
	Zones    *calendar.Zones
	Lead     time.Duration // how far ahead the next slot has to be
	Now      func() time.Time
}

// Routes returns the operations of queues.
func Routes(c Config) []admission.Route {
	q := &queues{c}
	return []admission.Route{
		admission.Handle(http.MethodPost, "/queues", schema.Write, body.WithForm(q.create)),
		admission.Handle(http.MethodGet, "/queues", schema.Read, q.list),
		admission.Handle(http.MethodGet, "/queues/:id", schema.Read, body.WithID("queue", q.get)),
		admission.Handle(http.MethodPatch, "/queues/:id", schema.Write, body.WithIDForm("queue", q.update)),
		admission.Handle(http.MethodDelete, "/queues/:id", schema.Write, body.WithID("queue", q.delete)),
		admission.Handle(http.MethodGet, "/queues/:id/slots", schema.Read, body.WithID("queue", q.preview)),
	}
}

// queues is the resource of queues.
type queues struct{ Config }

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

func viewQueue(q schema.Queue) queueView {
	return queueView{
		ID: q.ID.String(), Name: q.Name, Timezone: q.Timezone, BrandID: answer.IDOrNull(q.Brand), Slots: q.Slots,
		IsDefault: q.Default, CreatedAt: answer.Time(q.CreatedAt), UpdatedAt: answer.Time(q.UpdatedAt),
	}
}

func (q *queues) create(c *gin.Context, f *body.Form) error {
	began := q.Now()
	fields := q.readFields(f)
	wanted := body.Optional(f.Text("brandId", body.MaxShort))
	f.NoteUnread()
	f.Require("name")
	f.Require("slots")
	key := admission.RequestOf(c).Key
	brand := q.brand(c.Request.Context(), key.Workspace, began, wanted, f.Report)
	if err := f.Report.Err(); err != nil {
		return err
	}
	now := began.UTC().Truncate(time.Millisecond)
	queue := schema.Queue{
		ID: schema.NewID[schema.QueueID](now), Workspace: key.Workspace, Brand: brand,
		Timezone: calendar.DefaultTimezone, CreatedAt: now, UpdatedAt: now,
	}
	fields.apply(&queue)
	queue, err := q.Store.CreateQueue(c.Request.Context(), queue)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusCreated, "queue", viewQueue(queue), f.Report.Warnings)
}

// brand returns the workspace's brand of an id, zero for nil.
func (q *queues) brand(ctx context.Context, workspace schema.WorkspaceID, began time.Time, id *string, r *body.Report) schema.BrandID {
	if id == nil {
		return schema.BrandID{}
	}
	var brand schema.BrandID
	known := false
	_, err := q.Accounts.Find(ctx, workspace, began, func(d *directory.Directory) bool {
		brand, known = d.Brand(id)
		return known
	})
	if err != nil {
		r.Fault = err
	} else if !known {
		r.Fail("brandId", "brand_unknown", fmt.Sprintf("there is no brand %q", body.Clip(*id)))
	}
	return brand
}

// list answers with all queues of the workspace.
func (q *queues) list(c *gin.Context) error {
	all, err := q.Store.Queues(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "queues", lists.Map(all, viewQueue), nil)
}

func (q *queues) get(c *gin.Context, id schema.QueueID) error {
	warnings, err := body.NoParameters(c)
	if err != nil {
		return err
	}
	queue, err := q.Store.Queue(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "queue", viewQueue(queue), warnings)
}

// update changes what a request names of a queue. Posts that have a slot keep it.
func (q *queues) update(c *gin.Context, id schema.QueueID, f *body.Form) error {
	fields := q.readFields(f)
	if err := f.Finish(); err != nil {
		return err
	}
	queue, err := q.Store.UpdateQueue(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, func(queue *schema.Queue) error {
		fields.apply(queue)
		return nil
	})
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "queue", viewQueue(queue), f.Report.Warnings)
}

// delete removes a queue. Posts that have a slot keep it.
func (q *queues) delete(c *gin.Context, id schema.QueueID) error {
	return admission.Remove(c, id, q.Store.DeleteQueue, "the queue was deleted; its posts keep their times")
}

// preview answers with the next free slots.
func (q *queues) preview(c *gin.Context, id schema.QueueID) error {
	parameters := body.NewQuery(c)
	limit := parameters.Integer("limit", 10, body.MaxLimit)
	if err := parameters.Finish(); err != nil {
		return err
	}
	queue, err := q.Store.Queue(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	taken, err := q.Store.TakenSlots(c.Request.Context(), queue.ID)
	if err != nil {
		return err
	}
	zone, err := q.Zones.Load(queue.Timezone)
	if err != nil {
		return err
	}
	now := q.Now()
	free := calendar.FreeSlots(queue, zone, taken, calendar.Period{From: now.Add(q.Lead), To: now.Add(calendar.MaxAhead)}, limit)
	return answer.Named(c, http.StatusOK, "slots", lists.Map(free, answer.Time), parameters.Report.Warnings)
}
