package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/migrations"
	"crier/schema/postgres/postgrestest"
)

// counted returns the value of a counter without labels.
func (f *fixture) counted(name string) float64 {
	f.Helper()
	families, err := f.Registry.Gather()
	if err != nil {
		f.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	f.Fatalf("there is no metric %s", name)
	return 0
}

// postTo is a post to one account, due now.
func (f *fixture) postTo(a schema.Account) schema.Post {
	p := f.Post(1, 0)
	p.Workspace, p.Targets[0].Account = a.Workspace, a.ID
	return f.Create(p)
}

// published makes a post to an account that is there under an id.
func (f *fixture) published(a schema.Account, nativeID string) schema.Post {
	f.Helper()
	p := f.postTo(a)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found(nativeID))
	return p
}

// lost makes a post to an account whose outcome is looked for.
func (f *fixture) lost(a schema.Account) schema.Delivery {
	f.Helper()
	p := f.postTo(a)
	f.MustClaim(p, 0)
	f.ExpireLeases()
	d := f.MustClaim(p, 0)
	if d.Step != schema.StepFind {
		f.Fatalf("the step is %d, want a look", d.Step)
	}
	return d
}

func (f *fixture) known(d schema.Delivery) (known []string, shared bool) {
	f.Helper()
	f.Must(f.Publish.Known(f.Context(), &d))
	slices.Sort(d.Known)
	return d.Known, d.Shared
}

// hashOf is a profile as receipts have it: platform, server and id.
func hashOf(profile string) string { return `substr(sha256('` + profile + `'), 1, 16)` }

func TestALookKnowsWhatElseIsOnTheProfile(t *testing.T) {
	f := newFixture(t)
	ours, twin := f.ConnectAccount("acme", false, "p"), f.ConnectAccount("other", false, "p")
	sandboxed, another := f.ConnectAccount("acme", true, "p"), f.ConnectAccount("acme", false, "q")
	nameless := f.ConnectAccount("acme", false, "")

	f.published(ours, "before")
	f.Exec(`update receipts set seen_at = now() - interval '31 hours'`)
	d := f.lost(ours)
	f.Exec(`update targets set since = now() - interval '30 hours' where state = 1`) // it was released after a day
	d.Since = d.Since.Add(-30 * time.Hour)
	f.published(ours, "ours")
	f.published(twin, "twin's")
	f.Exec(`update receipts set seen_at = now() - interval '29 hours' where native_id = 'twin''s'`)
	for i, a := range []schema.Account{sandboxed, another, nameless} {
		f.published(a, fmt.Sprint("not on it ", i))
	}
	p := f.Post(1, 0)
	p.Targets[0].Account, p.Content.FirstComments = ours.ID, []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("commented"))
	f.Exec(`delete from jobs where kind = 1`)
	comment := f.ClaimComment()
	f.FinishComment(comment, postgrestest.Found("comment"))

	want := []string{"comment", "commented", "ours", "twin's"}
	if known, shared := f.known(d); !slices.Equal(known, want) || !shared {
		t.Errorf("known = %q, shared %t; want %q, shared", known, shared, want)
	}
	if known, _ := f.known(comment); slices.Contains(known, "comment") || !slices.Contains(known, "commented") {
		t.Errorf("a look for the comment knows %q, want its entry and not itself", known)
	}
	f.Exec(fmt.Sprintf(`update accounts set disconnected_at = now() where workspace_id <> '%x'`, ours.Workspace[:]))
	if known, shared := f.known(d); !slices.Equal(known, want) || shared {
		t.Errorf("once the twin is disconnected: known = %q, shared %t; want %q, alone", known, shared, want)
	}
	if n := f.Count(`select count(*) from receipts where profile = ` + hashOf(fmt.Sprintf("%d  p", schema.Mastodon))); n != len(want)+1 {
		t.Errorf("%d receipts are of the profile, want %d: upgrades write it so", n, len(want)+1)
	}
	for name, a := range map[string]schema.Account{"a sandbox": sandboxed, "an account without id": nameless} {
		if known, shared := f.known(f.lost(a)); len(known) != 1 || shared {
			t.Errorf("%s: known = %q, shared %t; want its own, alone", name, known, shared)
		}
	}

	d.Since = f.Store.Now().Add(-schema.ReceiptRetention - time.Minute)
	if err := f.Publish.Known(t.Context(), &d); !errors.Is(err, schema.ErrReceiptsForgotten) {
		t.Errorf("of a call longer ago than receipts are kept: %v", err)
	}
}

