package gateway_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// rule is a sentence of the specification that states a rule, in our words, and what
// shows that it holds.
type rule struct {
	section string // heading of the specification
	says    string
	shows   demonstration
}

// demonstration makes requests in a workspace of its own.
type demonstration func(b *bench)

// bench is one gateway for all rules. Each rule has a workspace of its own, with one
// account on every platform; the clock stands still.
type bench struct {
	*gatewaytest.API
	database *pgx.Conn
	began    time.Time
	strict   string // address of the gateway that takes nothing private
	lenient  string // and of the one with a media library that does
	accounts map[schema.Platform]schema.AccountID
}

// TestSpecification has a row for each sentence of the specification that states a rule;
// what no row covers is told, with the reason, by uncovered.
func TestSpecification(t *testing.T) {
	b := newBench(t)
	rules := slices.Concat(generalRules(), b.createRules(), b.listRules(), b.patchRules(), b.threadRules(), platformRules(), settingRules(),
		b.resourceRules(), b.accountRules(), webhookRules(), serviceRules())
	for _, r := range rules {
		t.Run(r.section+": "+r.says, func(t *testing.T) {
			b.Under(t)
			b.enter()
			r.shows(b)
		})
	}
	t.Logf("%d sentences of the specification have a row, %d have none:", len(rules), len(uncovered()))
	for _, s := range uncovered() {
		t.Logf("%s: %s: %s", s.section, s.says, s.why)
	}
}

func newBench(t *testing.T) *bench {
	b := &bench{API: gatewaytest.New(t)}
	b.Freeze()
	var err error
	if b.database, err = pgx.Connect(context.Background(), b.DatabaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.database.Close(context.Background()) }) // the database is dropped anyway
	_, media := gatewaytest.WithMedia(t)
	private := func(c *gateway.Config) { c.Rules.AllowPrivateWebhooks = true }
	b.strict, b.began = b.URL, b.Now()
	b.Serve(slog.New(slog.DiscardHandler), []func(*gateway.Config){media, private})
	b.lenient = b.URL
	return b
}

// leniently sends what follows to the gateway that takes private addresses.
func (b *bench) leniently() { b.URL = b.lenient }

// enter makes the workspace of a rule, in one round trip: there are many.
func (b *bench) enter() {
	b.Helper()
	b.URL = b.strict
	b.Frozen.Store(&b.began)
	text, err := schema.NewAPIKey(rand.Reader, false)
	if err != nil {
		b.Fatal(err)
	}
	now := b.Store.Now()
	hash, key := schema.HashAPIKey(text), schema.NewID[schema.KeyID](now)
	b.Workspace, b.Key, b.accounts = schema.NewID[schema.WorkspaceID](now), text, make(map[schema.Platform]schema.AccountID)
	batch := &pgx.Batch{}
	batch.Queue(`insert into workspaces (id, name, plan) values ($1, $2, 'operator')`, b.Workspace, b.Workspace.String())
	batch.Queue(`insert into api_keys (id, lineage, workspace_id, name, hash, permission) values ($1, $1, $2, 'rule', $3, $4)`,
		key, b.Workspace, hash[:], int16(schema.Admin))
	for _, p := range schema.Platforms() {
		b.accounts[p] = schema.NewID[schema.AccountID](now)
		batch.Queue(`insert into accounts (id, workspace_id, platform, native_id, name, sealed) values ($1, $2, $3, $4, $4, 'sealed')`,
			b.accounts[p], b.Workspace, p, "acme on "+p.String())
	}
	if err := b.database.SendBatch(context.Background(), batch).Close(); err != nil {
		b.Fatal(err)
	}
}

// request is one request of a demonstration.
type request struct {
	method, path string
	body         any
}

func (b *bench) send(r request, headers ...string) *gatewaytest.Response {
	b.Helper()
	return b.Request(r.method, r.path, r.body, headers...)
}

// with returns the request with some members of its body changed; null removes one.
func (r request) with(changes string) request {
	var changed map[string]any
	if err := json.Unmarshal([]byte(changes), &changed); err != nil {
		panic(fmt.Sprintf("%s: %v", changes, err))
	}
	members, _ := r.body.(map[string]any)
	merged := maps.Clone(members)
	for name, value := range changed {
		if merged[name] = value; value == nil {
			delete(merged, name)
		}
	}
	r.body = merged
	return r
}

// newPost is the creation of a draft for mastodon, except for the changes.
func newPost(changes string) request {
	draft := map[string]any{"content": "x", "platforms": []any{"mastodon"}, "status": "draft"}
	return request{http.MethodPost, "/posts", draft}.with(changes)
}

func get(path string) request { return request{http.MethodGet, path, nil} }

// has fails the test unless the tree has these values at these paths, given in pairs; a
// value of nil is of what is not there.
func (b *bench) has(of gatewaytest.JSON, pairs ...any) {
	b.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		if got := of.Dotted(path); fmt.Sprint(got) != fmt.Sprint(pairs[i+1]) {
			b.Errorf("%s = %v, want %v", path, got, pairs[i+1])
		}
	}
}

// answered shows that a request has an answer of the status with these values at these
// paths, given in pairs.
func answered(status int, r request, pairs ...any) demonstration {
	return func(b *bench) {
		b.Helper()
		b.has(b.send(r).Want(status), pairs...)
	}
}

// invalid shows that a request is invalid for a code in a field, on a platform where one
// is named.
func invalid(r request, field, code string, platform ...string) demonstration {
	return func(b *bench) {
		b.Helper()
		e := b.send(r).WantError(http.StatusBadRequest, "validation_error")
		b.named(e.At("details"), field, code, platform...)
	}
}

// warned shows that a request succeeds with a warning.
func warned(r request, field, code string, platform ...string) demonstration {
	return func(b *bench) {
		b.Helper()
		got := b.send(r)
		if got.Status >= http.StatusBadRequest {
			b.Fatalf("status = %d: %s", got.Status, got.Body)
		}
		b.named(got.Want(got.Status).At("warnings"), field, code, platform...)
	}
}

// failed shows that a request fails with a status and a code.
func failed(r request, status int, code string) demonstration {
	return func(b *bench) {
		b.Helper()
		b.send(r).WantError(status, code)
	}
}

// all shows several things, each in turn.
func all(demonstrations ...demonstration) demonstration {
	return func(b *bench) {
		b.Helper()
		for _, d := range demonstrations {
			d(b)
		}
	}
}

// named fails the test unless a detail is among those found.
func (b *bench) named(details gatewaytest.JSON, field, code string, platform ...string) {
	b.Helper()
	for i := range details.Len() {
		d := details.At(i)
		if d.At("field").Text() == field && d.At("code").Text() == code && (len(platform) == 0 || d.At("platform").Text() == platform[0]) {
			return
		}
	}
	b.Errorf("%v have no %s of %s %v", details.Value, code, field, platform)
}
