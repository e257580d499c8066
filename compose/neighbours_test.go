package compose_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
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
	n := &neighbours{world: newWorldWith(t, childConfig{Kafka: testKafka(t), Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})}
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
	t.Run("posts that fell due under a pause, to a server that answers late", func(t *testing.T) {
		alone := n.resumed("after a pause alone", nil)
		slow := n.slowServer("paused", "POST /api/v1/statuses", 24)
		n.wantSoon(t, n.resumed("after a pause", &slow), alone+time.Second) // a pass over what is overdue begins each second
	})
	t.Run("reads from a server that answers late", func(t *testing.T) {
		accounts := n.quiet.connect(schema.Mastodon, quietAccounts)
		alone := n.collected(accounts, nil)
		slow := n.slowServer("read", "", 20)
		n.wantSoon(t, n.collected(accounts, slow.accounts), 2*alone)
	})
	t.Run("renewals at a server that answers late", func(t *testing.T) {
		accounts := n.quiet.connect(schema.Mastodon, quietAccounts)
		alone := n.renewed(accounts, nil)
		var slow []schema.AccountID
		for i := range 5 {
			slow = append(slow, n.slowServer(fmt.Sprintf("renewing %d", i), "", 8).accounts...)
		}
		n.wantSoon(t, n.renewed(accounts, slow), alone)
	})
}

// resumed has posts of the quiet workspace fall due under a pause, behind those of a slow one if there is
// one, and returns the p99 of how late after the pause they are there.
func (n *neighbours) resumed(label string, slow *tenantAccounts) time.Duration {
	n.Helper()
	const (
		perSlowAccount = 50              // the daily cap
		parkedIn       = 4 * time.Second // until then all have to be created, on a loaded machine too
	)
	platform := compose.PauseTarget{Platform: schema.Mastodon.String()}
	if err := compose.Pause(n.Context(), n.operator(), platform, "a test"); err != nil {
		n.Fatal(err)
	}
	held := 0
	if slow != nil {
		for range perSlowAccount {
			n.createAll(*slow, time.Now().Add(parkedIn), nil)
			held += len(slow.accounts)
		}
	}
	posts := bySize(100, 200)
	due := n.createQuiet(label, posts, time.Now().Add(parkedIn), 1000, "")
	n.eventually(2*time.Minute, "all is parked", func() bool {
		return n.count(`select count(*) from jobs j join posts p using (id) join workspaces w on w.id = p.workspace_id
			where j.held and w.name in ('quiet', 'paused')`) == held+posts
	})
	if _, err := compose.Resume(n.Context(), n.operator(), platform); err != nil {
		n.Fatal(err)
	}
	resumed := time.Now()
	for text := range due {
		due[text] = resumed
	}
	return n.latenesses(label, due)
}

// collected has all that is read of accounts be due at once, beside what is read of slow ones, and returns
// how long that takes.
func (n *neighbours) collected(accounts, slow []schema.AccountID) time.Duration {
	n.Helper()
	const fire = `with due as (update collections set due_at = now() where account_id = any($1) returning id)
		update jobs set due_at = now() where id in (select id from due)`
	return n.done(`select count(*) from collections where account_id = any($1) and (due_at <= now() or lease_until > now())`, fire, accounts, slow)
}

// renewed has the credentials of accounts be checked at once, beside those of slow ones, and returns how long
// that takes.
func (n *neighbours) renewed(accounts, slow []schema.AccountID) time.Duration {
	n.Helper()
	fire := fmt.Sprintf(`with due as (update accounts set renew_at = now() where id = any($1) returning id, workspace_id)
		insert into jobs (id, kind, shard, due_at, version, payload)
		select id, %d, get_byte(uuid_send(id), 15), now(), 1, json_build_object('workspace', workspace_id, 'account', id) from due
		on conflict (id) do update set due_at = now()`, schema.JobRefresh)
	return n.done(`select count(*) from accounts where id = any($1) and (renew_at <= now() or renew_lease > now())`, fire, accounts, slow)
}

// done fires work of accounts and of slow ones, and returns how long it takes until none of the accounts is left.
func (n *neighbours) done(left, fire string, accounts, slow []schema.AccountID) time.Duration {
	n.Helper()
	conn, err := n.tryPostgres(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	defer conn.Close(n.Context())
	for _, of := range [][]schema.AccountID{slow, accounts} {
		if _, err := conn.Exec(n.Context(), fire, of); err != nil {
			n.Fatal(err)
		}
	}
	began := time.Now()
	n.eventually(3*time.Minute, "the quiet workspace's work is done", func() bool {
		var count int
		if err := conn.QueryRow(n.Context(), left, accounts).Scan(&count); err != nil {
			n.Fatal(err)
		}
		return count == 0
	})
	return time.Since(began)
}

// wantSoon holds how late the quiet workspace is against what it may be.
func (n *neighbours) wantSoon(t *testing.T, beside, alone time.Duration) {
	t.Helper()
	t.Logf("%v beside, %v wanted, and %v more at most", beside, alone, beyondAlone)
	if beside > alone+beyondAlone {
		t.Errorf("the quiet workspace is delayed by %v", beside-alone)
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
	return n.latenesses(label, n.createQuiet(label, bySize(60, 200), time.Now().Add(3*time.Second), 20, pictures))
}

// createQuiet creates posts of the quiet workspace, some of which fall due each second, and returns when.
func (n *neighbours) createQuiet(label string, posts int, first time.Time, perSecond int, pictures string) map[string]time.Time {
	n.Helper()
	accounts := n.quiet.connect(schema.Mastodon, quietAccounts)
	due := map[string]time.Time{}
	media := []map[string]any{}
	if pictures != "" {
		media = append(media, map[string]any{"url": pictures + "/a.jpg", "type": "image"})
	}
	for i := range posts {
		text, at := fmt.Sprintf("%s %04d", label, i), first.Add(time.Duration(i)*time.Second/time.Duration(perSecond))
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
	return due
}

// latenesses waits until posts of the quiet workspace are there, and returns the p99 of how late they are.
func (n *neighbours) latenesses(label string, due map[string]time.Time) time.Duration {
	n.Helper()
	var late []time.Duration
	n.quiet.eventually(2*time.Minute, "the quiet workspace's posts are there", func() bool {
		late = nil
		for _, s := range n.quiet.simulated() {
			if at, ok := due[s.Text]; ok {
				late = append(late, s.CreatedAt.Sub(at))
			}
		}
		return len(late) == len(due)
	})
	slices.Sort(late)
	p50, p99 := late[len(late)/2], late[len(late)*99/100]
	n.Logf("%s: lateness p50 %v, p99 %v, max %v", label, p50, p99, late[len(late)-1])
	return p99
}
