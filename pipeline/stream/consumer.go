package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"crier/schema/sleep"
)

const (
	commitInterval    = 200 * time.Millisecond
	heartbeatInterval = 500 * time.Millisecond
	joinBackoff       = 200 * time.Millisecond
	groupTimeout      = 3 * time.Second // one request to the group's coordinator
	// sessionTimeout is how long after its last heartbeat a process that was killed loses
	// its partitions to others: the shortest that Apache Kafka accepts by default.
	sessionTimeout = 6 * time.Second
	// rebalanceTimeout bounds how long a join waits for members that are gone, so that a
	// process that was killed consumes again within about 2 s of its restart.
	rebalanceTimeout = 2 * time.Second
	// watchInterval is how often a consumer checks that its topic still exists.
	watchInterval = 500 * time.Millisecond
)

// ConsumerConfig says what to consume and how much at a time.
type ConsumerConfig struct {
	Group string
	Topic string
	// MaxInFlight bounds the messages of one partition that are delivered and not
	// acknowledged. Nothing is fetched while that many are.
	MaxInFlight int
	// Drain bounds how long Run waits for messages in flight once its context has ended.
	Drain time.Duration
	// Assigned, if not nil, is called at the start of each generation of the group,
	// before its first message, with the assigned partitions; there may be none. ctx
	// ends with the generation. It must not block.
	Assigned func(ctx context.Context, partitions []int)
}

// Consumer is one member of a consumer group.
type Consumer struct {
	log     *Log
	cfg     ConsumerConfig
	deliver Deliver
	logger  *slog.Logger

	mu         sync.Mutex
	partitions []*partition
	idle       error // why there is no generation; nil while there is one
}

// NewConsumer returns a consumer that calls deliver with the messages once Run is called.
func (l *Log) NewConsumer(cfg ConsumerConfig, deliver Deliver) *Consumer {
	return &Consumer{
		log: l, cfg: cfg, deliver: deliver,
		logger: l.logger.With("topic", cfg.Topic, "group", cfg.Group),
		idle:   errors.New("not started"),
	}
}

// Run consumes until ctx ends. Then it stops fetching, waits up to Drain for the
// messages in flight, commits and leaves the group, so that the next owner can start at
// once. Failures of the log are retried, and Ready reports them; Run returns an error only
// if the configuration is unusable.
func (c *Consumer) Run(ctx context.Context) error {
	defer c.setIdle(errStopped)
	for ctx.Err() == nil {
		c.setIdle(errNoTopic)
		partitions, err := c.log.awaitTopic(ctx, c.cfg.Topic)
		if err != nil {
			return nil // only the end of ctx ends the wait
		}
		if err := c.participate(ctx, partitions); err != nil {
			return fmt.Errorf("consuming %s as %s: %w", c.cfg.Topic, c.cfg.Group, err)
		}
	}
	return nil
}

// Ready returns nil while this member of the group has its partitions and reads them, and
// otherwise the reason why it does not.
func (c *Consumer) Ready() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		return fmt.Errorf("consumer %s of %s: %w", c.cfg.Group, c.cfg.Topic, c.idle)
	}
	var errs []error
	for _, p := range c.partitions {
		errs = append(errs, p.ready())
	}
	return errors.Join(errs...)
}

// participate takes part in the group until ctx ends or the topic has another number of
// partitions than were assigned. After a failed join it tries again as a new member, since
// it cannot know whether the broker has taken in the first.
func (c *Consumer) participate(ctx context.Context, partitions int) error {
	balancer := new(balancer)
	balancer.topicSize.Store(int64(partitions))
	c.setIdle(errJoining)
	for ctx.Err() == nil {
		if err := c.log.evictStaleMembers(ctx, c.cfg.Group); err != nil {
			c.logger.DebugContext(ctx, "evicting stale members failed", "err", err)
		}
		group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
			ID: c.cfg.Group, Topics: []string{c.cfg.Topic},
			Brokers: c.log.brokers, Dialer: c.log.dialer, Timeout: groupTimeout,
			GroupBalancers:    []kafka.GroupBalancer{balancer},
			StartOffset:       kafka.FirstOffset,
			HeartbeatInterval: heartbeatInterval,
			SessionTimeout:    sessionTimeout,
			RebalanceTimeout:  rebalanceTimeout,
			JoinGroupBackoff:  joinBackoff,
		})
		if err != nil {
			return err
		}
		topicChanged := c.serve(ctx, group, balancer)
		group.Close() // which leaves the group
		if topicChanged {
			return nil
		}
		_ = sleep.For(ctx, joinBackoff) // the loop checks ctx
	}
	return nil
}

// serve works through the generations of a group until ctx ends, joining fails or the topic
// has changed. It returns true only in the last case.
func (c *Consumer) serve(ctx context.Context, group *kafka.ConsumerGroup, balancer *balancer) (topicChanged bool) {
	for {
		gen, err := group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return false
		case errors.Is(err, kafka.RebalanceInProgress):
			continue // still a member, joining again
		case err != nil:
			c.setIdle(fmt.Errorf("joining the group: %w", err))
			return false
		}
		g := &generation{consumer: c, kafka: gen, topicSize: int(balancer.topicSize.Load())}
		if g.serve(ctx); g.topicChanged {
			return true
		}
	}
}

// balancer assigns a topic's partitions when this member leads the group, and remembers how
// many there were, so that a generation notices a later change. The leader reads the topic's
// metadata only at that moment; if the topic was missing then, as after the log was emptied,
// nobody was assigned anything.
type balancer struct {
	kafka.RangeGroupBalancer
	topicSize atomic.Int64 // partitions
}

// AssignGroups implements kafka.GroupBalancer.
func (b *balancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	b.topicSize.Store(int64(len(partitions)))
	return b.RangeGroupBalancer.AssignGroups(members, partitions)
}

// The reasons to be idle that are normal, at each start and each end.
var (
	errNoTopic = errors.New("waiting for the topic")
	errJoining = errors.New("joining the group")
	errStopped = errors.New("stopped")
)

// setIdle records why nothing is consumed, and logs it if it differs from the reason
// before: at DEBUG if it is normal.
func (c *Consumer) setIdle(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil || c.idle.Error() != why.Error() {
		level := slog.LevelInfo
		if errors.Is(why, errNoTopic) || errors.Is(why, errJoining) || errors.Is(why, errStopped) {
			level = slog.LevelDebug
		}
		c.logger.Log(context.Background(), level, "not consuming", "reason", why)
	}
	c.idle, c.partitions = why, nil
	c.log.metrics.inFlight.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(0)
	c.log.metrics.lag.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(0)
	c.log.metrics.oldest.WithLabelValues(c.cfg.Topic, c.cfg.Group).Set(0)
}

func (c *Consumer) setAssigned(partitions []*partition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle, c.partitions = nil, partitions
}
