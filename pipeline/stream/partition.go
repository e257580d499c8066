package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

const (
	// stallAfter is how long messages may be unreadable before they are skipped. That loses
	// no work: the job behind a skipped message fires again.
	stallAfter = 2 * time.Second
	// silentAfter is how long a partition still counts as ready while a fetch has no answer.
	silentAfter = 5 * time.Second
)

// Deliver receives messages of one partition, in order. Each partition has one goroutine,
// which calls it and fetches nothing more until it returns. ctx ends when the partition is
// no longer owned: Deliver must return then, and messages that are not acknowledged are
// delivered again.
type Deliver func(ctx context.Context, messages []*Message)

// partition reads one partition for as long as this process owns it.
type partition struct {
	topicPartition
	log         *Log
	maxInFlight int
	deliver     Deliver
	skipped     func(offsets int64)
	logger      *slog.Logger

	offset int64 // next to fetch
	stall  stall

	mu     sync.Mutex
	window *window
	end    int64 // high watermark last seen
	err    error // of the last fetch
	// unansweredSince is when the first fetch after the last success began; zero if there
	// was none yet.
	unansweredSince time.Time
}

// run fetches and delivers until the context fetching ends; owned is the context that
// Deliver gets.
func (p *partition) run(fetching, owned context.Context) {
	var pause backoff
	for p.awaitRoom(fetching) > 0 {
		p.noteFetch()
		got, err := p.fetch(fetching)
		if fetching.Err() != nil {
			return
		}
		p.noteAnswer(got, err)
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

// fetch fetches from the current offset. If there is none yet, or the log was emptied or
// trimmed and no longer holds it, fetch starts at the earliest message.
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
		p.logger.WarnContext(ctx, "log was emptied or trimmed, continuing at the earliest message",
			"offset", p.offset, "earliest", first)
	}
	p.resetTo(first)
	return p.log.fetch(ctx, p.topicPartition, first)
}

// resetTo continues at offset and forgets what is in flight. The new offset is committed
// even if no later message is acknowledged: otherwise the next owner would find the old
// offset, which the log may have reached again by then, and skip all before it.
func (p *partition) resetTo(offset int64) {
	p.offset = offset
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window = newWindow(offset, -1)
}

// awaitRoom returns how many messages may be delivered, 0 once ctx has ended.
func (p *partition) awaitRoom(ctx context.Context) int {
	inFlight := p.currentWindow().awaitBelow(ctx, p.maxInFlight)
	if ctx.Err() != nil {
		return 0
	}
	return p.maxInFlight - inFlight
}

func (p *partition) deliverAll(fetching, owned context.Context, messages []*Message) {
	for len(messages) > 0 {
		room := p.awaitRoom(fetching)
		if room == 0 {
			return
		}
		n := min(room, len(messages))
		p.currentWindow().add(messages[:n])
		p.offset = messages[n-1].Offset + 1
		p.deliver(owned, messages[:n:n])
		messages = messages[n:]
	}
}

// skipUnreadable skips messages that could not be read for stallAfter. Each step is twice
// as long as the last, since a damaged batch is unreadable as a whole and does not tell how
// long it is.
func (p *partition) skipUnreadable(ctx context.Context, cause error) {
	step := p.stall.step(p.log.now())
	if step == 0 {
		return
	}
	_, end, err := p.log.bounds(ctx, p.topicPartition)
	if err != nil {
		return // the broker is at fault, not the message
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

// unreadable reports whether err means that the answer could not be parsed, and not that
// the broker refused the request or did not answer it.
func unreadable(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return false
	}
	if _, ok := errors.AsType[kafka.Error](err); ok {
		return false
	}
	return !slices.ContainsFunc([]error{
		protocol.ErrNoTopic, protocol.ErrNoPartition, protocol.ErrNoLeader,
		context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
	}, func(e error) bool { return errors.Is(err, e) })
}

// stall measures for how long nothing could be read although the log holds messages.
type stall struct {
	since time.Time
	next  int64 // how many offsets to skip next
}

// step returns how many offsets to skip now, 0 before stallAfter is over.
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

func (p *partition) noteFetch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unansweredSince.IsZero() {
		p.unansweredSince = p.log.now()
	}
}

func (p *partition) noteAnswer(got fetched, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	if err == nil {
		p.end, p.unansweredSince = got.end, time.Time{}
	}
}

// ready returns nil while the partition is being read, and otherwise the reason why not.
func (p *partition) ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unansweredSince.IsZero() {
		return nil
	}
	if silence := p.log.now().Sub(p.unansweredSince); silence > silentAfter {
		return fmt.Errorf("partition %d of %s: no answer for %v: %w", p.partition, p.topic, silence.Round(time.Second), p.err)
	}
	return nil
}

func (p *partition) currentWindow() *window {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.window
}

// lag returns how many messages of the partition are not acknowledged, 0 while that is not
// known.
func (p *partition) lag() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if position := p.window.position(); position >= 0 {
		return max(0, p.end-position)
	}
	return 0
}