func TestALookThatFindsAnothersIsRefusedAlone(t *testing.T) {
	f := newFixture(t)
	ours, twin := f.ConnectAccount("acme", false, "p"), f.ConnectAccount("other", false, "p")
	f.published(twin, "twin's")
	beside, d := f.postTo(f.ConnectAccount("acme", false, "q")), f.lost(ours)
	neighbour := f.MustClaim(beside, 0)

	errs := f.Publish.FinishTogether(t.Context(),
		neighbour.After(postgrestest.Found("neighbour"), f.Store.Now(), 0),
		d.After(schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("twin's").Receipt}, f.Store.Now(), 0))
	if errs[0] != nil || !errors.Is(errs[1], schema.ErrReceiptTaken) {
		t.Fatalf("finished with %v; want the look alone refused", errs)
	}
	if got := f.Status(beside); got != schema.Posted {
		t.Errorf("its neighbour is %v", got)
	}
	d.Until = f.Store.Now().Add(time.Hour)
	again := d.LookAgain(f.Store.Now())
	if again.Step != schema.StepFind || again.NextIn != schema.SettleTime || again.Attempts != d.Attempts {
		t.Errorf("after it: %+v", again)
	}
	f.Must(f.Publish.Finish(t.Context(), again))
	f.EndWaits()
	post := schema.Post{ID: d.Ref.Post, Version: d.Ref.Version}
	next := f.MustClaim(post, 0)
	f.Finish(next, schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("ours").Receipt})
	f.Finish(next, schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("ours").Receipt}) // its own once more is no conflict
	if got := f.Read(post); got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID != "ours" {
		t.Errorf("the post is %+v", got)
	}
}

func TestWhatACallHasMadeIsKeptWhoeverWasToldToHaveIt(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			a := f.ConnectAccount("acme", false, "p")
			maker := f.postTo(a)
			d := f.MustClaim(maker, 0)
			f.Finish(f.lost(a), schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("made").Receipt})
			if late {
				f.ExpireLeases()
				f.MustClaim(maker, 0)
			}
			f.Finish(d, postgrestest.Found("made"))
			if got := f.Read(maker); got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID != "made" {
				t.Errorf("the post is %+v, want it posted", got)
			}
			if n := f.counted("crier_taken_receipts_total"); n != 1 {
				t.Errorf("%v are counted, want one", n)
			}
		})
	}
}

func TestACommentIsNotTakenForAnothers(t *testing.T) {
	f := newFixture(t)
	id := f.NewFirstComment()
	claim := func() schema.Delivery {
		claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id})
		f.Must(err)
		return claimed[0]
	}
	first := claim()
	f.ExpireLeases()
	look := claim()
	f.Exec(`insert into receipts (profile, native_id, owner, n, entry)
		select profile, 'taken', uuidv7(), 0, 0 from receipts`)
	found := func(d schema.Delivery) error {
		return f.Comment.Finish(t.Context(), d.After(schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("taken").Receipt}, f.Store.Now(), 0).OfComment(d))
	}
	if err := found(look); !errors.Is(err, schema.ErrReceiptTaken) {
		t.Fatalf("a look that found another's: %v", err)
	}
	f.Must(f.Comment.Finish(t.Context(), look.LookAgain(f.Store.Now()).OfComment(look)))
	f.Must(found(first)) // the call itself, late
	if n := f.Count(`select count(*) from comments where native_id = 'taken' and state = 2`); n != 1 {
		t.Error("what the call made is not kept")
	}
	f.Exec(`update receipts set owner = (select id from comments) where native_id = 'taken'`)
	f.Exec(`update comments set state = 1, native_id = ''`)
	look.Claim++
	f.Must(found(look)) // its own
	if n := f.Count(`select count(*) from comments where native_id = 'taken' and state = 2`); n != 1 {
		t.Error("what the look found is not kept")
	}
}

