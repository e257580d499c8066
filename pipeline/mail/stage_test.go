package mail

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/people"
)

// outage is a store of which each look is an error, or none.
type outage struct {
	store
	looks []error
}

func (o *outage) Waiting(context.Context) (map[people.MailKind]people.WaitingMail, error) {
	err := o.looks[0]
	o.looks = o.looks[1:]
	return nil, err
}

// TestAFailureToCountIsLoggedWhenItBegins is about processes without a mail server: of others a round tells.
func TestAFailureToCountIsLoggedWhenItBegins(t *testing.T) {
	down := errors.New("the database is down")
	for name, tt := range map[string]struct {
		server *Server
		lines  int
	}{
		"without a server": {nil, 2},
		"with one":         {&Server{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			o := &outage{looks: []error{down, down, nil, down}}
			s := New(Config{
				Server: tt.server, Store: o, Now: time.Now, Metrics: NewMetrics(prometheus.NewRegistry()),
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			var last counted
			for range len(o.looks) {
				last = s.countNext(t.Context(), last)
			}
			if lines := strings.Count(log.String(), "counting the mail that waits failed"); lines != tt.lines {
				t.Errorf("%d lines, want %d: %s", lines, tt.lines, &log)
			}
		})
	}
}
