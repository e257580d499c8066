package pipeline

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/postgres"
)

// slow is a platform each of whose calls lasts until it is cut.
type slow struct {
	called chan schema.Delivery
}

func (s slow) Connector(schema.Account) (connectors.Connector, error) {
	return slowConnector{slow: s}, nil
}

type slowConnector struct {
	connectors.Connector // of what is not called here
	slow
}

func (slow) Reserve(context.Context, schema.Platform, schema.AccountID, connectors.Kind) (schema.Reservation, time.Duration) {
	return nil, 0
}

func (slow) Spacing(schema.Platform, schema.AccountID, connectors.Kind) time.Duration { return 0 }

func (s slow) wait(ctx context.Context, d schema.Delivery, kind schema.ErrorKind) error {
	s.called <- d
	<-ctx.Done()
	return &schema.Error{Kind: kind, Message: "the answer was lost"}
}

func (s slowConnector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	return schema.Progress{State: json.RawMessage(`{"sent":1}`)}, s.wait(ctx, d, schema.Retryable)
}

func (s slowConnector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return schema.Receipt{}, s.wait(ctx, d, schema.Unknown)
}

func (slow) Open(schema.Account) (schema.Credentials, error) { return schema.Credentials{}, nil }

// spare is a turn that reports whether it is left to others.
type spare struct{ cancelled bool }

func (s *spare) Use() bool { return true }
func (s *spare) Cancel()   { s.cancelled = true }

// TestWhatAStopCutsIsGivenBack cuts steps: an upload goes on where it was, without a try
// counted; what a visible call that may have arrived came to is looked for.
func TestWhatAStopCutsIsGivenBack(t *testing.T) {
	n := newNotifying(t)
	store := postgres.NewPublish(n.store, catalog.Constraints)
	platform := slow{called: make(chan schema.Delivery, 1)}
	stage := publish{
		publishStore: store, metrics: NewMetrics(prometheus.NewRegistry()),
		calls: platformCalls{platform, platform, store, slog.New(slog.DiscardHandler), nil, time.Hour},
	}
	for name, tt := range map[string]struct {
		first    schema.Step
		begins   bool // before it is cut
		back     bool
		left     bool // its turn is, to others
		next     schema.Step
		progress string
	}{
		"an upload":                  {schema.StepPrepare, true, true, true, schema.StepPrepare, `{"sent":1}`},
		"an upload that never began": {schema.StepPrepare, false, true, true, schema.StepPrepare, ""},
		"a call that never began":    {schema.StepPublish, false, true, false, schema.StepPublish, ""},
		"a call that may be there":   {schema.StepPublish, true, false, false, schema.StepFind, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := n.post(tt.first, 0)
			ref := []schema.TargetRef{{Post: p.ID, Version: p.Version}}
			claimed, err := stage.Claim(t.Context(), ref)
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %d, %v", len(claimed), err)
			}
			ctx, cut := context.WithCancel(t.Context())
			if tt.begins {
				go func() { <-platform.called; cut() }()
			} else {
				cut()
			}
			reservation := &spare{}
			out, err := stage.Do(ctx, claimed[0], reservation)
			cut()
			if err != nil || out.GivenBack != tt.back || reservation.cancelled != tt.left {
				t.Fatalf("Do = %+v, %v; its turn is left: %t", out, err, reservation.cancelled)
			}
			if err := out.Store(t.Context()); err != nil {
				t.Fatal(err)
			}
			n.exec(`update targets set next_at = now() where step = 2`)
			again, err := stage.Claim(t.Context(), ref)
			if err != nil || len(again) != 1 || again[0].Step != tt.next || again[0].Attempts != 0 || string(again[0].Progress) != tt.progress {
				t.Errorf("claimed again: %+v, %v", again, err)
			}
		})
	}
}

// TestCommentsOfOldJobsAreRead places what older versions wrote without a platform.
func TestCommentsOfOldJobsAreRead(t *testing.T) {
	id, account := schema.NewID[schema.CommentID](time.Now()), schema.NewID[schema.AccountID](time.Now())
	for name, tt := range map[string]struct {
		platform schema.Platform
		want     worker.Bulkhead
	}{
		"of this version": {schema.Bluesky, worker.Bulkhead{byte(schema.Bluesky)}},
		"of an older one": {0, worker.Bulkhead{}},
	} {
		t.Run(name, func(t *testing.T) {
			written := worker.Encode(schema.CommentMessage{Comment: id, Workspace: schema.WorkspaceID{1}, Account: account, Platform: tt.platform})
			m, err := worker.Decode[schema.CommentMessage](written)
			if err != nil {
				t.Fatal(err)
			}
			if place := (comment{}).Place(m, schema.Host{}); place.Bulkhead != tt.want || place.Key != worker.Key(account) || place.Claims != id {
				t.Errorf("%s has its place at %+v", written, place)
			}
		})
	}
}
