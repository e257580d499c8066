package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/sethvargo/go-retry"
)

// readyTimeout bounds a start: PostgreSQL replays up to max_wal_size after a crash, and
// a first start may download over a slow line.
const readyTimeout = 5 * time.Minute

// supervisor keeps one child alive: it starts it again when it dies by itself.
type supervisor struct {
	part   string
	user   *syscall.Credential // nil: our own
	config any
	log    *slog.Logger

	stopping chan context.Context // carries the deadline of the stop
	done     chan struct{}        // closed when the child is gone for good
	err      error                // why; valid after done

	mu  sync.Mutex
	pid int
}

// supervise starts the child and returns once it serves.
func supervise(ctx context.Context, part string, user *syscall.Credential, config any, log *slog.Logger) (*supervisor, error) {
	s := &supervisor{
		part: part, user: user, config: config, log: log.With("part", part),
		stopping: make(chan context.Context), done: make(chan struct{}),
	}
	started := make(chan error)
	go s.run(ctx, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", part, err)
	}
	return s, nil
}

// PID returns the id of the process that serves, which changes when it is started again.
func (s *supervisor) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// Done is closed when the part is gone for good.
func (s *supervisor) Done() <-chan struct{} { return s.done }

// Err says why the part is gone, after Done; nil if it was stopped.
func (s *supervisor) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop ends the part in order, or kills it when ctx ends first.
func (s *supervisor) Stop(ctx context.Context) error {
	select {
	case s.stopping <- ctx:
		<-s.done
	case <-s.done:
	}
	if s.err != nil {
		return fmt.Errorf("stopping %s: %w", s.part, s.err)
	}
	return nil
}

// run owns the child from its first start to its end.
func (s *supervisor) run(ctx context.Context, started chan<- error) {
	// The kernel takes the death of the thread that forked for the parent's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.done)

	p, err := s.launch(ctx)
	started <- err
	for err == nil {
		select {
		case stop := <-s.stopping:
			s.err = p.stop(stop)
			return
		case <-p.exited:
			s.log.Error("embedded part died, starting it again", "err", p.err)
			p, err = s.relaunch()
		}
	}
	if !errors.Is(err, errStopped) {
		s.err = err
	}
}

// launch starts the child once and waits until it serves.
func (s *supervisor) launch(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	p, err := startProcess(s.part, s.user, s.config, s.log)
	if err != nil {
		return nil, err
	}
	pid, err := p.awaitReady(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.pid = pid
	s.mu.Unlock()
	return p, nil
}

// errStopped ends a relaunch that Stop interrupts.
var errStopped = errors.New("stopped")

// relaunch starts the child again, at once and then with a growing pause, until it
// serves or Stop is called. It does not give up: what keeps it from starting, as a full
// disk does, may pass, and it served before.
func (s *supervisor) relaunch() (*process, error) {
	const (
		firstPause = 50 * time.Millisecond
		longest    = 2 * time.Second
	)
	ctx, cancel := context.WithCancelCause(context.Background())
	watched := make(chan struct{})
	defer func() { cancel(nil); <-watched }()
	go func() {
		defer close(watched)
		select {
		case <-s.stopping:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()

	began := time.Now()
	backoff := retry.WithCappedDuration(longest, retry.NewExponential(firstPause))
	p, err := retry.DoValue(ctx, backoff, func(ctx context.Context) (*process, error) {
		p, err := s.launch(ctx)
		if err != nil {
			s.log.Warn("starting embedded part again failed", "err", err)
		}
		return p, retry.RetryableError(err)
	})
	if errors.Is(context.Cause(ctx), errStopped) {
		if p != nil {
			_ = p.stopWithin(stopGrace)
		}
		return nil, errStopped
	}
	if err != nil {
		return nil, fmt.Errorf("starting again: %w", err)
	}
	s.log.Info("embedded part serves again", "took", time.Since(began).Round(time.Millisecond))
	return p, nil
}
