package listening

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/schema"
	"crier/schema/sleep"
)

// Source is a live stream of public posts, such as Bluesky's Jetstream.
type Source interface {
	// Read gives every event from a place on to deliver, which may take its time. It returns
	// when ctx ends, or with deliver's error; a host that fails is its own concern.
	Read(ctx context.Context, from schema.StreamPlace, deliver func(connectors.StreamEvent) error) error
}

type monitorStore interface {
	// Listening returns the monitors that look at a platform, as long as their keywords have at
	// most so many bytes together; left is how many are left out.
	Listening(ctx context.Context, sandbox bool, platform schema.Platform, maximum int) (monitors []schema.Monitor, left int, err error)
	// Revision is raised by every change of a monitor.
	Revision(ctx context.Context, sandbox bool) (int64, error)
}

// claimStore lets one process at a time read a stream, or search.
type claimStore interface {
	// ClaimStream takes the right to read a stream, unless another process has it.
	ClaimStream(ctx context.Context, stream string) (claim schema.StreamClaim, taken bool, err error)
	ReleaseStream(ctx context.Context, claim schema.StreamClaim) error
}

// streamStore is how far streams are read.
type streamStore interface {
	claimStore
	// Advance stores how far the stream was read with what was found until there, each find once,
	// while the claim is held.
	Advance(ctx context.Context, claim schema.StreamClaim, finds []schema.Find) (found int, held bool, err error)
}

// Store is all that a listener asks of the database.
type Store interface {
	monitorStore
	streamStore
}

// Config is what a Listener is made of.
type Config struct {
	Stream   string // its name, in PostgreSQL and in metrics
	Sandbox  bool   // it is for the monitors of sandboxes alone, or for all others
	Platform schema.Platform
	Source   Source
	Store    Store
	Now      func() time.Time
	Logger   *slog.Logger
	Metrics  *Metrics
}

// Listener reads a stream for the monitors that ask for it. Without any it reads nothing.
type Listener struct {
	Config
	kinds [4]prometheus.Counter
}

const (
	idle    = 2 * time.Second // between looks for monitors, or for the right to read
	waiting = 4096            // events read and not matched yet; the host is held back then

	chunkAge   = 500 * time.Millisecond // until what was found is stored
	chunkFinds = 500
	fresh      = time.Second // until a change of monitors is noticed
	// reloadShare is how much of the time monitors may be read again, as a divisor.
	reloadShare = 10
	retry       = 500 * time.Millisecond
	// remembered is how long a find is known: a stream is never resumed that far back.
	remembered = time.Hour
	// gap is how much later than asked for a stream may go on without having left anything out.
	gap = 5 * time.Minute
	// maxText is how much of a post is stored, in bytes.
	maxText = 4000
)

// NewListener makes the listener of a stream.
func NewListener(c Config) *Listener { return &Listener{c, c.Metrics.of(c.Stream)} }

// Run listens until ctx ends, then stores what was found.
func (l *Listener) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := l.turn(ctx); err != nil && ctx.Err() == nil {
			l.Logger.WarnContext(ctx, "listening failed", "stream", l.Stream, "err", err)
		}
		_ = sleep.For(ctx, idle)
	}
	return nil
}

// turn reads the stream for as long as there are monitors and no other process has it.
func (l *Listener) turn(ctx context.Context) error {
	matcher, err := l.load(ctx)
	if err != nil || matcher.Monitors() == 0 {
		return err
	}
	claim, taken, err := l.Store.ClaimStream(ctx, l.Stream)
	if err != nil || !taken {
		return err
	}
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	events := make(chan connectors.StreamEvent, waiting)
	ended := make(chan error, 1)
	go func() {
		defer close(events)
		ended <- l.Source.Read(reading, from(claim.Place, matcher.monitors), func(e connectors.StreamEvent) error {
			select {
			case events <- e:
				return nil
			case <-reading.Done():
				return reading.Err()
			}
		})
	}()
	c := &chunk{Listener: l, claim: claim, stored: claim.Place, loaded: matcher}
	err = c.run(ctx, events)
	stop(err)
	for range events { // what is read and not stored comes again
	}
	l.Metrics.places.set(l.Stream, schema.StreamPlace{})
	return errors.Join(err, release(ctx, l.Store, c.claim), unless(<-ended, context.Canceled))
}

func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

func release(ctx context.Context, store claimStore, claim schema.StreamClaim) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return store.ReleaseStream(ctx, claim)
}

// from is where reading begins: where it was left, but not before there was a monitor as it is.
func from(place schema.StreamPlace, monitors []schema.Monitor) schema.StreamPlace {
	oldest := slices.MinFunc(monitors, func(a, b schema.Monitor) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	if place.Time.Before(oldest.UpdatedAt) {
		place.Time = oldest.UpdatedAt
	}
	return place
}

// loaded is the matcher of monitors as they were at a revision.
type loaded struct {
	*Matcher
	revision int64
	took     time.Duration
	at       time.Time
}

// load reads the monitors.
func (l *Listener) load(ctx context.Context) (loaded, error) {
	start := time.Now()
	revision, err := l.Store.Revision(ctx, l.Sandbox)
	if err != nil {
		return loaded{}, err
	}
	monitors, left, err := l.Store.Listening(ctx, l.Sandbox, l.Platform, schema.HeldKeywordBytes)
	if err != nil {
		return loaded{}, err
	}
	l.Metrics.monitors.WithLabelValues(l.Stream, monitorsRead).Set(float64(len(monitors)))
	l.Metrics.monitors.WithLabelValues(l.Stream, monitorsLeftOut).Set(float64(left))
	return loaded{NewMatcher(monitors), revision, time.Since(start), time.Now()}, nil
}

// findOf is a match as it is stored.
func findOf(m *Match) schema.Find {
	sum := sha256.Sum256([]byte(m.Item.NativeID + "\x00" + m.Item.Revision))
	f := schema.Find{
		Workspace: m.Monitor.Workspace, Monitor: m.Monitor.Name, Platform: m.Item.Platform, Key: [16]byte(sum[:16]), Known: remembered,
		Item: schema.FeedItem{
			Monitor: m.Monitor.ID, NativeID: m.Item.NativeID, Author: m.Item.Author, Text: clip(m.Item.Text), URL: m.Item.URL,
			WrittenAt: m.Item.WrittenAt, Keywords: m.Keywords,
		},
	}
	if len(m.Item.Languages) > 0 {
		f.Item.Language = m.Item.Languages[0]
	}
	return f
}
