package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

const (
	// stallAfter is how long messages may be unreadable before they are skipped. No work
	// is lost by that: its job fires again.
	stallAfter = 2 * time.Second
	// silentAfter is how long a partition without an answer still counts as ready.
	silentAfter = 5 * time.Second
)

// Deliver takes messages of one partition, in order. Each partition has one goroutine that
// calls it, and fetches nothing more until it returns. ctx ends when the partition is no
// longer owned: Deliver must return then, and what is not acknowledged is delivered again.
type Deliver func(ctx context.Context, messages []*Message)

// partition reads one partition for as long as this process owns it.
type partition struct {
	topicPartition
	log     *Log
	max     int
	deliver Deliver
	skipped func(offsets int64)
	logger  *slog.Logger

	offset int64 // next to fetch
	stall  stall

	mu     sync.Mutex
	window *window
	end    int64     // high watermark last seen
	asked  time.Time // first fetch without an answer; zero when there is none
	err    error     // of the last fetch
}

// run fetches and delivers until fetching ends; owned is the context of Deliver.
func (p *partition) run(fetching, owned context.Context) {
	var pause backoff
	for p.awaitRoom(fetching) > 0 {
		p.ask()
		got, err := p.fetch(fetching)
		if fetching.Err() != nil {
			return
		}
		p.observe(got, err)
		switch {
		case len(got.messages) > 0:
			pause, p.stall = backoff{}, stall{}
			p.deliverAll(fetching, owned, got.messages)
		case err == nil && got.end <= p.offset:
			pause, p.stall = backoff{}, stall{}
		case err == nil || unreadable(err):
			p.skipUnreadable(fetching, err)
			_ = pause.wait(fetching)
		default:
			_ = pause.wait(fetching)
		}
	}
}

// fetch resets the offset to the earliest message where there is none, or where it is
// outside the log because that was emptied or trimmed.
func (p *partition) fetch(ctx context.Context) (fetched, error) {
	if p.offset >= 0 {
		got, err := p.log.fetch(ctx, p.topicPartition, p.offset)
		if !errors.Is(err, kafka.OffsetOutOfRange) {
			return got, err
		}
	}
	first, _, err := p.log.bounds(ctx, p.topicPartition)
	if err != nil {
		return fetched{}, err
	}
	if p.offset >= 0 {
		p.logger.WarnContext(ctx, "log was emptied or trimmed, going on at what is there",
			"offset", p.offset, "earliest", first)
	}
	p.resetTo(first)
	return p.log.fetch(ctx, p.topicPartition, first)
}

// resetTo goes on at offset and forgets what is in flight. The new offset is committed even
// if nothing is acknowledged after it: a later owner would find the old one, which may be
// inside the log again by then, and skip what is before it.
func (p *partition) resetTo(offset int64) {
	p.offset = offset
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window = newWindow(offset, -1)
}

// awaitRoom returns how many messages may be delivered, 0 once ctx has ended.
func (p *partition) awaitRoom(ctx context.Context) int {
	held := p.current().awaitBelow(ctx, p.max)
	if ctx.Err() != nil {
		return 0
	}
	return p.max - held
}

func (p *partition) deliverAll(fetching, owned context.Context, messages []*Message) {
	for len(messages) > 0 {
		room := p.awaitRoom(fetching)
		if room == 0 {
			return
		}
		n := min(room, len(messages))
		p.current().add(messages[:n])
		p.offset = messages[n-1].Offset + 1
		p.deliver(owned, messages[:n:n])
		messages = messages[n:]
	}
}

// skipUnreadable skips what could not be read for stallAfter, in growing steps, since a
// damaged batch is unreadable as a whole.
func (p *partition) skipUnreadable(ctx context.Context, cause error) {
	step := p.stall.step(p.log.now())
	if step == 0 {
		return
	}
	_, end, err := p.log.bounds(ctx, p.topicPartition)
	if err != nil {
		return // the broker has trouble: try again later
	}
	step = min(step, end-p.offset)
	if step <= 0 {
		return
	}
	p.logger.ErrorContext(ctx, "skipping messages that cannot be read",
		"offset", p.offset, "offsets", step, "err", cause)
	p.skipped(step)
	p.offset += step
}

// unreadable tells an answer that cannot be parsed from a broker that did not answer.
func unreadable(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return false
	}
	if _, ok := errors.AsType[kafka.Error](err); ok {
		return false
	}
	for _, e := range []error{
		protocol.ErrNoTopic, protocol.ErrNoPartition, protocol.ErrNoLeader,
		context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
	} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// stall measures for how long nothing could be read although something is there.
type stall struct {
	since time.Time
	next  int64
}

// step returns how many offsets to skip now, 0 for none yet.
func (s *stall) step(now time.Time) int64 {
	if s.since.IsZero() {
		*s = stall{since: now, next: 1}
	}
	if now.Sub(s.since) < stallAfter {
		return 0
	}
	step := s.next
	s.next *= 2
	return step
}

func (p *partition) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked.IsZero() {
		p.asked = p.log.now()
	}
}

func (p *partition) observe(got fetched, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	if err == nil {
		p.end, p.asked = got.end, time.Time{}
	}
}

// ready says why the partition is not being read, nil while it is.
func (p *partition) ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked.IsZero() {
		return nil
	}
	if silence := p.log.now().Sub(p.asked); silence > silentAfter {
		return fmt.Errorf("partition %d of %s: no answer for %v: %w", p.partition, p.topic, silence.Round(time.Second), p.err)
	}
	return nil
}

func (p *partition) current() *window {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.window
}

// lag returns how many messages are not acknowledged, 0 before it is known.
func (p *partition) lag() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if position := p.window.position(); position >= 0 {
		return max(0, p.end-position)
	}
	return 0
}
