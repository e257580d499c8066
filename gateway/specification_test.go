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
	*api
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
			b.under(t)
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
	b := &bench{api: newAPI(t)}
	b.freeze()
	var err error
	if b.database, err = pgx.Connect(context.Background(), b.databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.database.Close(context.Background()) }) // the database is dropped anyway
	_, media := withMedia(t)
	private := func(c *gateway.Config) { c.Rules.AllowPrivateWebhooks = true }
	b.strict, b.began = b.url, b.now()
	b.serve(slog.New(slog.DiscardHandler), []func(*gateway.Config){media, private})
	b.lenient = b.url
	return b
}

// leniently sends what follows to the gateway that takes private addresses.
func (b *bench) leniently() { b.url = b.lenient }

// enter makes the workspace of a rule, in one round trip: there are many.
func (b *bench) enter() {
	b.Helper()
	b.url = b.strict
	b.frozen.Store(&b.began)
	text, err := schema.NewAPIKey(rand.Reader, false)
	if err != nil {
		b.Fatal(err)
	}
	now := b.store.Now()
	hash, key := schema.HashAPIKey(text), schema.NewKeyID(now)
	b.workspace, b.key, b.accounts = schema.NewWorkspaceID(now), text, make(map[schema.Platform]schema.AccountID)
	batch := &pgx.Batch{}
	batch.Queue(`insert into workspaces (id, name, plan) values ($1, $2, 'operator')`, b.workspace, b.workspace.String())
	batch.Queue(`insert into api_keys (id, lineage, workspace_id, name, hash, permission) values ($1, $1, $2, 'rule', $3, $4)`,
		key, b.workspace, hash[:], int16(schema.Admin))
	for _, p := range schema.Platforms() {
		b.accounts[p] = schema.NewAccountID(now)
		batch.Queue(`insert into accounts (id, workspace_id, platform, native_id, name, sealed) values ($1, $2, $3, $4, $4, 'sealed')`,
			b.accounts[p], b.workspace, p, "acme on "+p.String())
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

func (b *bench) send(r request, headers ...string) *answer {
	b.Helper()
	return b.call(r.method, r.path, r.body, headers...)
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
func (b *bench) has(of tree, pairs ...any) {
	b.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		if got := of.dotted(path); fmt.Sprint(got) != fmt.Sprint(pairs[i+1]) {
			b.Errorf("%s = %v, want %v", path, got, pairs[i+1])
		}
	}
}

// answered shows that a request has an answer of the status with these values at these
// paths, given in pairs.
func answered(status int, r request, pairs ...any) demonstration {
	return func(b *bench) {
		b.Helper()
		b.has(b.send(r).want(status), pairs...)
	}
}

// invalid shows that a request is invalid for a code in a field, on a platform where one
// is named.
func invalid(r request, field, code string, platform ...string) demonstration {
	return func(b *bench) {
		b.Helper()
		e := b.send(r).fails(http.StatusBadRequest, "validation_error")
		b.named(e.at("details"), field, code, platform...)
	}
}

// warned shows that a request succeeds with a warning.
func warned(r request, field, code string, platform ...string) demonstration {
	return func(b *bench) {
		b.Helper()
		got := b.send(r)
		if got.status >= http.StatusBadRequest {
			b.Fatalf("status = %d: %s", got.status, got.body)
		}
		b.named(got.want(got.status).at("warnings"), field, code, platform...)
	}
}

// failed shows that a request fails with a status and a code.
func failed(r request, status int, code string) demonstration {
	return func(b *bench) {
		b.Helper()
		b.send(r).fails(status, code)
	}
}

// all shows several things, each in turn.
func all(shown ...demonstration) demonstration {
	return func(b *bench) {
		b.Helper()
		for _, d := range shown {
			d(b)
		}
	}
}

// named fails the test unless a detail is among those found.
func (b *bench) named(details tree, field, code string, platform ...string) {
	b.Helper()
	for i := range details.size() {
		d := details.at(i)
		if d.at("field").text() == field && d.at("code").text() == code && (len(platform) == 0 || d.at("platform").text() == platform[0]) {
			return
		}
	}
	b.Errorf("%v have no %s of %s %v", details.value, code, field, platform)
}
