package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"crier/schema/sleep"
)

// pacerPlan is the configuration of a worker that makes one bare call at each instant of
// a schedule: what lateness is compared with, since it has the same timer, network and
// simulators, and nothing between them.
type pacerPlan struct {
	Simulators string
	Label      string
	First      time.Time
	Step       time.Duration
	Calls      int
}

// pacerResult is what became of the calls.
type pacerResult struct{ Errors int }

// pace is the worker that makes the calls.
func pace(ctx context.Context, w *worker) error {
	var plan pacerPlan
	if err := w.configure(&plan); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	var calls sync.WaitGroup
	var failed atomic.Int64
	for i := range plan.Calls {
		if sleep.For(ctx, time.Until(plan.First.Add(time.Duration(i)*plan.Step))) != nil {
			break
		}
		calls.Go(func() {
			if err := plan.call(ctx, client, i); err != nil {
				failed.Add(1)
			}
		})
	}
	calls.Wait()
	select {
	case <-ctx.Done():
		return nil // what was interrupted has no result
	default:
		return w.answer(pacerResult{int(failed.Load())})
	}
}

// call creates status i, in one account after another.
func (p pacerPlan) call(ctx context.Context, client *http.Client, i int) error {
	body := strings.NewReader(fmt.Sprintf(`{"status":"%s %08d"}`, p.Label, i))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.Simulators+"/mastodon/api/v1/statuses", body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", fmt.Sprintf("Bearer paced-%03d", i%accountsEach))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the simulator answered %s", response.Status)
	}
	return nil
}

// pace runs the control of lateness once and adds its result.
func (s *session) pace(ctx context.Context, simulators string, to *arrivals) error {
	plan := pacerPlan{
		Simulators: simulators, Label: fmt.Sprintf("%s-%d", pacedLabel, len(to.late)),
		First: time.Now().Add(200 * time.Millisecond), Step: latenessStep, Calls: pacedPosts,
	}
	s.say("control: %d bare calls, one every %v", plan.Calls, plan.Step)
	var result pacerResult
	if err := s.do(ctx, rolePacer, plan, &result); err != nil {
		return err
	}
	return s.collect(ctx, simulators, schedule{plan.Label, plan.First, plan.Step, 0, plan.Calls}, to)
}
