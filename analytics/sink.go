package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/pipeline/stream"
	"crier/schema"
)

// blocks is where events are stored.
type blocks interface {
	// Insert stores events in one block; storing one again changes nothing.
	Insert(ctx context.Context, events []schema.Event) error
}

// marks is the outbox, as far as the sink needs it.
type marks interface {
	// Place returns where each batch stands in the order of reading; one that was stored
	// before is left out.
	Place(ctx context.Context, batches []schema.BatchID) (map[schema.BatchID]int64, error)
	// Stored takes the sink's mark off batches that are stored.
	Stored(ctx context.Context, batches []schema.BatchID) error
	// Fault notes that a batch failed by a fault of crier's own; true means that the outbox
	// sends it no more, until it is replayed.
	Fault(ctx context.Context, f schema.Fault) (dead bool, err error)
}

const (
	gatherTime  = 500 * time.Millisecond // from the first event of a block to its insertion
	gatherRows  = 10_000
	maxInFlight = 1000             // batches in hand of one partition
	tryTimeout  = 30 * time.Second // of one insertion, placing, or taking of marks
	firstRetry  = 200 * time.Millisecond
	lastRetry   = 5 * time.Second
	drain       = 5 * time.Second // for what is in hand when the sink ends
)

// Sink brings the events of the log to ClickHouse.
type Sink struct {
	blocks   blocks
	marks    marks
	logger   *slog.Logger
	metrics  *metrics
	consumer *stream.Consumer
	arrived  chan []item
}

// item is a batch of events in hand.
type item struct {
	message *stream.Message
	batch   schema.EventBatch
}

// NewSink makes the sink; now is the clock that events have their times from.
func NewSink(b blocks, m marks, log *stream.Log, now func() time.Time, logger *slog.Logger, r prometheus.Registerer) *Sink {
	s := &Sink{blocks: b, marks: m, logger: logger, metrics: newMetrics(r, now), arrived: make(chan []item)}
	s.consumer = log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-analytics", Topic: schema.TopicEvents, MaxInFlight: maxInFlight, Drain: drain,
	}, s.deliver)
	return s
}

// Ready tells whether the sink consumes.
func (s *Sink) Ready() error { return s.consumer.Ready() }

// Run stores events until ctx ends, then what is in hand.
func (s *Sink) Run(ctx context.Context) error {
	storing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var writer sync.WaitGroup
	writer.Go(func() { s.write(storing) })
	err := s.consumer.Run(ctx)
	stop()
	writer.Wait()
	return err
}

// deliver hands batches of one partition to the writer. While that is busy, the partition
// is not read on.
func (s *Sink) deliver(ctx context.Context, messages []*stream.Message) {
	items := make([]item, 0, len(messages))
	for _, m := range messages {
		batch, err := decode(m.Value)
		if err != nil {
			if !s.note(ctx, faultOf(m, err)) {
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

// decode reads a batch. One with events that have no place in the table is refused here:
// in a block it would hold up all others.
func decode(value []byte) (batch schema.EventBatch, err error) {
	if err := json.Unmarshal(value, &batch); err != nil {
		return batch, err
	}
	if err := batch.Check(); err != nil {
		return batch, err
	}
	for i, e := range batch.Events {
		if e.At.Year() < 1970 || e.At.Year() > 2200 {
			return batch, fmt.Errorf("event %d of batch %s lacks its time", i, batch.ID)
		}
	}
	return batch, nil
}
