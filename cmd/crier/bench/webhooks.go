package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"crier/client"
	"crier/schema/sleep"
)

const (
	// Posts are published at once, 200 a second, for a minute of each turn.
	webhookPosts  = 12_000
	webhookWarm   = 400 // these do not count: accounts log in, connections are made
	webhookTurns  = 6
	webhookCaller = 32
	// webhookAccounts take all these posts on one day.
	webhookAccounts = 1000

	// What is delivered as fast as receivers take it: the events of some posts, in bulk.
	burstPosts     = 2000
	burstReceivers = 8
	burstAhead     = 48 * time.Hour
	burstStep      = time.Hour
	burstSpan      = 80 * 24 * time.Hour
	burstEnd       = 2 * time.Minute

	toWebhookWithin = 150 // milliseconds from a request to the webhook
	deadCosts       = 1.2 // by how much a receiver that does not answer may delay others
	minSlow         = 200 // deliveries a second to the slow receiver
	ofExchanges     = 0.25
)

// measureWebhooks measures from a request to publish at once to the webhook that tells of it, and
// how fast webhooks are delivered.
func measureWebhooks(ctx context.Context, s *session) (err error) {
	if s.config.Target.URL != "" {
		return errors.New("a running server takes no webhooks on loopback: webhooks starts its own")
	}
	addresses, err := freeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	receivers, err := s.start(ctx, roleReceiver, receiverConfig{addresses[0]})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, receivers.stop()) }()
	if err := awaitListener(ctx, addresses[0]); err != nil {
		return err
	}
	c := serverConfig{Accounts: webhookAccounts, LoopbackWebhooks: true}
	return s.onServer(ctx, c, func(t *run) error {
		w := &webhooks{run: t, receivers: addresses[0], api: client.New(t.on.Key, client.WithServer(t.on.URL))}
		return w.measure(ctx)
	})
}

// webhooks is a run whose events are received.
type webhooks struct {
	*run
	receivers string // address of the worker that receives
	api       *client.Client
}

func (w *webhooks) measure(ctx context.Context) error {
	alone, beside, err := w.tell(ctx)
	if err != nil {
		return err
	}
	var exchanges []float64
	if err := w.exchange(ctx, w.simulators, &exchanges); err != nil {
		return err
	}
	quick, err := w.burst(ctx, quickPath, burstReceivers)
	if err != nil {
		return err
	}
	if err := errors.Join(w.on.settle(ctx), w.exchange(ctx, w.simulators, &exchanges)); err != nil {
		return err
	}
	slow, err := w.burst(ctx, slowPath, 1)
	if err != nil {
		return err
	}
	empty := &Control{fmt.Sprintf("empty HTTP exchange with the simulators, %d connections", exchangeClients), (exchanges[0] + exchanges[1]) / 2}
	return w.report(append([]Figure{
		{Name: "webhooks_p50", Value: median(alone.p50s), Unit: "ms", Errors: alone.errors},
		{Name: "webhooks_p99", Value: median(alone.p99s), Unit: "ms", Errors: alone.errors, Goal: &Goal{Bound: toWebhookWithin}},
		{
			Name: "webhooks_p99_beside_dead", Value: median(beside.p99s), Unit: "ms", Errors: beside.errors,
			Control: &Control{"the same without a receiver that does not answer, in turn", median(alone.p99s)}, Goal: &Goal{Bound: deadCosts, OfRatio: true},
		},
		{Name: "webhooks_rate", Value: quick, Unit: "deliveries/s", Control: empty, Goal: &Goal{Bound: ofExchanges, OfRatio: true, AtLeast: true}},
		{Name: fmt.Sprintf("webhooks_rate to one receiver of %v", slowAnswer), Value: slow, Unit: "deliveries/s", Goal: &Goal{Bound: minSlow, AtLeast: true}},
	}, alone.work.figures("webhooks", "post", alone.posts, nil)...)...)
}

// tell publishes posts that are due at once and measures their webhooks: in turn alone, and beside a
// receiver that takes connections and answers nothing.
func (w *webhooks) tell(ctx context.Context) (alone, beside tempo, err error) {
	hook, err := w.api.Webhooks.Create(ctx, w.address(quickPath, 0), client.EventPostPublished)
	if err != nil {
		return alone, beside, err
	}
	accounts, err := w.on.accounts(ctx)
	if err != nil {
		return alone, beside, err
	}
	to := inTurn(accounts)
	err = alternate(webhookTurns,
		func(turn int) error { return w.tellOnce(ctx, to, fmt.Sprintf("alone-%d", turn), &alone) },
		func(turn int) error { return w.tellBesideDead(ctx, to, fmt.Sprintf("beside-%d", turn), &beside) })
	return alone, beside, errors.Join(err, w.api.Webhooks.Delete(ctx, hook.ID))
}

