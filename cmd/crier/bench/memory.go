package bench

import (
	"context"
	"errors"
	"time"

	"crier/gateway"
	"crier/schema/sleep"
)

const (
	scheduledPosts = 100_000
	// restAfter is how long nothing happens before memory is read.
	restAfter = 3 * time.Second
)

// measureMemory measures what crier's processes take together.
func measureMemory(ctx context.Context, s *session) (err error) {
	on, err := s.startServer(ctx, serverConfig{Lead: gateway.Lead})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.stop()) }()
	rest, err := on.memory(ctx)
	if err != nil {
		return err
	}
	plan, err := on.createPlan(ctx)
	if err != nil {
		return err
	}
	plan.Connections, plan.Posts = 64, scheduledPosts
	s.say("scheduling %d posts", scheduledPosts)
	var created loadResult
	if err := s.do(ctx, roleLoad, plan, &created); err != nil {
		return err
	}
	s.tell(created)
	loaded, err := on.memory(ctx)
	if err != nil {
		return err
	}
	return s.report(
		Figure{Name: "memory_rest", Value: rest, Unit: "MiB"},
		Figure{Name: "memory_100k", Value: loaded, Unit: "MiB", Errors: created.Errors},
	)
}

// memory waits until the server rests and returns its memory in MiB.
func (s *server) memory(ctx context.Context) (float64, error) {
	if err := errors.Join(s.settle(ctx), sleep.For(ctx, restAfter)); err != nil {
		return 0, err
	}
	bytes, err := memoryOf(s.child.command.Process.Pid)
	return float64(bytes) / (1 << 20), err
}