func TestClaimsOfOneTargetThatEndTogetherAreAllHeard(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	first := f.MustClaim(p, 0)
	f.ExpireLeases()
	second := f.MustClaim(p, 0)
	errs := f.Publish.FinishTogether(t.Context(),
		second.After(schema.Outcome{Verdict: schema.CannotTell}, f.Store.Now(), 0), first.After(postgrestest.Found("n0"), f.Store.Now(), 0))
	f.Must(errors.Join(errs...))
	got := f.Read(p)
	if got.Status != schema.Posted || len(got.Targets[0].Receipts) != 1 || got.Targets[0].Comments[0].State != schema.CommentPending {
		t.Errorf("the post is %+v, want it posted with a comment to come", got)
	}
}

func TestAnUpgradeKnowsWhatWasPublished(t *testing.T) {
	url := embeddedtest.Postgres(t)
	if err := migrations.To(t.Context(), url, 23); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `
		insert into workspaces (id, name, plan) values ('10000000-0000-0000-0000-000000000000', 'acme', 'operator');
		insert into workspaces (id, name, plan, live_id) values ('20000000-0000-0000-0000-000000000000', 'acme', 'operator', '10000000-0000-0000-0000-000000000000');
		insert into accounts (id, workspace_id, platform, native_id, name, server, sealed) values
			('a0000000-0000-0000-0000-000000000000', '10000000-0000-0000-0000-000000000000', 1, 'p', 'x', 'https://s', ''),
			('b0000000-0000-0000-0000-000000000000', '20000000-0000-0000-0000-000000000000', 1, 'p', 'x', '', '');
		create temp table made (n int, account uuid, at timestamptz, receipts json);
		insert into made values
			(1, 'a0000000-0000-0000-0000-000000000000', now() - interval '1 hour', '[{"entry": 0, "id": "one"}, {"entry": 2, "id": "three"}]'),
			(2, 'b0000000-0000-0000-0000-000000000000', now() - interval '7 days', '[{"entry": 0, "id": "sandboxed"}]'),
			(3, 'a0000000-0000-0000-0000-000000000000', now() - interval '20 days', '[{"entry": 0, "id": "retried"}]'),
			(4, 'a0000000-0000-0000-0000-000000000000', now() - interval '20 days', '[{"entry": 0, "id": "old"}]'),
			(5, 'a0000000-0000-0000-0000-000000000000', now() - interval '1 hour', '{"no": "list"}'),
			(6, 'a0000000-0000-0000-0000-000000000000', now() - interval '1 hour', '[{"id": "bad \u0000"}, 7]'),
			(7, 'a0000000-0000-0000-0000-000000000000', now() + interval '1 hour', '[]');
		insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
			select lpad(n::text, 32, '0')::uuid, a.workspace_id, 4, at, 'UTC', true, 1, '{}', 0, at, at from made join accounts a on a.id = account;
		insert into targets (post_id, n, version, account_id, platform, state, step, receipts, posted_at)
			select lpad(n::text, 32, '0')::uuid, 0, 1, account, 1, 2, 1, receipts, case when n = 3 then now() else at end from made;
		insert into attempts (post_id, at, kind, n) values (lpad('3', 32, '0')::uuid, now(), 4, 0);
		insert into comments (id, post_id, n, position, workspace_id, account_id, entry, text, state, native_id, posted_at)
			select uuidv7(), id, 0, 0, workspace_id, 'a0000000-0000-0000-0000-000000000000', 0, 'x', 2, 'comment', now() from posts where id = lpad('1', 32, '0')::uuid`)
	if err != nil {
		t.Fatal(err)
	}
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	rows, _ := conn.Query(t.Context(), `
		select native_id || ' ' || entry || ' ' || case profile when `+hashOf("1 https://s p")+` then 'live'
			when `+hashOf("1 20000000-0000-0000-0000-000000000000 p")+` then 'sandbox' else 'unknown' end
		from receipts order by native_id`)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	want := []string{"comment 0 live", "one 0 live", "retried 0 live", "sandboxed 0 sandbox", "three 2 live"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("recorded %q, %v; want %q", got, err, want)
	}
}
