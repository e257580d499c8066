package compose_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// How long platforms are cut off, and how many calls are in flight to each then: at full
// size as many as its share of the slots allows.
var (
	cutOffFor = bySize(8*time.Second, 90*time.Second)
	inFlight  = bySize(6, 100)
	settled   = bySize(2*time.Minute, 5*time.Minute)
)

// TestCutOffPlatformsSettleByThemselves cuts every platform off with calls in flight that
// it has taken, and others sent while it is away. Where somebody can look, all of them are
// there once in the end without anybody's help; on telegram each that may have arrived
// ends as outcome_unknown once, and all others go out.
func TestCutOffPlatformsSettleByThemselves(t *testing.T) {
	t.Parallel()
	for name, stripped := range map[string]bool{"the key is honoured": false, "the key is stripped": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCutOff(t, stripped)
			for _, p := range platformsInTests {
				c.inject(map[string]any{"platform": p.String(), "operation": visibleCalls[p], "delay": 60_000, "times": inFlight})
			}
			taken := c.publish("taken", 0)
			c.eventually(time.Minute, "the calls are in flight", func() bool { return len(c.simulated()) == inFlight*len(platformsInTests) })
			c.change(func(p *proxy) { p.cut = true })
			away := c.publish("away", inFlight)
			time.Sleep(cutOffFor / 2)
			for _, id := range append(taken[schema.Mastodon], taken[schema.Bluesky]...) {
				c.checkStillOpen(id)
			}
			time.Sleep(cutOffFor / 2)
			c.change(func(p *proxy) { p.cut = false })
			c.checkSettled(taken, away)
		})
	}
}

// cutOff is a crier that reaches each platform over a network of its own.
type cutOff struct {
	*world
	networks []*proxy
	accounts map[schema.Platform][]schema.AccountID
}

func newCutOff(t *testing.T, stripped bool) *cutOff {
	t.Helper()
	c := &cutOff{world: newWorld(t, nil), accounts: map[schema.Platform][]schema.AccountID{}}
	c.stop()
	for _, p := range platformsInTests {
		address, network := relay(t, c.config.Bases[p], stripped)
		c.config.Bases[p] = address
		c.networks = append(c.networks, network)
	}
	c.start()
	for _, p := range platformsInTests {
		c.accounts[p] = c.connect(p, 2*inFlight)
	}
	return c
}

// relay puts a stretch of network before a platform, and one that ignores Idempotency-Key
// if it is to be stripped. The platform calls itself by the new address.
func relay(t *testing.T, target string, stripped bool) (address string, network *proxy) {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
			r.Out.Header.Del("Accept-Encoding")
			if stripped {
				r.Out.Header.Del("Idempotency-Key")
			}
		},
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			host := network.listener.Addr().String()
			body = bytes.ReplaceAll(body, []byte(to.Host), []byte(host))
			if at := r.Header.Get("Location"); at != "" {
				r.Header.Set("Location", strings.Replace(at, to.Host, host, 1))
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
		ErrorLog: log.New(io.Discard, "", 0), // it is cut off on purpose
	})
	t.Cleanup(server.Close)
	network = newProxy(t, server.Listener.Addr().String())
	return to.Scheme + "://" + network.listener.Addr().String() + to.Path, network
}

func (c *cutOff) change(how func(*proxy)) {
	for _, network := range c.networks {
		network.change(func() { how(network) })
	}
}

// publish publishes a post for each of inFlight accounts of every platform, from the
// account at a position on.
func (c *cutOff) publish(text string, from int) map[schema.Platform][]string {
	c.Helper()
	ids := map[schema.Platform][]string{}
	for _, p := range platformsInTests {
		for n := range inFlight {
			ids[p] = append(ids[p], c.publishOnce(p, c.accounts[p][from+n], text, fmt.Sprintf("%s %s %03d", p, text, n)))
		}
	}
	return ids
}

// publishOnce publishes a text on an account under a key.
func (w *world) publishOnce(p schema.Platform, account schema.AccountID, text, key string) string {
	w.Helper()
	id, status := w.acknowledge(key, map[string]any{
		"content": text, "publishNow": true,
		"platforms": []map[string]any{{"platform": p.String(), "accountId": account.String()}},
	})
	if status != http.StatusCreated {
		w.Fatalf("creating %q: %d", text, status)
	}
	return id
}

// checkStillOpen checks that a post whose outcome nobody knows is told as that, and that
// a retry is refused as long as crier looks by itself.
func (c *cutOff) checkStillOpen(id string) {
	c.Helper()
	if status, got := c.outcome(id); status != "pending" || got != "outcome_unknown" {
		c.Errorf("%s: %s (%s) while its platform is cut off, want pending (outcome_unknown)", id, status, got)
	}
	if status := c.call(http.MethodPost, "/posts/"+id+"/retry", nil, nil); status != http.StatusBadRequest {
		c.Errorf("a retry of %s was answered %d while crier looks by itself", id, status)
	}
}

// outcome returns the status of a post's only target and the code of its error.
func (w *world) outcome(id string) (status, code string) {
	w.Helper()
	var answer postAnswer
	w.call(http.MethodGet, "/posts/"+id, nil, &answer)
	return answer.Post.Platforms[0].Status, answer.Post.Platforms[0].Error.Code
}

// probes is how many calls an open breaker lets through while a platform is away. The
// network takes their connections and closes them: they may have arrived.
var probes = int(cutOffFor/(15*time.Second)) + 1

func (c *cutOff) checkSettled(taken, away map[schema.Platform][]string) {
	c.Helper()
	maybe := 0 // on telegram
	for _, p := range platformsInTests {
		(&agency{world: c.world, ids: append(taken[p], away[p]...)}).awaitDone(settled)
	}
	for _, p := range platformsInTests {
		want := "posted "
		if p == schema.Telegram {
			want = "failed outcome_unknown"
		}
		for _, id := range taken[p] {
			if status, code := c.outcome(id); status+" "+code != want {
				c.Errorf("%s on %s, whose answer was lost: %s %s, want %s", id, p, status, code, want)
			}
		}
		for _, id := range away[p] {
			switch status, code := c.outcome(id); {
			case status == "posted":
			case p == schema.Telegram && code == "outcome_unknown":
				maybe++
			default:
				c.Errorf("%s on %s, which was sent while it was away: %s %s", id, p, status, code)
			}
		}
	}
	if maybe > probes {
		c.Errorf("%d posts to telegram are unknown that were sent while it was away, want %d at most", maybe, probes)
	}
	there := map[string]int{}
	for _, s := range c.simulated() {
		there[s.Platform+" "+s.Account+" "+s.Text]++
	}
	if want := 2*inFlight*len(platformsInTests) - maybe; len(there) != want {
		c.Errorf("%d posts are there, want %d", len(there), want)
	}
	for post, n := range there {
		if n != 1 {
			c.Errorf("%s is there %d times", post, n)
		}
	}
}
