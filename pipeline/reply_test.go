package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/postgres"
)

// answering is the comment stage between PostgreSQL and the simulators.
type answering struct {
	*testing.T
	store     *postgres.Store
	gateway   *postgres.Gateway
	sandbox   *sandbox.Sandbox
	stage     comment
	workspace schema.WorkspaceID
	platforms *catalog.Catalog
	vault     *connectors.Vault
	database  *pgx.Conn
}

func newAnswering(t *testing.T) *answering {
	t.Helper()
	a := &answering{T: t}
	logger := slog.New(slog.DiscardHandler)
	address := embeddedtest.PostgresWith(t, postgres.Migrate)
	database, err := pgx.Connect(t.Context(), address)
	a.must(err)
	a.database = database
	t.Cleanup(func() { _ = a.database.Close(context.Background()) }) // the database is dropped anyway
	a.store, err = postgres.Open(t.Context(), postgres.Config{
		URL: address, MaxConns: 8, MaxLateness: time.Hour, Announce: func(schema.Announcement) {}, Logger: logger, Registerer: prometheus.NewRegistry(),
	})
	a.must(err)
	t.Cleanup(a.store.Close)
	var base string
	a.sandbox, err = sandbox.New(sandbox.Config{Simulators: catalog.Simulators(), Now: a.store.Now, BaseURL: func() string { return base }})
	a.must(err)
	server := httptest.NewServer(a.sandbox.Handler())
	t.Cleanup(server.Close)
	base = server.URL
	out := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(out.CloseIdle)
	a.platforms, err = catalog.New(catalog.Config{
		HTTP: out.Client(), SandboxHTTP: out.Client(), SandboxURL: base, Logger: logger, Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: a.store.Now,
	})
	a.must(err)
	a.vault, err = connectors.OpenVault(filepath.Join(t.TempDir(), "keyset.json"))
	a.must(err)
	a.gateway = postgres.NewGateway(a.store, a.vault, catalog.Constraints)
	w, err := postgres.NewAdmin(a.store).MakeWorkspace(t.Context(), "acme", "operator", true)
	a.must(err)
	a.workspace = w.ID
	store := postgres.NewComment(a.store, catalog.Constraints)
	a.stage = comment{commentStore: store, calls: platformCalls{a.platforms, a.vault, store, logger, newKeyless(logger), time.Hour}}
	return a
}

func (a *answering) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// connect connects an account of a platform's simulator.
func (a *answering) connect(p schema.Platform) schema.Account {
	a.Helper()
	const token = "a-token"
	credentials := schema.Credentials{AccessToken: token}
	switch p {
	case schema.Bluesky:
		credentials = schema.Credentials{Identifier: "acme.example.com", Password: "abcd-efgh-ijkl-mnop"}
	case schema.LinkedIn:
		credentials.EntityID = linkedin.Organizations(token)[0]
	}
	account := schema.Account{Workspace: a.workspace, Platform: p, Name: p.String(), Sandbox: true}
	checker, err := connectors.As[connectors.Checker](a.platforms, account)
	a.must(err)
	profile, err := checker.Check(a.Context(), account, credentials)
	a.must(err)
	account.NativeID, account.Settings = profile.NativeID, profile.Settings
	connected, err := a.gateway.Connect(a.Context(), a.workspace, []schema.Connection{{Account: account, Seal: func(stored schema.Account) ([]byte, bool, error) {
		sealed, err := a.vault.Seal(stored, credentials)
		return sealed, true, err
	}}})
	a.must(err)
	return connected[0].Account
}

// answerable are the platforms with replies: the visible call of one, and what the API calls
// something that was said under a post.
var answerable = map[schema.Platform]struct {
	call string
	item func(simulation.Remark) string
}{
	schema.Bluesky:   {"com.atproto.repo.putRecord", func(s simulation.Remark) string { return "at://did:plc:somebody/app.bsky.feed.post/" + s.ID }},
	schema.Mastodon:  {"POST /api/v1/statuses", plainID},
	schema.Twitter:   {"POST /2/tweets", plainID},
	schema.Threads:   {"POST /{user}/threads_publish", plainID},
	schema.Instagram: {"POST /{id}/replies", plainID},
	schema.Facebook:  {"POST /{version}/{node}/comments", func(s simulation.Remark) string { return s.Under + "_" + s.ID }},
	schema.LinkedIn: {"POST /rest/socialActions/{urn}/comments", func(s simulation.Remark) string {
		return fmt.Sprintf("urn:li:comment:(urn:li:share:%s,%s)", s.Under, s.ID)
	}},
	schema.YouTube: {"POST /youtube/v3/comments", func(s simulation.Remark) string { return "UgS" + s.ID }},
}

func plainID(s simulation.Remark) string { return s.ID }

