package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/pipeline/worker"
	"crier/schema"
)

// Announcer produces the messages that commits ask for, in batches. A lost message is
// harmless: each has a job or a row of the outbox, which sends it again.
type Announcer struct {
	log     *stream.Log
	queue   chan schema.Announcement
	logger  *slog.Logger
	metrics *Metrics
	rest    time.Duration // how long after its end it may write what it has
	events  atomic.Int64  // bytes of the events that are queued
}

const (
	announcerQueue = 8192
	announcerBatch = 512
	// announcerBytes bounds the events in the queue: some announcements have half a megabyte of them.
	announcerBytes = 64 << 20
	announcerRest  = 2 * time.Second
)

// NewAnnouncer makes an Announcer; Announce may be called before it runs.
func NewAnnouncer(logger *slog.Logger, metrics *Metrics) *Announcer {
	return &Announcer{queue: make(chan schema.Announcement, announcerQueue), logger: logger, metrics: metrics, rest: announcerRest}
}

// Announce queues an announcement, or drops it if the queue is full. It never waits.
func (a *Announcer) Announce(said schema.Announcement) {
	if said.IsZero() {
		return
	}
	size := eventBytes(said)
	if a.events.Add(size) <= announcerBytes {
		select {
		case a.queue <- said:
			return
		default:
		}
	}
	a.events.Add(-size)
	a.metrics.dropped.Inc()
}

func eventBytes(said schema.Announcement) (n int64) {
	for _, b := range said.Events {
		n += int64(len(b.Payload))
	}
	return n
}

// Run writes announcements to the log until ctx ends, then what is queued. What it writes when
// ctx ends it writes to the end: cut off, it would come only with its jobs.
func (a *Announcer) Run(ctx context.Context, log *stream.Log) error {
	a.log = log
	writing, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(a.rest, cut) })()
	for {
		select {
		case first := <-a.queue:
			a.write(writing, a.gather(first))
		case <-ctx.Done():
			a.writeRest(writing)
			return nil
		}
	}
}

func (a *Announcer) writeRest(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case first := <-a.queue:
			a.write(ctx, a.gather(first))
		default:
			return
		}
	}
}

// gather adds what else is queued.
func (a *Announcer) gather(all schema.Announcement) schema.Announcement {
	a.events.Add(-eventBytes(all))
	for range announcerBatch {
		select {
		case next := <-a.queue:
			a.events.Add(-eventBytes(next))
			all.Jobs = append(all.Jobs, next.Jobs...)
			all.Publish = append(all.Publish, next.Publish...)
			all.Notify = append(all.Notify, next.Notify...)
			all.Events = append(all.Events, next.Events...)
		default:
			return all
		}
	}
	return all
}

// write produces to all topics at the same time.
func (a *Announcer) write(ctx context.Context, said schema.Announcement) {
	var group errgroup.Group
	for topic, records := range recordsOf(said, a.log.Partitions(schema.TopicDelay)) {
		if len(records) == 0 {
			continue
		}
		group.Go(func() error { return a.log.Produce(ctx, topic, records) })
	}
	if err := group.Wait(); err != nil {
		a.logger.WarnContext(ctx, "announcing failed; the jobs fire by themselves", "err", err)
	}
}

func recordsOf(said schema.Announcement, delayPartitions int) map[string][]stream.Record {
	records := map[string][]stream.Record{}
	for _, j := range said.Jobs {
		if delayPartitions == 0 {
			break
		}
		partition := int(j.Shard) % delayPartitions
		records[schema.TopicDelay] = append(records[schema.TopicDelay], stream.Record{Value: worker.Encode(j), Partition: &partition})
	}
	for _, m := range said.Publish {
		records[schema.TopicPublish] = append(records[schema.TopicPublish], stream.Record{Key: m.Account[:], Value: worker.Encode(m), Headers: traced(m.Trace)})
	}
	for _, m := range said.Notify {
		records[schema.TopicNotify] = append(records[schema.TopicNotify], stream.Record{Key: m.Webhook[:], Value: worker.Encode(m), Headers: traced(m.Trace)})
	}
	for _, b := range said.Events {
		records[schema.TopicEvents] = append(records[schema.TopicEvents], stream.Record{Key: b.ID[:], Value: b.Payload})
	}
	return records
}

// traced returns the headers that carry a trace; none if parent is empty.
func traced(parent string) []stream.Header {
	if parent == "" {
		return nil
	}
	return []stream.Header{{Key: tracing.Header, Value: []byte(parent)}}
}
