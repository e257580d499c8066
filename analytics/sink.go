package analytics

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
)

// eventStore is ClickHouse.
type eventStore interface {
	// Insert stores events in one block; storing one again changes nothing.
	Insert(ctx context.Context, events []schema.Event) error
}

// outbox is PostgreSQL's outbox.
type outbox interface {
	// Place gives each batch its position in the order of reading and returns the positions,
	// without those of batches that are stored already.
	Place(ctx context.Context, batches []schema.BatchID) (map[schema.BatchID]int64, error)
	// Stored removes the sink's mark from batches that are stored, and has collected what their
	// events ask for.
	Stored(ctx context.Context, batches []schema.EventBatch) error
	// Fault notes that a batch failed by a fault of crier's own. dead means that the outbox
	// does not send it any more until it is replayed.
	Fault(ctx context.Context, f schema.Fault) (dead bool, err error)
}

const (
	gatherTime  = time.Second // from the first event of a block to its insertion
	gatherRows  = 10_000
	maxInFlight = 1000             // batches in hand of one partition
	tryTimeout  = 30 * time.Second // of one statement
	drain       = 5 * time.Second  // for what is in hand when the sink ends
)

// Sink brings the events of the log to ClickHouse.
type Sink struct {
	SinkDeps
	metrics  *metrics
	consumer *stream.Consumer
	arrived  chan []item
}

// item is a batch of events in hand.
type item struct {
	message *stream.Message
	batch   schema.EventBatch
}

// SinkDeps is what a sink works with.
type SinkDeps struct {
	Store      eventStore
	Outbox     outbox
	Log        *stream.Log
	Now        func() time.Time // the clock of the events' times
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// NewSink makes the sink.
func NewSink(deps SinkDeps) *Sink {
	s := &Sink{SinkDeps: deps, metrics: newMetrics(deps.Registerer, deps.Now), arrived: make(chan []item)}
	s.consumer = deps.Log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-analytics", Topic: schema.TopicEvents, MaxInFlight: maxInFlight, Drain: drain,
	}, s.deliver)
	return s
}

// Ready reports whether the sink consumes.
func (s *Sink) Ready() error { return s.consumer.Ready() }

// Run stores events until ctx ends, then what is in hand.
func (s *Sink) Run(ctx context.Context) error {
	var writer sync.WaitGroup
	defer writer.Wait()
	storing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	writer.Go(func() { s.write(storing) })
	return s.consumer.Run(ctx)
}

// deliver hands batches of one partition to the writer, and waits while that is busy.
func (s *Sink) deliver(ctx context.Context, messages []*stream.Message) {
	items := make([]item, 0, len(messages))
	for _, m := range messages {
		batch, err := decode(m.Value)
		if err != nil {
			if !s.note(ctx, worker.Unreadable(schema.StageAnalytics, m, err)) {
				return
			}
			m.Ack()
			continue
		}
		items = append(items, item{m, batch})
	}
	if len(items) == 0 {
		return
	}
	select {
	case s.arrived <- items:
	case <-ctx.Done():
	}
}

// decode reads a batch. An event whose time the table cannot hold is refused here, before it
// makes a whole block fail.
func decode(value []byte) (batch schema.EventBatch, err error) {
	if batch, err = worker.Decode[schema.EventBatch](value); err != nil {
		return batch, err
	}
	for i, e := range batch.Events {
		if e.At.Year() < 1970 || e.At.Year() > 2200 {
			return batch, fmt.Errorf("event %d of batch %s lacks its time", i, batch.ID)
		}
	}
	return batch, nil
}
