package pipeline

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/sleep"
)

// Announcer produces the messages that commits ask for, in batches. A lost message is
// harmless: each has a job or a row of the outbox, which sends it again.
type Announcer struct {
	log     *stream.Log
	work    chan schema.Announcement // what is to be done, at once
	events  chan schema.Announcement // what has happened, which waits eventsLinger for more
	logger  *slog.Logger
	metrics *Metrics
	rest    time.Duration // how long after its end it may write what it has
	bytes   atomic.Int64  // of the events that are queued
}

const (
	announcerQueue = 8192
	announcerBatch = 512
	// announcerBytes bounds the events in the queue: some announcements have half a megabyte of them.
	announcerBytes = 64 << 20
	announcerRest  = 2 * time.Second
	// eventsLinger is how long events are gathered: those of each commit by themselves would be a
	// request to the log, and an answer to each of its readers.
	eventsLinger = 10 * time.Millisecond
	// eventsTogether is how many batches of events go to a partition before another has its turn.
	eventsTogether = 64
)

// NewAnnouncer makes an Announcer; Announce may be called before it runs.
func NewAnnouncer(logger *slog.Logger, metrics *Metrics) *Announcer {
	return &Announcer{
		work: make(chan schema.Announcement, announcerQueue), events: make(chan schema.Announcement, announcerQueue),
		logger: logger, metrics: metrics, rest: announcerRest,
	}
}

// Announce queues an announcement, or drops what its queue has no room for. It never waits.
func (a *Announcer) Announce(announcement schema.Announcement) {
	events := schema.Announcement{Events: announcement.Events}
	announcement.Events = nil
	a.enqueue(a.work, announcement)
	a.enqueue(a.events, events)
}

func (a *Announcer) enqueue(queue chan<- schema.Announcement, announcement schema.Announcement) {
	if announcement.IsZero() {
		return
	}
	size := eventBytes(announcement)
	if a.bytes.Add(size) <= announcerBytes || size == 0 {
		select {
		case queue <- announcement:
			return
		default:
		}
	}
	a.bytes.Add(-size)
	a.metrics.dropped.Inc()
}

func eventBytes(announcement schema.Announcement) (n int64) {
	for _, b := range announcement.Events {
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
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { a.run(ctx, writing, a.events, eventsLinger) })
	a.run(ctx, writing, a.work, 0)
	return nil
}

// run writes what is queued until ctx ends, and then the rest.
func (a *Announcer) run(ctx, writing context.Context, queue <-chan schema.Announcement, linger time.Duration) {
	for {
		select {
		case first := <-queue:
			_ = sleep.For(ctx, linger) // its end is seen below
			a.write(writing, a.gather(queue, first))
		case <-ctx.Done():
			a.writeRest(writing, queue)
			return
		}
	}
}

func (a *Announcer) writeRest(ctx context.Context, queue <-chan schema.Announcement) {
	for ctx.Err() == nil {
		select {
		case first := <-queue:
			a.write(ctx, a.gather(queue, first))
		default:
			return
		}
	}
}

// gather adds what else is queued.
func (a *Announcer) gather(queue <-chan schema.Announcement, all schema.Announcement) schema.Announcement {
	a.bytes.Add(-eventBytes(all))
	for range announcerBatch {
		select {
		case next := <-queue:
			a.bytes.Add(-eventBytes(next))
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
func (a *Announcer) write(ctx context.Context, announcement schema.Announcement) {
	var group errgroup.Group
	for topic, records := range recordsOf(announcement, a.log.Partitions) {
		if len(records) == 0 {
			continue
		}
		group.Go(func() error { return a.log.Produce(ctx, topic, records) })
	}
	if err := group.Wait(); err != nil {
		a.logger.WarnContext(ctx, "announcing failed; the jobs fire by themselves", "err", err)
	}
}

// recordsOf returns the records of each topic; partitions is how many one has, 0 if nobody knows yet.
func recordsOf(announcement schema.Announcement, partitions func(topic string) int) map[string][]stream.Record {
	records := map[string][]stream.Record{}
	delays := partitions(schema.TopicDelay)
	for _, j := range announcement.Jobs {
		if delays == 0 {
			break
		}
		partition := int(j.Shard) % delays
		records[schema.TopicDelay] = append(records[schema.TopicDelay], stream.Record{Value: worker.Encode(j), Partition: &partition})
	}
	for _, m := range announcement.Publish {
		records[schema.TopicPublish] = append(records[schema.TopicPublish], stream.Record{Key: m.Account[:], Value: worker.Encode(m), Headers: worker.TraceHeaders(m.Trace)})
	}
	for _, m := range announcement.Notify {
		records[schema.TopicNotify] = append(records[schema.TopicNotify], stream.Record{Key: m.Webhook[:], Value: worker.Encode(m), Headers: worker.TraceHeaders(m.Trace)})
	}
	for together := range slices.Chunk(announcement.Events, eventsTogether) {
		records[schema.TopicEvents] = append(records[schema.TopicEvents], recordsOfEvents(together, partitions(schema.TopicEvents))...)
	}
	return records
}

// recordsOfEvents has batches go by the first of them: one request takes them all, and they have no
// order.
func recordsOfEvents(batches []schema.EncodedEvents, partitions int) []stream.Record {
	var together *int
	if partitions > 0 {
		together = new(stream.Partition(batches[0].ID[:], partitions))
	}
	records := make([]stream.Record, len(batches))
	for i, b := range batches {
		records[i] = stream.Record{Key: b.ID[:], Value: b.Payload, Partition: together}
	}
	return records
}