// tellOnce measures from the instant of a request to its webhook once more.
func (w *webhooks) tellOnce(ctx context.Context, to [][]target, label string, p *tempo) error {
	plan := loadPlan{
		URL: w.on.URL, Key: w.on.Key, Targets: to, Connections: webhookCaller, Posts: webhookPosts,
		First: time.Now().Add(freshAhead).Truncate(time.Microsecond), Step: latenessStep, Now: true, Label: label,
	}
	before, err := w.on.work()
	if err != nil {
		return err
	}
	w.say("publishing %d posts at once, one every %v", plan.Posts, plan.Step)
	var created loadResult
	if err := w.do(ctx, roleLoad, plan, &created); err != nil {
		return err
	}
	w.session.tell(created)
	var turn arrivals
	if err := w.collect(ctx, w.receivers, schedule{label, plan.First, plan.Step, webhookWarm, webhookPosts}, &turn); err != nil {
		return err
	}
	after, err := w.on.work()
	if err != nil {
		return err
	}
	p.addLateness(turn)
	p.work, p.posts = p.work.plus(after.since(before)), p.posts+webhookPosts
	return w.on.settle(ctx)
}

func (w *webhooks) tellBesideDead(ctx context.Context, to [][]target, label string, p *tempo) error {
	// Nobody accepts its connections, which the kernel takes by itself.
	dead, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer dead.Close()
	hook, err := w.api.Webhooks.Create(ctx, "http://"+dead.Addr().String(), client.EventPostPublished)
	if err != nil {
		return err
	}
	return errors.Join(w.tellOnce(ctx, to, label, p), w.api.Webhooks.Delete(ctx, hook.ID))
}

// burst has receivers get the events of posts as fast as they take them, and returns how many were
// delivered a second.
func (w *webhooks) burst(ctx context.Context, path string, receivers int) (rate float64, err error) {
	accounts, err := w.on.accounts(ctx)
	if err != nil {
		return 0, err
	}
	for n := range receivers {
		hook, err := w.api.Webhooks.Create(ctx, w.address(path, n), client.EventPostScheduled)
		if err != nil {
			return 0, err
		}
		defer func() { _ = w.api.Webhooks.Delete(ctx, hook.ID) }() // the server is stopped before long
	}
	plan := loadPlan{
		URL: w.on.URL, Key: w.on.Key, Targets: inTurn(accounts), Connections: gatherers, Posts: burstPosts, Bulk: crowdBulk,
		First: time.Now().Add(burstAhead), Step: burstStep, Span: burstSpan, Label: "burst-" + strings.Trim(path, "/"),
	}
	w.say("delivering the events of %d posts to %d receivers at %s", plan.Posts, receivers, path)
	var created loadResult
	if err := w.do(ctx, roleLoad, plan, &created); err != nil {
		return 0, err
	}
	if created.Errors > 0 {
		return 0, fmt.Errorf("%d requests in bulk failed: %s", created.Errors, created.Reason)
	}
	for deadline := time.Now().Add(burstEnd); ; {
		n, first, last, err := w.delivered(ctx, plan.Label)
		switch {
		case err != nil:
			return 0, err
		case n >= burstPosts*receivers:
			w.say("%d delivered in %v", n, last.Sub(first))
			return float64(n) / last.Sub(first).Seconds(), nil
		case time.Now().After(deadline):
			return 0, fmt.Errorf("%d of %d events were delivered in %v", n, burstPosts*receivers, burstEnd)
		}
		if err := sleep.For(ctx, drainLook); err != nil {
			return 0, err
		}
	}
}

// address is that of a receiver.
func (w *webhooks) address(path string, n int) string {
	return fmt.Sprintf("http://%s%s/%d", w.receivers, path, n)
}

// delivered returns how many deliveries of posts with a label came, and the times of the first and
// the last.
func (w *webhooks) delivered(ctx context.Context, label string) (n int, first, last time.Time, err error) {
	var answer struct{ Posts []arrived }
	if err := getJSON(ctx, "http://"+w.receivers+receivedPath, "", &answer); err != nil {
		return 0, first, last, err
	}
	for _, p := range answer.Posts {
		if !strings.HasPrefix(p.Text, label+" ") {
			continue
		}
		if n == 0 {
			first = p.CreatedAt
		}
		n, last = n+1, p.CreatedAt
	}
	return n, first, last, nil
}
