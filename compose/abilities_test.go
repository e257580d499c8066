package compose_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/schema"
)

// TestEachAbilityOfEachPlatform uses through the API what each platform can do besides
// publishing, with a live key, and with a test key whose sandbox is a server of its own.
func TestEachAbilityOfEachPlatform(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, childConfig{Role: "gateway,delay,publish,comment,notify,analytics", OwnSandbox: true})
	for name, test := range map[string]bool{"a live key": false, "a test key": true} {
		t.Run(name, func(t *testing.T) {
			keyed := *w
			keyed.T = t
			keyed.key = keyed.createKey(test)
			keyed.picture, keyed.upright, keyed.video = "", "", ""
			keyed.useAbilities(test)
		})
	}
}

// able is an account, and what is there of it.
type able struct {
	*world
	connector connectors.Connector
	platform  schema.Platform
	account   schema.AccountID
	post      string // its id
	native    string // its id on the platform
	there     simulated
	comment   string // what a person said under it
	mention   string // what a person said elsewhere
}

func can[Ability any](a *able) bool {
	_, ok := connectors.Able[Ability](a.connector)
	return ok
}

func (w *world) useAbilities(test bool) {
	accounts := w.ableAccounts(test)
	for _, a := range accounts {
		a.post = w.publishTo(a.platform, a.account, fmt.Sprintf("of %s, with a key that is for tests: %t", a.platform, test))
	}
	for _, a := range accounts {
		w.eventually(2*time.Minute, "the post on "+a.platform.String()+" is done", func() bool { return w.done([]string{a.post}) })
		a.native = w.posted(a.post)
	}
	w.findOnPlatforms(accounts)
	for _, a := range accounts {
		if can[connectors.CommentSource](a) {
			a.comment = "Where can I get what is on " + a.platform.String() + "?"
			a.say(a.there, a.comment)
		}
		if can[connectors.MentionSource](a) {
			a.mention = "Have you seen this on " + a.platform.String() + "?"
			a.say(simulated{Platform: a.there.Platform, Account: a.there.Account}, a.mention)
		}
	}
	w.collectNow(accounts)
	for _, a := range accounts {
		w.Run(a.platform.String(), func(t *testing.T) {
			t.Parallel()
			a.use(t)
		})
	}
}

