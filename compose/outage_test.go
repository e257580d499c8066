package compose_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
	"crier/schema/sleep/sleeptest"
)

// outagePosts are sent while a dependency goes away and comes back.
var outagePosts = bySize(60, 900)

func TestTheNetworkToPostgresFails(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]struct {
		breaks, mends func(*proxy)
		lasts         time.Duration
		flows         time.Duration // until a new post flows, at most
	}{
		"connections are cut": {
			func(p *proxy) { p.cut = true }, func(p *proxy) { p.cut = false }, bySize(3*time.Second, 30*time.Second), 20 * time.Second,
		},
		"every answer takes long": {
			func(p *proxy) { p.latency = 200 * time.Millisecond }, func(p *proxy) { p.latency = 0 }, 5 * time.Second, 20 * time.Second,
		},
		// Connections of before stay silent for ever, as those to a machine that is gone.
		"the server falls silent": {
			func(p *proxy) { p.silent = true }, func(p *proxy) { p.silent = false }, bySize(3*time.Second, 30*time.Second), 75 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, network := proxyURL(t, embeddedtest.PostgresWith(t, postgres.Migrate))
			change := func(to func(*proxy)) func() {
				return func() { network.change(func() { to(network) }) }
			}
			w := newWorldOn(t, childConfig{Postgres: address})
			w.surviveOutage(change(outage.breaks), change(outage.mends), outage.lasts, outage.flows)
		})
	}
}

func TestPostgresFailsOverToAnotherAddress(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(embeddedtest.PostgresWith(t, postgres.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	first, second := newProxy(t, u.Host), newProxy(t, u.Host)
	second.change(func() { second.cut = true })
	u.Host = first.listener.Addr().String() + "," + second.listener.Addr().String()
	u.RawQuery += "&target_session_attrs=read-write"
	w := newWorldOn(t, childConfig{Postgres: u.String()})
	w.surviveOutage(
		func() { first.change(func() { first.cut = true }) },
		func() { second.change(func() { second.cut = false }) },
		2*time.Second, 20*time.Second)
}

// surviveOutage sends posts while something is broken and mended: all that is
// acknowledged is there once, and new work flows again by itself.
func (w *world) surviveOutage(breaks, mends func(), lasts, flows time.Duration) {
	w.Helper()
	a := w.newAgency(outagePosts)
	probe := w.connect(schema.Mastodon, outagePosts/postsPerAccount+2)[outagePosts/postsPerAccount+1]
	sending := a.batch(0, outagePosts, lasts+2*time.Second, 2*time.Second)
	time.Sleep(time.Second)
	breaks()
	time.Sleep(lasts)
	mends()
	ran := sleeptest.Stopwatch(w)
	w.publishNow(probe, "probe "+w.Name())
	took := ran()
	sending.Wait()
	a.awaitDone(3 * time.Minute)
	unknown := w.checkOnce(a.ids)
	w.checkNoStrays()
	w.Logf("%d posts over an outage of %v: nothing lost, nothing twice, %d of telegram unknown; a new post flowed %v after it",
		len(a.ids), lasts, unknown, took.Round(time.Millisecond))
	if took > flows {
		w.Errorf("a new post flowed only %v after the outage, want %v", took, flows)
	}
}

// How long ClickHouse is away, and how often a post is published meanwhile.
var (
	clickHouseAway    = bySize(4*time.Second, time.Hour)
	publishedMeantime = bySize(200*time.Millisecond, time.Second)
)

func TestClickHouseAwayHoldsUpNothing(t *testing.T) {
	t.Parallel()
	address, network := proxyURL(t, embeddedtest.ClickHouse(t))
	w := newWorldOn(t, childConfig{ClickHouse: address})
	posts := int(clickHouseAway / publishedMeantime)
	accounts := w.connect(schema.Mastodon, posts/postsPerAccount+2)
	network.change(func() { network.cut = true })
	before := w.memory()
	w.createHerd(accounts[len(accounts)-1], bySize(200, 4000)) // whose events wait, too
	if status := w.call(http.MethodGet, "/analytics/posts", nil, nil); status != http.StatusServiceUnavailable {
		t.Errorf("analytics answered %d without ClickHouse, want 503", status)
	}
	began := time.Now()
	for n := range posts {
		time.Sleep(time.Until(began.Add(time.Duration(n) * publishedMeantime)))
		w.publishNow(accounts[n/postsPerAccount], fmt.Sprintf("without ClickHouse %d", n))
	}
	if grown := w.memory() - before; grown > 128<<20 {
		t.Errorf("crier has grown by %d MiB in %v without ClickHouse", grown>>20, clickHouseAway)
	}
	network.change(func() { network.cut = false })
	back := time.Now()
	w.eventually(60*time.Second, "each target is counted", func() bool { return w.counted() == posts })
	t.Logf("%d targets are counted %v after ClickHouse is back", posts, time.Since(back).Round(time.Millisecond))
}

// memory is the bytes of memory that crier holds, without its embedded parts.
func (w *world) memory() int64 {
	w.Helper()
	path := fmt.Sprintf("/proc/%d/statm", w.crier.Process.Pid)
	content, err := os.ReadFile(path)
	if err != nil {
		w.Fatal(err)
	}
	var size, resident int64 // pages
	if _, err := fmt.Sscan(string(content), &size, &resident); err != nil {
		w.Fatalf("%s: %v", path, err)
	}
	w.Logf("crier holds %d MiB", resident*int64(os.Getpagesize())>>20)
	return resident * int64(os.Getpagesize())
}

// sharedConnections are those of a crier on the server that tests share: as many of them as
// run at once, with fleets among them, fit into its 100.
const sharedConnections = 10

// newWorldOn starts a crier on parts that are there already, after migrating them.
func newWorldOn(t *testing.T, parts childConfig) *world {
	t.Helper()
	if parts.Postgres != "" {
		parts.Connections = sharedConnections
		if err := postgres.Migrate(t.Context(), parts.Postgres); err != nil {
			t.Fatal(err)
		}
	}
	if parts.ClickHouse != "" {
		if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: parts.ClickHouse}); err != nil {
			t.Fatal(err)
		}
	}
	return newWorldWith(t, parts)
}
