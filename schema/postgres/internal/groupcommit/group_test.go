package groupcommit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

func TestAFullGroupRefusesSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Group[int]{queue: make(chan *request[int], 1), refused: prometheus.NewCounter(prometheus.CounterOpts{})} // nobody commits: the database stalls
		g.queue <- &request[int]{}
		began := time.Now()
		err := g.Do(t.Context(), new(int))
		refusal, ok := errors.AsType[*schema.Error](err)
		if !ok || refusal.Kind != schema.Unavailable || refusal.RetryAfter == 0 {
			t.Fatalf("do = %v, want unavailable with a time to wait", err)
		}
		if took := time.Since(began); took > queuePatience {
			t.Errorf("refused after %v", took)
		}
	})
}

func TestAFullGroupTakesACallOnceThereIsRoom(t *testing.T) {
	g := &Group[int]{queue: make(chan *request[int], 1)}
	g.queue <- &request[int]{}
	done := make(chan error)
	go func() { done <- g.Do(t.Context(), new(int)) }()
	<-g.queue
	(<-g.queue).done <- nil
	if err := <-done; err != nil {
		t.Errorf("do = %v", err)
	}
}