// reply makes a reply to what somebody has said under a post of the account.
func (a *answering) reply(p schema.Platform, text string) (schema.CommentID, *simulation.World) {
	a.Helper()
	account, world := a.connect(p), a.sandbox.World(p)
	world.Quiet()
	post, _, err := world.Add(simulation.Post{Account: account.NativeID, Text: "the entry", Workspace: a.workspace})
	a.must(err)
	remark := world.Say(simulation.Remark{Account: account.NativeID, Under: post.ID, Text: "hello?"})
	native, under := answerable[p].item(remark), post.ID
	if p == schema.LinkedIn {
		under = "urn:li:share:" + post.ID
	}
	ref := `{"uri":"` + native + `","cid":"bafyreia"}`
	_, err = a.gateway.Receive(a.Context(), account, []schema.Received{{
		Item:  schema.InboxItem{Kind: schema.InboxComment, NativeID: native, PostNativeID: under, Text: "hello?", WrittenAt: a.store.Now()},
		State: map[schema.Platform]string{schema.Bluesky: `{"root":` + ref + `,"parent":` + ref + `}`, schema.Mastodon: `{"visibility":"unlisted"}`}[p],
	}})
	a.must(err)
	id := schema.NewID[schema.CommentID](a.store.Now())
	_, err = a.gateway.CreateReply(a.Context(), schema.ReplyCreation{
		Workspace: a.workspace, Reply: id, Item: schema.ItemIDOf(account.ID, native), Text: text, Response: []byte(`{}`),
	})
	a.must(err)
	return id, world
}

// pass makes every wait and every lease over.
func (a *answering) pass() {
	a.Helper()
	_, err := a.database.Exec(a.Context(), `update comments set next_at = now(), lease_until = lease_until - interval '1 minute'`)
	a.must(err)
}

// settle takes steps until the reply has ended.
func (a *answering) settle(id schema.CommentID) schema.Reply {
	a.Helper()
	for range 20 {
		reply, err := a.gateway.Reply(a.Context(), a.workspace, id)
		a.must(err)
		if reply.State != schema.CommentPending && reply.State != schema.CommentClaimed {
			return reply
		}
		a.pass()
		claimed, err := a.stage.Claim(a.Context(), []schema.CommentID{id})
		a.must(err)
		if len(claimed) != 1 {
			a.Fatalf("claimed %d", len(claimed))
		}
		out, err := a.stage.Do(a.Context(), claimed[0], nil)
		a.must(err)
		a.must(out.Store(a.Context()))
	}
	a.Fatal("the reply never ends")
	return schema.Reply{}
}

// A reply whose answer was lost, or whose process died between the claim and the receipt, is on
// its platform once.
func TestAReplyIsThereOnce(t *testing.T) {
	a := newAnswering(t)
	for name, happens := range map[string]func(*testing.T, schema.Platform, schema.CommentID, *simulation.World){
		"its answer was lost": func(t *testing.T, p schema.Platform, _ schema.CommentID, w *simulation.World) {
			if err := w.Inject(simulation.Fault{Operation: answerable[p].call, Lose: true}); err != nil {
				t.Fatal(err)
			}
		},
		"the call never arrived": func(t *testing.T, p schema.Platform, _ schema.CommentID, w *simulation.World) {
			if err := w.Inject(simulation.Fault{Operation: answerable[p].call, Refuse: true}); err != nil {
				t.Fatal(err)
			}
		},
		"its process died after the call": func(t *testing.T, _ schema.Platform, id schema.CommentID, _ *simulation.World) {
			claimed, err := a.stage.Claim(t.Context(), []schema.CommentID{id})
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %+v, %v", claimed, err)
			}
			if outcome, _ := a.stage.calls.doStep(t.Context(), claimed[0], nil); outcome.Err != nil {
				t.Fatal(outcome.Err)
			}
		},
		"its process died before the call": func(t *testing.T, _ schema.Platform, id schema.CommentID, _ *simulation.World) {
			if claimed, err := a.stage.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %+v, %v", claimed, err)
			}
		},
	} {
		for p := range answerable {
			t.Run(p.String()+": "+name, func(t *testing.T) {
				a := &answering{t, a.store, a.gateway, a.sandbox, a.stage, a.workspace, a.platforms, a.vault, a.database}
				text := "here, since " + name
				id, world := a.reply(p, text)
				happens(t, p, id, world)
				reply := a.settle(id)
				there := 0
				for post := range world.All() {
					if post.Text == text {
						there++
					}
				}
				if there != 1 || reply.State != schema.CommentPosted || reply.NativeID == "" {
					t.Errorf("it is there %d times, and known as %+v, %+v", there, reply, reply.Error)
				}
			})
		}
	}
}
