package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"crier/client"
	blueskysim "crier/connectors/simulators/bluesky"
	"crier/listening/listeningtest"
	"crier/schema/sleep"
)

const (
	streamRate     = 5000 // events a second
	streamMonitors = 5000
	streamWords    = 60_000 // of which posts and keywords are made
	streamWatched  = 40 * time.Second
	// streamBehind is how long nobody listens, until it is measured how fast that is made up for.
	streamBehind  = 20 * time.Second
	streamLook    = 50 * time.Millisecond
	streamPatient = 5 * time.Minute // for what must happen
	lagWithin     = 2 * time.Second
	// perItems is how many events the processor time is told of.
	perItems = 100_000
)

// withoutListening are all roles that a server has by itself but one.
const withoutListening = "gateway,delay,publish,comment,notify,analytics"

// measureListening measures what it takes to find what monitors ask for on a stream of public
// posts, beside reading and decoding the same stream for nobody.
func measureListening(ctx context.Context, s *session) (err error) {
	if s.config.Target.URL != "" {
		return errors.New("a running server listens to Bluesky: listening starts its own")
	}
	addresses, err := freeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	stream, err := s.start(ctx, roleStream, streamConfig{addresses[0]})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.stop()) }()
	if err := awaitListener(ctx, addresses[0]); err != nil {
		return err
	}
	platforms, simulators, err := s.startSimulators(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulators.stop()) }()
	on, err := s.startServer(ctx, serverConfig{Simulators: platforms, Jetstream: "http://" + addresses[0]})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.stop()) }()
	if err := s.listenFor(ctx, on, cmp.Or(s.config.Monitors, streamMonitors)); err != nil {
		return err
	}
	var control streamRead
	if err := s.readStream(ctx, addresses[0], &control); err != nil {
		return err
	}
	lags, work, err := s.watchLag(ctx, on)
	if err != nil {
		return err
	}
	rate, err := s.catchUp(ctx, on)
	if err != nil {
		return err
	}
	if err := s.readStream(ctx, addresses[0], &control); err != nil {
		return err
	}
	read := &Control{"the same stream read and decoded, with nothing behind it", control.Items / control.Seconds}
	return s.report(
		Figure{Name: "listening_rate", Value: rate, Unit: "items/s", Control: read, Goal: &Goal{Bound: streamRate, AtLeast: true}},
		Figure{Name: "listening_lag_p50", Value: milliseconds(lags.rank(0.5)), Unit: "ms"},
		Figure{Name: "listening_lag_p99", Value: milliseconds(lags.rank(0.99)), Unit: "ms", Goal: &Goal{Bound: milliseconds(lagWithin)}},
		Figure{Name: "listening_cpu_per_100k", Value: work, Unit: "s", Control: &Control{read.Name, control.CPU / control.Items * perItems}},
	)
}

