package compose_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/sleep/sleeptest"
)

// TestProcessesKeepTheLimitOfAnAppTogether calls for one bot from two processes with many
// accounts each, as fast as their limiters let them.
func TestProcessesKeepTheLimitOfAnAppTogether(t *testing.T) {
	const processes, accounts, perSecond, burst = 2, 8, 50, 5
	const lasts = 3 * time.Second
	var calls atomic.Int64
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(platform.Close)
	url := embeddedtest.Postgres(t)
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	var clients []*connectors.Client
	for range processes {
		clients = append(clients, limitedClient(t, url, connectors.Rate{PerSecond: perSecond, Burst: burst}))
	}
	began, ran := time.Now(), sleeptest.Stopwatch(t)
	left := func() time.Duration { return lasts - ran() }
	var callers sync.WaitGroup
	for p, client := range clients {
		for a := range accounts {
			account := schema.AccountID{14: byte(p), 15: byte(a)}
			callers.Go(func() { callFor(t, client, platform.URL, account, left) })
		}
	}
	callers.Wait()
	// What a process has leased and not used in time may come a little late.
	const late = processes * perSecond / 5
	maximum, minimum := int64(burst+late+perSecond*time.Since(began).Seconds()), int64(perSecond*lasts.Seconds()/2)
	if got := calls.Load(); got > maximum || got < minimum {
		t.Errorf("%d calls in %v at %d a second, want at least %d and at most %d", got, lasts, perSecond, minimum, maximum)
	} else {
		t.Logf("%d calls in %v by %d processes", got, lasts, processes)
	}
}

// limitedClient is the client of a process: it shares no more than the database.
func limitedClient(t *testing.T, url string, app connectors.Rate) *connectors.Client {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Config{URL: url, MaxConns: 4, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return connectors.NewClient(connectors.ClientConfig{
		Calls: connectors.Calls{Platform: schema.Telegram}, HTTP: &http.Client{}, Limits: connectors.Limits{connectors.Any: {App: app}},
		Turns: store, TurnPrefix: "telegram/", Logger: slog.New(slog.DiscardHandler),
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: store.Now,
	})
}

// callFor calls for an account while there is time, and waits as the pipeline does where it has no turn.
func callFor(t *testing.T, client *connectors.Client, url string, account schema.AccountID, left func() time.Duration) {
	for left() > 0 {
		reservation, wait := client.Reserve(t.Context(), account, connectors.Post)
		if wait > 0 {
			time.Sleep(min(wait, left()))
			continue
		}
		_, err := client.Do(t.Context(), connectors.Call{
			Operation: "send", Method: http.MethodPost, URL: url, Account: account, App: "bot", Visible: true, Reservation: reservation,
		}, nil)
		if limited, ok := errors.AsType[*schema.Error](err); ok && limited.Kind == schema.RateLimited {
			time.Sleep(min(limited.RetryAfter, left()))
		} else if err != nil {
			t.Error(err)
		}
	}
}
