package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// generation is one assignment of partitions to this member of the group.
type generation struct {
	consumer     *Consumer
	kafka        *kafka.Generation
	topicSize    int          // partitions of the whole topic when they were assigned
	partitions   []*partition // those assigned to this member
	topicChanged bool
}

// serve works on the partitions until the generation ends or ctx does.
func (g *generation) serve(ctx context.Context) {
	done := make(chan struct{})
	// kafka-go joins the next generation only after this function has returned, and ends
	// this one when it does: so all work of the generation happens inside it.
	g.kafka.Start(func(ended context.Context) {
		defer close(done)
		g.run(ctx, ended)
	})
	<-done
}

// run has two contexts to heed: ctx ends when the consumer is asked to stop, and it still
// owns its partitions then, to drain them; ended ends when the group revokes them.
func (g *generation) run(ctx, ended context.Context) {
	owned, revoke := context.WithCancel(context.WithoutCancel(ctx))
	defer revoke()
	defer context.AfterFunc(ended, revoke)()
	fetching, halt := context.WithCancel(owned)
	defer halt()
	defer context.AfterFunc(ctx, halt)()

	g.assign(owned)
	var fetchers sync.WaitGroup
	for _, p := range g.partitions {
		fetchers.Go(func() { p.run(fetching, owned) })
	}
	err := g.commitUntil(fetching)
	if ctx.Err() != nil {
		g.drain(owned)
	}
	revoke()
	fetchers.Wait()
	if err == nil {
		err = g.commit()
	}
	if err != nil {
		g.consumer.logger.Warn("committing offsets failed, messages will repeat", "err", err)
	}
	g.consumer.setIdle(errors.New("generation of the group has ended"))
}

// assign creates a reader for each assigned partition and tells the stage about them.
func (g *generation) assign(owned context.Context) {
	c := g.consumer
	var numbers []int
	skipped := c.log.metrics.skipped.WithLabelValues(c.cfg.Topic, c.cfg.Group)
	for _, a := range g.kafka.Assignments[c.cfg.Topic] {
		numbers = append(numbers, a.ID)
		start := max(a.Offset, -1) // kafka.FirstOffset is -2
		g.partitions = append(g.partitions, &partition{
			topicPartition: topicPartition{c.cfg.Topic, a.ID},
			log:            c.log, maxInFlight: c.cfg.MaxInFlight, deliver: c.deliver,
			skipped: func(offsets int64) { skipped.Add(float64(offsets)) },
			logger:  c.logger.With("partition", a.ID),
			offset:  start, window: newWindow(start, start),
		})
	}
	c.logger.Info("consuming", "generation", g.kafka.ID, "partitions", numbers)
	c.setAssigned(g.partitions)
	if c.cfg.Assigned != nil {
		c.cfg.Assigned(owned, numbers)
	}
}

// commitUntil commits offsets and updates metrics until fetching ends, a commit fails or
// the topic changes. After a failed commit, joining anew is the only way to learn which
// partitions are still owned.
func (g *generation) commitUntil(fetching context.Context) error {
	commits, watch := time.NewTicker(commitInterval), time.NewTicker(watchInterval)
	defer commits.Stop()
	defer watch.Stop()
	for {
		select {
		case <-fetching.Done():
			return nil
		case <-commits.C:
			g.measure()
			if err := g.commit(); err != nil {
				return err
			}
		case <-watch.C:
			if g.changed(fetching) {
				g.topicChanged = true
				return nil
			}
		}
	}
}

// changed reports whether the topic is gone, or has another number of partitions than when
// they were assigned.
func (g *generation) changed(ctx context.Context) bool {
	counts, err := g.consumer.log.partitionCounts(ctx, []string{g.consumer.cfg.Topic})
	n := counts[g.consumer.cfg.Topic]
	return err == nil && (n == 0 || n != g.topicSize)
}

// drain waits until nothing is in flight, for at most the consumer's Drain.
func (g *generation) drain(owned context.Context) {
	limit, stop := context.WithTimeout(owned, g.consumer.cfg.Drain)
	defer stop()
	for _, p := range g.partitions {
		p.currentWindow().awaitBelow(limit, 1)
	}
}

func (g *generation) commit() error {
	offsets := map[int]int64{}
	windows := map[int]*window{}
	for _, p := range g.partitions {
		w := p.currentWindow()
		if offset, ok := w.uncommitted(); ok {
			offsets[p.partition], windows[p.partition] = offset, w
		}
	}
	if len(offsets) == 0 {
		return nil
	}
	err := g.kafka.CommitOffsets(map[string]map[int]int64{g.consumer.cfg.Topic: offsets})
	if err != nil {
		return err
	}
	for number, w := range windows {
		w.committed(offsets[number])
	}
	return nil
}

func (g *generation) measure() {
	c := g.consumer
	var inFlight, lag int64
	var age time.Duration
	now := c.log.now()
	for _, p := range g.partitions {
		w := p.currentWindow()
		inFlight += int64(w.inFlight())
		lag += p.lag()
		if oldest := w.oldest(); !oldest.IsZero() {
			age = max(age, now.Sub(oldest))
		}
	}
	c.log.metrics.oldest.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(age.Seconds())
	c.log.metrics.inFlight.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(float64(inFlight))
	c.log.metrics.lag.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(float64(lag))
}