// listenFor makes monitors of two keywords and waits until they are listened for.
func (s *session) listenFor(ctx context.Context, on *server, n int) error {
	s.say("making %d monitors", n)
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(8)
	c := client.New(on.Key, client.WithServer(on.URL))
	for _, m := range listeningtest.Monitors(n, listeningtest.Words(streamWords), 5) {
		group.Go(func() error {
			_, err := c.Monitors.Create(inside, client.Monitor{Name: m.Name, Include: m.Include, Exclude: m.Exclude})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return s.until(ctx, on, "the monitors are read", func(now listened) bool { return now.monitors == n })
}

// listened is what a server tells of the stream that it reads.
type listened struct {
	monitors int
	items    float64       // since its start
	lag      time.Duration // negative: it reads none
}

func (s *server) listened(ctx context.Context) (now listened, err error) {
	now.lag = -1
	err = s.metrics(ctx, func(series string, value float64) {
		switch {
		case !strings.Contains(series, `stream="bluesky"`):
		case strings.HasPrefix(series, "crier_listening_items_total{"):
			now.items += value
		case strings.HasPrefix(series, "crier_listening_lag_seconds{"):
			now.lag = time.Duration(value * float64(time.Second))
		case strings.HasPrefix(series, "crier_listening_monitors{") && strings.Contains(series, `state="read"`):
			now.monitors = int(value)
		}
	})
	return now, err
}

func (s *session) until(ctx context.Context, on *server, what string, is func(listened) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, streamPatient, fmt.Errorf("waiting until %s took too long", what))
	defer cancel()
	for {
		now, err := on.listened(ctx)
		if err == nil && is(now) {
			return nil
		}
		if err == nil {
			err = sleep.For(ctx, streamLook)
		}
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// watchLag samples how far behind the stream the server is while it keeps up, and returns how much
// processor time all its processes took for 100,000 events, in seconds.
func (s *session) watchLag(ctx context.Context, on *server) (lags samples, work float64, err error) {
	if err := s.until(ctx, on, "the stream is caught up with", func(now listened) bool { return now.lag >= 0 && now.lag < lagWithin }); err != nil {
		return nil, 0, err
	}
	s.say("listening for %v at %d events a second", streamWatched, streamRate)
	began, err := on.listened(ctx)
	before, failed := on.work()
	if err := errors.Join(err, failed); err != nil {
		return nil, 0, err
	}
	now := began
	for end := time.Now().Add(streamWatched); time.Now().Before(end); {
		if err := sleep.For(ctx, 2*streamLook); err != nil {
			return nil, 0, err
		}
		if now, err = on.listened(ctx); err != nil {
			return nil, 0, err
		}
		lags = append(lags, now.lag)
	}
	after, err := on.work()
	return lags, after.since(before).total().Seconds() / (now.items - began.items) * perItems, err
}

// catchUp has nobody listen for a while, and returns how many events a second are made up for then.
func (s *session) catchUp(ctx context.Context, on *server) (rate float64, err error) {
	s.say("nobody listens for %v", streamBehind)
	if err := s.restart(ctx, on, withoutListening); err != nil {
		return 0, err
	}
	if err := sleep.For(ctx, streamBehind); err != nil {
		return 0, err
	}
	if err := s.restart(ctx, on, "all"); err != nil {
		return 0, err
	}
	var first, last listened
	var began time.Time
	err = s.until(ctx, on, "what was missed is made up for", func(now listened) bool {
		if first.items == 0 && now.items > 0 {
			first, began = now, time.Now()
		}
		last = now
		return now.items > 0 && now.lag >= 0 && now.lag < lagWithin
	})
	s.say("%.0f events were made up for in %v", last.items, time.Since(began))
	return (last.items - first.items) / time.Since(began).Seconds(), err
}

// streamConfig is the configuration of the worker that serves the stream.
type streamConfig struct{ Listen string }

func serveStream(ctx context.Context, w *worker) error {
	var c streamConfig
	if err := w.configure(&c); err != nil {
		return err
	}
	stream := blueskysim.NewStream(blueskysim.StreamConfig{Rate: streamRate, Seed: 42, Words: listeningtest.Words(streamWords), Now: time.Now})
	server := &http.Server{Addr: c.Listen, Handler: stream, ReadHeaderTimeout: 10 * time.Second}
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the stream: %w", err)
	}
	return nil
}

// streamPlan is the configuration of the worker that reads so many events from some time ago on.
type streamPlan struct {
	Address string
	Items   int
	Ago     time.Duration
}

// streamRead is what reading took, the processor's time included.
type streamRead struct{ Items, Seconds, CPU float64 }

// readStream runs the control once and adds its result.
func (s *session) readStream(ctx context.Context, address string, total *streamRead) error {
	const ago = 2 * streamBehind // so that none is waited for
	plan := streamPlan{"http://" + address, int(streamRate * streamBehind.Seconds()), ago}
	s.say("control: reading and decoding %d events", plan.Items)
	var result streamRead
	err := s.do(ctx, roleReader, plan, &result)
	total.Items, total.Seconds, total.CPU = total.Items+result.Items, total.Seconds+result.Seconds, total.CPU+result.CPU
	return err
}

// readAll is the worker that reads a stream.
func readAll(ctx context.Context, w *worker) error {
	var plan streamPlan
	if err := w.configure(&plan); err != nil {
		return err
	}
	cursor := time.Now().Add(-plan.Ago).UnixMicro()
	conn, _, err := websocket.Dial(ctx, fmt.Sprintf("%s/subscribe?wantedCollections=app.bsky.feed.post&cursor=%d", plan.Address, cursor), nil) //nolint:bodyclose // the connection has it
	if err != nil {
		return fmt.Errorf("connecting to the stream: %w", err)
	}
	defer conn.CloseNow() //nolint:errcheck // it is over
	began, worked := time.Now(), processorTime()
	for range plan.Items {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("reading the stream: %w", err)
		}
		var event struct {
			DID    string `json:"did"`
			TimeUS int64  `json:"time_us"`
			Commit struct {
				Record struct {
					Text  string   `json:"text"`
					Langs []string `json:"langs"`
				} `json:"record"`
			} `json:"commit"`
		}
		if err := json.Unmarshal(message, &event); err != nil {
			return fmt.Errorf("decoding an event: %w", err)
		}
	}
	return w.answer(streamRead{float64(plan.Items), time.Since(began).Seconds(), (processorTime() - worked).Seconds()})
}

// processorTime is what this process has had of the processor.
func processorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // it fails for who is unknown
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
