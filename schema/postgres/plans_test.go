package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

// A plan that was made while the tables were empty stays until they are analyzed: the statements
// of the hot path find their rows by keys all the same.
func TestTheHotPathReadsByKeysWhateverTheStatistics(t *testing.T) {
	const many = 5_000
	f := newFixture(t)
	r := f.NewReader()
	h := hotPath{
		Reader: r, publish: postgres.NewPublish(r.Store, postgrestest.Constraints), notify: postgres.NewNotify(r.Store, securetest.PlainText{}),
		analytics: postgres.NewAnalytics(r.Store), collection: postgres.NewCollection(r.Store, r.Store.Now),
	}
	f.NewWebhook(schema.PostScheduled)
	for _, s := range h.steps() { // on tables that are nearly empty
		s.work()
	}
	f.AddUnrelatedRows(many)
	f.addOtherAccounts(many)
	for _, statistics := range []string{"select 1", "analyze"} { // none, and fresh ones
		f.Exec(statistics)
		for _, s := range h.steps() {
			r.WantReads(100, s.work)
			if t.Failed() {
				t.Fatalf("by %q, after %q", s.name, statistics)
			}
		}
	}
}

// hotPath is the stages of a process that has one connection.
type hotPath struct {
	postgrestest.Reader
	publish    *postgres.Publish
	notify     *postgres.Notify
	analytics  *postgres.Analytics
	collection *postgres.Collection
}

type hotStep struct {
	name string
	work func()
}

// steps creates a post, and returns the work of the stages for it.
func (h hotPath) steps() []hotStep {
	h.Helper()
	p := h.Create(h.Post(1, 0))
	batches := h.Events()
	scheduled := batches[len(batches)-1:]
	jobs := slices.DeleteFunc(h.Jobs(), func(j schema.Job) bool { return j.ID != schema.JobID(p.ID) })
	if len(jobs) != 1 {
		h.Fatalf("%d jobs of the post", len(jobs))
	}
	var err error
	var posts []schema.Delivery
	var deliveries []schema.NotifyDelivery
	var collections []schema.Collection
	return []hotStep{
		{"fire", func() { _, err = h.Delay.Fired(h.Context(), jobs); h.Must(err) }},
		{"lease turns", func() {
			_, _, err = h.Store.LeaseTurns(h.Context(), schema.TurnLease{Name: "app", N: 1, Burst: 1, Spacing: time.Millisecond})
			h.Must(err)
		}},
		{"claim a target", func() {
			posts, err = h.publish.Claim(h.Context(), []schema.TargetRef{{Post: p.ID, Version: p.Version}})
			h.Must(err)
			h.wantOne(len(posts))
		}},
		{"finish a target", func() {
			posted := schema.Outcome{Receipt: schema.Receipt{NativeID: postgrestest.UUIDText(p.ID)}}
			h.Must(h.publish.Finish(h.Context(), posts[0].After(posted, h.Store.Now(), 0)))
		}},
		{"expand", func() {
			messages, err := h.notify.Expand(h.Context(), scheduled)
			h.Must(err)
			h.wantOne(len(messages))
			deliveries = []schema.NotifyDelivery{{ID: messages[0].Delivery}}
		}},
		{"claim a delivery", func() {
			deliveries, err = h.notify.Claim(h.Context(), []schema.DeliveryID{deliveries[0].ID})
			h.Must(err)
			h.wantOne(len(deliveries))
		}},
		{"finish a delivery", func() {
			d := deliveries[0]
			h.Must(h.notify.Finish(h.Context(), schema.NotifyResult{ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, State: schema.DeliveryDelivered}))
		}},
		{"store facts", func() { h.Must(h.analytics.Stored(h.Context(), h.Events())) }},
		{"claim collections", func() {
			collections, err = h.collection.Claim(h.Context(), h.dueCollections())
			h.Must(err)
		}},
		{"postpone collections", func() {
			_, err = h.collection.Postpone(h.Context(), h.dueCollections(), []time.Duration{time.Second, time.Second})
			h.Must(err)
		}},
		{"finish a collection", func() {
			h.Must(h.collection.Finish(h.Context(), schema.CollectionResult{
				Collection: collections[0], NextAt: h.Store.Now(),
				Received: []schema.Received{{Item: schema.InboxItem{NativeID: postgrestest.UUIDText(p.ID), WrittenAt: h.Store.Now()}, Post: p.ID}},
				Whole:    []schema.WholeLook{{Post: p.ID, Seen: []string{postgrestest.UUIDText(p.ID)}}},
			}))
		}},
	}
}

func (h hotPath) wantOne(n int) {
	h.Helper()
	if n != 1 {
		h.Fatalf("%d of one", n)
	}
}

// dueCollections makes what is read of the account that has posted due, which is its metrics and
// the comments.
func (h hotPath) dueCollections() (ids []schema.CollectionID) {
	h.Helper()
	texts := h.Texts(`update collections set due_at = now() where account_id = '` + postgrestest.AccountUUIDText(h.Accounts[0]) + `' returning id::text`)
	for _, text := range texts {
		ids = append(ids, schema.CollectionID(uuid.MustParse(text)))
	}
	if len(ids) != 2 {
		h.Fatalf("%d collections of an account", len(ids))
	}
	return ids
}

// addOtherAccounts makes accounts, each with all that is read of one, and webhooks, and batches of
// events that were sent, and comments under other posts of the account that posts.
func (f *fixture) addOtherAccounts(n int) {
	f.Helper()
	f.Exec(fmt.Sprintf(`
		with a as (
			insert into accounts (id, workspace_id, platform, native_id, name, sealed)
			select uuidv7(), '%[2]s', 1, 'other ' || n, '', '' from generate_series(1, %[1]d) n returning id, workspace_id
		)
		insert into collections (id, account_id, workspace_id, what, due_at)
		select uuidv7(), a.id, a.workspace_id, what, now() - interval '1 minute' from a, generate_series(1, 4) what`, n, postgrestest.UUIDText(schema.PostID(f.Workspace))))
	f.Exec(fmt.Sprintf(`
		insert into webhooks (id, workspace_id, url, events, secret, created_at) select uuidv7(), uuidv7(), '', '{}', '', now() from generate_series(1, %d) n`, n))
	f.Exec(fmt.Sprintf(`
		insert into outbox (id, owed, sent_at, payload) select uuidv7(), 3, now(), '' from generate_series(1, %d) n`, n))
	f.Exec(fmt.Sprintf(`
		insert into inbox (id, workspace_id, account_id, mention, native_id, parent_id, post_native_id, post_id, state, digest, written_at)
		select uuidv7(), '%s', '%s', false, 'other ' || n, '', '', uuidv7(), '', '', now() from generate_series(1, %d) n`,
		postgrestest.UUIDText(schema.PostID(f.Workspace)), postgrestest.AccountUUIDText(f.Accounts[0]), n))
}

// Where no restore is marked, a claim asks once for holds, and for nothing of a row.
func TestAClaimCostsNothingWithoutHolds(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	plan := f.planOfClaim(p)
	for _, line := range strings.Split(plan, "\n") {
		if strings.Contains(line, "restores") && !strings.Contains(line, "never executed") && !strings.Contains(line, "Index Cond") && !strings.Contains(line, "Filter") {
			t.Errorf("a claim reads %q in\n%s", line, plan)
		}
	}
}

func (f *fixture) planOfClaim(p schema.Post) string {
	f.Helper()
	plan, err := postgres.ExplainClaim(f.Context(), f.Publish, []schema.TargetRef{{Post: p.ID, Version: p.Version}})
	f.Must(err)
	return plan
}
