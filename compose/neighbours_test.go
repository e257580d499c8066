package compose_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"crier/compose"
	"crier/schema"
)

// neighbours is a crier with a quiet workspace on the simulators' own mastodon server, and noisy ones
// whose servers and image hosts are slow.
type neighbours struct {
	*world
	quiet *world
	next  int // the quiet workspace's next account
}

const (
	// slowAnswer is how long a slow server takes: less than a call has.
	slowAnswer = 20 * time.Second
	// quietAccounts are those of the quiet workspace, for its posts within their daily caps.
	quietAccounts = 60
)

// beyondAlone is how much later than alone the quiet workspace's posts may be. In a small run, beside tests
// of their own, a pause of the machine must fit.
var beyondAlone = bySize(3*time.Second, 100*time.Millisecond)

// TestSlowNeighboursDelayNobody is of work that other workspaces do on slow servers of the same platform.
func TestSlowNeighboursDelayNobody(t *testing.T) {
	n := &neighbours{world: newWorldWith(t, childConfig{Kafka: testKafka(), Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})}
	defer func() { n.kill() }() // rather than wait for calls that hang
	n.quiet = n.in("quiet")
	n.quiet.connect(schema.Mastodon, quietAccounts)
	pictures := n.pictureHost()
	alone := n.publish("alone", "")
	illustrated := n.publish("alone with pictures", pictures)

	t.Run("posts to a server that answers late", func(t *testing.T) {
		slow := n.slowServer("late", "POST /api/v1/statuses", bySize(150, 300))
		n.createAll(slow, time.Now().Add(2*time.Second), nil)
		n.wantSoon(t, n.publish("beside a late server", ""), alone)
	})
	t.Run("pictures of a host that never answers", func(t *testing.T) {
		dead := n.deadHost()
		due := time.Now().Add(5 * time.Second)
		for i := range 6 {
			tenant := n.in(fmt.Sprintf("illustrated %d", i))
			accounts := tenant.connectFrom(1000+100*i, 25)
			n.createAll(tenantAccounts{tenant, accounts}, due, []map[string]any{{"url": dead + "/a.jpg", "type": "image"}})
		}
		n.wantSoon(t, n.publish("beside a dead host", pictures), illustrated)
	})
}

// wantSoon holds a p99 against what it is alone.
func (n *neighbours) wantSoon(t *testing.T, beside, alone time.Duration) {
	t.Helper()
	t.Logf("p99 of the lateness: %v alone, %v beside", alone, beside)
	if limit := alone + beyondAlone; beside > limit {
		t.Errorf("p99 of the lateness is %v, want at most %v", beside, limit)
	}
}

// tenantAccounts are accounts as their workspace sees them.
type tenantAccounts struct {
	*world
	accounts []schema.AccountID
}

// connectFrom connects accounts of mastodon from a number on.
func (w *world) connectFrom(first, n int) (accounts []schema.AccountID) {
	w.Helper()
	for i := range n {
		accounts = append(accounts, w.connectOne("/connect/mastodon", map[string]any{"accessToken": fmt.Sprintf("token-of-user-%d", first+i)}))
	}
	return accounts
}

// slowServer is a mastodon server of its own, which answers an operation late, and a workspace with
// accounts on it.
func (n *neighbours) slowServer(name, operation string, accounts int) tenantAccounts {
	n.Helper()
	address := freeAddress(n.T)
	n.spawn(childConfig{Simulate: address})
	tenant := n.in(name)
	tenant.simulators = "http://" + address
	tenant.eventually(time.Minute, name+" listens", func() bool {
		response, err := http.Get(tenant.simulators + "/_control/posts")
		if err == nil {
			response.Body.Close()
		}
		return err == nil
	})
	all := tenantAccounts{world: tenant}
	for i := range accounts {
		all.accounts = append(all.accounts, tenant.connectOne("/connect/mastodon", map[string]any{
			"accessToken": fmt.Sprintf("token-of-user-%d", i), "server": tenant.simulators + "/mastodon",
		}))
	}
	tenant.inject(map[string]any{"platform": "mastodon", "operation": operation, "delay": slowAnswer.Milliseconds(), "times": 1_000_000})
	return all
}

// deadHost takes connections and never answers.
func (n *neighbours) deadHost() string {
	n.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String()
}

// pictureHost serves a picture at any address.
func (n *neighbours) pictureHost() string {
	n.Helper()
	picture := blackField(n.T)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(picture) }))
	n.Cleanup(server.Close)
	return server.URL
}

// createAll creates a post of each account.
func (n *neighbours) createAll(of tenantAccounts, due time.Time, media []map[string]any) {
	n.Helper()
	if media == nil {
		media = []map[string]any{}
	}
	for some := range slices.Chunk(of.accounts, 20) {
		var posts []map[string]any
		for _, account := range some {
			posts = append(posts, map[string]any{
				"content": "noise", "scheduledFor": due.Format(time.RFC3339Nano), "mediaItems": media,
				"platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
			})
		}
		if status := of.call(http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}, nil); status != http.StatusCreated {
			n.Fatalf("creating noise: %d", status)
		}
	}
}

// publish publishes posts of the quiet workspace evenly, with a picture of a host if there is one, and
// returns the p99 of how late they are there.
func (n *neighbours) publish(label, pictures string) time.Duration {
	n.Helper()
	perSecond, posts := 20, bySize(60, 200)
	accounts := n.quiet.connect(schema.Mastodon, quietAccounts)
	due, began := map[string]time.Time{}, time.Now().Add(3*time.Second)
	media := []map[string]any{}
	if pictures != "" {
		media = append(media, map[string]any{"url": pictures + "/a.jpg", "type": "image"})
	}
	for i := range posts {
		text, at := fmt.Sprintf("%s %04d", label, i), began.Add(time.Duration(i)*time.Second/time.Duration(perSecond))
		due[text] = at
		n.next++
		status := n.quiet.call(http.MethodPost, "/posts", map[string]any{
			"content": text, "scheduledFor": at.Format(time.RFC3339Nano), "mediaItems": media,
			"platforms": []map[string]any{{"platform": "mastodon", "accountId": accounts[n.next%quietAccounts].String()}},
		}, nil)
		if status != http.StatusCreated {
			n.Fatalf("creating %q: %d", text, status)
		}
	}
	var late []time.Duration
	n.quiet.eventually(2*time.Minute, "the quiet workspace's posts are there", func() bool {
		late = nil
		for _, s := range n.quiet.simulated() {
			if at, ok := due[s.Text]; ok {
				late = append(late, s.CreatedAt.Sub(at))
			}
		}
		return len(late) == posts
	})
	slices.Sort(late)
	n.Logf("%s: lateness p50 %v, p99 %v, max %v", label, late[posts/2], late[posts*99/100], late[posts-1])
	return late[posts*99/100]
}

var _ = sync.Mutex{}
var _ = compose.Pause
