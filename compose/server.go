package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// server is one listener with what it serves.
type server struct {
	name     string
	listener net.Listener
	http     *http.Server
	log      *slog.Logger
}

// listen takes the address of a flag, so that a port in use is known before anything starts.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use: stop what listens there, or give another --%s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("listening at the address of --%s: %w", flag, err)
	default:
		return listener, nil
	}
}

func newServer(name string, listener net.Listener, handler http.Handler, log *slog.Logger) *server {
	s := &server{name: name, listener: listener, http: boundedServer(handler), log: log}
	s.http.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	return s
}

// serve answers until ctx ends, then finishes the requests in hand within drain.
func (s *server) serve(ctx context.Context, drain time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	s.log.InfoContext(ctx, "listening", "for", s.name, "address", s.listener.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", s.name, err)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := s.http.Shutdown(draining); err != nil {
		s.log.WarnContext(ctx, "requests were cut off", "for", s.name, "err", err)
		_ = s.http.Close() // the connections that did not end in time
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving %s: %w", s.name, err)
	}
	return nil
}