// ableAccounts are an account of each platform, with the connector that it has.
func (w *world) ableAccounts(test bool) (accounts []*able) {
	platforms, err := catalog.New(catalog.Config{
		HTTP: http.DefaultClient, SandboxHTTP: http.DefaultClient, SandboxURL: w.simulators, Logger: slog.New(slog.DiscardHandler),
		BaseURLs: w.config.Bases, Apps: w.config.Apps, Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, simulator := range catalog.Simulators() {
		a := &able{platform: simulator.Platform}
		if a.connector, err = platforms.Connector(schema.Account{Platform: a.platform, Sandbox: test}); err != nil {
			w.Fatal(err)
		}
		if test {
			a.account = parsedAccount(w, w.sandboxAccounts()[a.platform.String()])
		} else {
			a.account = w.connect(a.platform, 1)[0]
		}
		a.world = w
		accounts = append(accounts, a)
	}
	return accounts
}

// findOnPlatforms finds what the simulators have of each account's post.
func (w *world) findOnPlatforms(accounts []*able) {
	w.Helper()
	all := w.simulated()
	for _, a := range accounts {
		for _, s := range all {
			if s.Platform == a.platform.String() && strings.Contains(a.native, s.ID) {
				a.there = s
			}
		}
		if a.there.ID == "" {
			w.Fatalf("%s has no post %s", a.platform, a.native)
		}
	}
}

// collectNow makes everything due that is read of the accounts, as if their posts were six hours old.
func (w *world) collectNow(accounts []*able) {
	w.Helper()
	var ids []string
	collected := 0
	for _, a := range accounts {
		ids = append(ids, "'"+uuidOf(a.account)+"'")
		for _, what := range schema.AllCollected() {
			if a.platform.Collects(what) {
				collected++
			}
		}
	}
	w.eventually(time.Minute, "everything is collected", func() bool {
		return w.count(`with older as (
			update snapshots set posted_at = posted_at - interval '6 hours', due_at = now()
			where account_id in (`+strings.Join(ids, ", ")+`) and posted_at > now() - interval '5 hours'
		), anew as (
			update collections set due_at = now(), cursor = case when what = 3 then '{"since":"2000-01-01T00:00:00Z"}' else cursor end
			where account_id in (`+strings.Join(ids, ", ")+`) and lease_until is null returning id
		), due as (
			update jobs set due_at = now(), fires = 0 where id in (select id from anew) returning 1
		)
		select count(*) from due`) == collected
	})
}

// use uses what the account's platform can do.
func (a *able) use(t *testing.T) {
	on := *a.world
	on.T = t
	a.world = &on
	for name, use := range map[string]struct {
		able bool
		use  func()
	}{
		"checking":   {can[connectors.Checker](a), a.isHealthy},
		"consent":    {can[connectors.Authorizer](a), a.asksForConsent},
		"followers":  {can[connectors.FollowersSource](a), a.countsFollowers},
		"metrics":    {can[connectors.MetricsSource](a), a.measuresPosts},
		"comments":   {can[connectors.CommentSource](a), func() { a.receives("comments", a.comment) }},
		"mentions":   {can[connectors.MentionSource](a), func() { a.receives("mentions", a.mention) }},
		"replies":    {can[connectors.Replier](a), a.replies},
		"transcript": {can[connectors.TranscriptSource](a), a.readsTranscript},
		"retention":  {can[connectors.RetentionSource](a), a.readsRetention},
		"search":     {can[connectors.FeedSearcher](a), a.searches},
		"profiles":   {can[connectors.ProfileReader](a), a.readsProfile},
	} {
		if use.able {
			t.Run(name, func(t *testing.T) { on.T = t; use.use() })
		}
	}
	if can[connectors.Revoker](a) { // the last: it is not connected any more
		if status := a.call(http.MethodDelete, "/accounts/"+a.account.String(), nil, nil); status/100 != 2 {
			t.Errorf("disconnecting: %d", status)
		}
	}
}

func (a *able) isHealthy() {
	var answer struct{ Health struct{ Status string } }
	if status := a.call(http.MethodGet, "/accounts/"+a.account.String()+"/health", nil, &answer); status != http.StatusOK || answer.Health.Status != "healthy" {
		a.Errorf("health: %d %+v", status, answer)
	}
}

func (a *able) asksForConsent() {
	var answer struct{ AuthURL string }
	if status := a.call(http.MethodGet, "/connect/"+a.platform.String(), nil, &answer); status != http.StatusOK || answer.AuthURL == "" {
		a.Errorf("consent: %d %+v", status, answer)
	}
}

func (a *able) countsFollowers() {
	a.eventually(time.Minute, "followers are counted", func() bool {
		var answer struct {
			Accounts []struct {
				AccountID string
				Followers *int64
			}
		}
		a.call(http.MethodGet, "/analytics/followers?accountId="+a.account.String(), nil, &answer)
		return len(answer.Accounts) == 1 && answer.Accounts[0].Followers != nil
	})
}

func (a *able) measuresPosts() {
	a.eventually(time.Minute, "the post is measured", func() bool {
		var answer struct {
			Metrics struct{ Totals struct{ Posts int } }
		}
		a.call(http.MethodGet, "/analytics/posts?accountId="+a.account.String(), nil, &answer)
		return answer.Metrics.Totals.Posts >= 1
	})
}

// receives returns the item of the inbox in which a person wrote a text.
func (a *able) receives(kind, text string) (item string) {
	a.Helper()
	a.eventually(time.Minute, "it is in the inbox", func() bool {
		var page inboxPage
		a.call(http.MethodGet, "/engagement/"+kind+"?limit=100&accountId="+a.account.String(), nil, &page)
		for _, received := range page.Items {
			if strings.HasSuffix(received.Text, text) { // behind whom it answers
				item = received.ID
			}
		}
		return item != ""
	})
	return item
}

func (a *able) replies() {
	text := "At the shop on " + a.platform.String() + "."
	var answer struct {
		Reply struct{ ID, Status, NativeID string }
	}
	request := map[string]any{"itemId": a.receives("comments", a.comment), "text": text}
	if status := a.call(http.MethodPost, "/engagement/replies", request, &answer); status != http.StatusCreated {
		a.Fatalf("replying: %d", status)
	}
	a.eventually(time.Minute, "the reply has ended", func() bool {
		a.call(http.MethodGet, "/engagement/replies/"+answer.Reply.ID, nil, &answer)
		return answer.Reply.Status != "pending" && answer.Reply.Status != "claimed"
	})
	if answer.Reply.Status != "posted" {
		a.Fatalf("the reply is %+v", answer.Reply)
	}
	for _, s := range a.simulated() {
		if s.Platform == a.platform.String() && strings.HasSuffix(s.Text, text) && strings.Contains(answer.Reply.NativeID, s.ID) {
			return
		}
	}
	a.Errorf("%s has no reply %q as %s", a.platform, text, answer.Reply.NativeID)
}

func (a *able) readsTranscript() {
	var answer struct{ Transcript struct{ Text string } }
	path := "/engagement/transcript?accountId=" + a.account.String() + "&videoId=" + url.QueryEscape(a.native)
	if status := a.call(http.MethodGet, path, nil, &answer); status != http.StatusOK || answer.Transcript.Text == "" {
		a.Errorf("transcript: %d %+v", status, answer)
	}
}

// readsRetention has youtube asked, which may have no curve of so new a video.
func (a *able) readsRetention() {
	var answer struct {
		Unavailable string
		Videos      []struct{ Curve []float64 }
	}
	a.eventually(time.Minute, "youtube is asked for the curve", func() bool {
		answer.Unavailable, answer.Videos = "", nil
		a.call(http.MethodGet, "/analytics/retention?postId="+a.post, nil, &answer)
		return len(answer.Videos) == 1
	})
	if len(answer.Videos[0].Curve) == 0 && !strings.HasPrefix(answer.Unavailable, "youtube has no curve of the video") {
		a.Errorf("no curve: %s", answer.Unavailable)
	}
}

func (a *able) searches() {
	if status := a.call(http.MethodGet, "/feeds/search?q=coffee&platform="+a.platform.String(), nil, nil); status != http.StatusOK {
		a.Errorf("searching: %d", status)
	}
}

func (a *able) readsProfile() {
	if status := a.call(http.MethodGet, "/feeds/profile?handle=author1.stream.test&platform="+a.platform.String(), nil, nil); status != http.StatusOK {
		a.Errorf("reading a profile: %d", status)
	}
}
