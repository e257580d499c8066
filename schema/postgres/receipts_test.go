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
)

// connect makes an account in a workspace of that name, which it makes too.
func (f *fixture) connect(workspace string, sandbox bool, nativeID string) schema.Account {
	f.Helper()
	admin := postgres.NewAdmin(f.store)
	w, err := admin.MakeWorkspace(f.Context(), workspace, "operator", sandbox)
	f.must(err)
	a := schema.Account{Workspace: w.ID, Platform: schema.Mastodon, NativeID: nativeID, Name: "x", Sealed: []byte("x")}
	a.ID, err = admin.AccountID(f.Context(), a)
	f.must(err)
	f.must(admin.PutAccount(f.Context(), a))
	return a
}

// postTo is a post to one account, due now.
func (f *fixture) postTo(a schema.Account) schema.Post {
	p := f.post(1, 0)
	p.Workspace, p.Targets[0].Account = a.Workspace, a.ID
	return f.create(p)
}

// published makes a post to an account that is there under an id.
func (f *fixture) published(a schema.Account, nativeID string) schema.Post {
	f.Helper()
	p := f.postTo(a)
	f.finish(f.claimOne(p, 0), found(nativeID))
	return p
}

// lost makes a post to an account whose outcome is looked for.
func (f *fixture) lost(a schema.Account) schema.Delivery {
	f.Helper()
	p := f.postTo(a)
	f.claimOne(p, 0)
	f.expire()
	d := f.claimOne(p, 0)
	if d.Step != schema.StepFind {
		f.Fatalf("the step is %d, want a look", d.Step)
	}
	return d
}

func (f *fixture) known(d schema.Delivery) (known []string, shared bool) {
	f.Helper()
	f.must(f.publish.Known(f.Context(), &d))
	slices.Sort(d.Known)
	return d.Known, d.Shared
}

// hashOf is a profile as receipts have it: platform, server and id.
func hashOf(profile string) string { return `substr(sha256('` + profile + `'), 1, 16)` }

func TestALookKnowsWhatElseIsOnTheProfile(t *testing.T) {
	f := newFixture(t)
	ours, twin := f.connect("acme", false, "p"), f.connect("other", false, "p")
	sandboxed, another := f.connect("acme", true, "p"), f.connect("acme", false, "q")
	nameless := f.connect("acme", false, "")

	f.published(ours, "before")
	f.exec(`update receipts set seen_at = now() - interval '31 hours'`)
	d := f.lost(ours)
	f.exec(`update targets set since = now() - interval '30 hours' where state = 1`) // it was released after a day
	d.Since = d.Since.Add(-30 * time.Hour)
	f.published(ours, "ours")
	f.published(twin, "twin's")
	f.exec(`update receipts set seen_at = now() - interval '29 hours' where native_id = 'twin''s'`)
	for i, a := range []schema.Account{sandboxed, another, nameless} {
		f.published(a, fmt.Sprint("not on it ", i))
	}
	p := f.post(1, 0)
	p.Targets[0].Account, p.Content.FirstComments = ours.ID, []schema.FirstComment{{Target: 0, Text: "first"}}
	f.create(p)
	f.finish(f.claimOne(p, 0), found("commented"))
	f.exec(`delete from jobs where kind = 1`)
	comment := f.claimComment()
	f.finishComment(comment, found("comment"))

	want := []string{"comment", "commented", "ours", "twin's"}
	if known, shared := f.known(d); !slices.Equal(known, want) || !shared {
		t.Errorf("known = %q, shared %t; want %q, shared", known, shared, want)
	}
	if known, _ := f.known(comment); slices.Contains(known, "comment") || !slices.Contains(known, "commented") {
		t.Errorf("a look for the comment knows %q, want its entry and not itself", known)
	}
	f.exec(fmt.Sprintf(`update accounts set disconnected_at = now() where workspace_id <> '%x'`, ours.Workspace[:]))
	if known, shared := f.known(d); !slices.Equal(known, want) || shared {
		t.Errorf("once the twin is disconnected: known = %q, shared %t; want %q, alone", known, shared, want)
	}
	if n := f.count(`select count(*) from receipts where profile = ` + hashOf(fmt.Sprintf("%d  p", schema.Mastodon))); n != len(want)+1 {
		t.Errorf("%d receipts are of the profile, want %d: upgrades write it so", n, len(want)+1)
	}
	for name, a := range map[string]schema.Account{"a sandbox": sandboxed, "an account without id": nameless} {
		if known, shared := f.known(f.lost(a)); len(known) != 1 || shared {
			t.Errorf("%s: known = %q, shared %t; want its own, alone", name, known, shared)
		}
	}

	d.Since = f.store.Now().Add(-schema.ReceiptRetention - time.Minute)
	if err := f.publish.Known(t.Context(), &d); !errors.Is(err, schema.ErrReceiptsForgotten) {
		t.Errorf("of a call longer ago than receipts are kept: %v", err)
	}
}

func TestALookThatFindsAnothersIsRefusedAlone(t *testing.T) {
	f := newFixture(t)
	ours, twin := f.connect("acme", false, "p"), f.connect("other", false, "p")
	f.published(twin, "twin's")
	beside, d := f.postTo(f.connect("acme", false, "q")), f.lost(ours)
	neighbour := f.claimOne(beside, 0)

	errs := f.publish.FinishTogether(t.Context(),
		neighbour.After(found("neighbour"), f.store.Now(), 0),
		d.After(schema.Outcome{Verdict: schema.Found, Receipt: found("twin's").Receipt}, f.store.Now(), 0))
	if errs[0] != nil || !errors.Is(errs[1], schema.ErrReceiptTaken) {
		t.Fatalf("finished with %v; want the look alone refused", errs)
	}
	if got := f.status(beside); got != schema.Posted {
		t.Errorf("its neighbour is %v", got)
	}
	d.Until = f.store.Now().Add(time.Hour)
	again := d.LookAgain(f.store.Now())
	if again.Step != schema.StepFind || again.NextIn != schema.SettleTime || again.Attempts != d.Attempts {
		t.Errorf("after it: %+v", again)
	}
	f.must(f.publish.Finish(t.Context(), again))
	f.wake()
	post := schema.Post{ID: d.Ref.Post, Version: d.Ref.Version}
	next := f.claimOne(post, 0)
	f.finish(next, schema.Outcome{Verdict: schema.Found, Receipt: found("ours").Receipt})
	f.finish(next, schema.Outcome{Verdict: schema.Found, Receipt: found("ours").Receipt}) // its own once more is no conflict
	if got := f.read(post); got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID != "ours" {
		t.Errorf("the post is %+v", got)
	}
}

func TestWhatACallHasMadeIsKeptWhoeverWasToldToHaveIt(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			a := f.connect("acme", false, "p")
			maker := f.postTo(a)
			d := f.claimOne(maker, 0)
			f.finish(f.lost(a), schema.Outcome{Verdict: schema.Found, Receipt: found("made").Receipt})
			if late {
				f.expire()
				f.claimOne(maker, 0)
			}
			f.finish(d, found("made"))
			if got := f.read(maker); got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID != "made" {
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
	id := f.commented()
	claim := func() schema.Delivery {
		claimed, err := f.comment.Claim(t.Context(), []schema.CommentID{id})
		f.must(err)
		return claimed[0]
	}
	first := claim()
	f.expire()
	look := claim()
	f.exec(`insert into receipts (profile, native_id, owner, n, entry)
		select profile, 'taken', uuidv7(), 0, 0 from receipts`)
	found := func(d schema.Delivery) error {
		return f.comment.Finish(t.Context(), d.After(schema.Outcome{Verdict: schema.Found, Receipt: found("taken").Receipt}, f.store.Now(), 0).OfComment(d))
	}
	if err := found(look); !errors.Is(err, schema.ErrReceiptTaken) {
		t.Fatalf("a look that found another's: %v", err)
	}
	f.must(f.comment.Finish(t.Context(), look.LookAgain(f.store.Now()).OfComment(look)))
	f.must(found(first)) // the call itself, late
	if n := f.count(`select count(*) from comments where native_id = 'taken' and state = 2`); n != 1 {
		t.Error("what the call made is not kept")
	}
	f.exec(`update receipts set owner = (select id from comments) where native_id = 'taken'`)
	f.exec(`update comments set state = 1, native_id = ''`)
	look.Claim++
	f.must(found(look)) // its own
	if n := f.count(`select count(*) from comments where native_id = 'taken' and state = 2`); n != 1 {
		t.Error("what the look found is not kept")
	}
}

func TestClaimsOfOneTargetThatEndTogetherAreAllHeard(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.create(p)
	first := f.claimOne(p, 0)
	f.expire()
	second := f.claimOne(p, 0)
	errs := f.publish.FinishTogether(t.Context(),
		second.After(schema.Outcome{Verdict: schema.CannotTell}, f.store.Now(), 0), first.After(found("n0"), f.store.Now(), 0))
	f.must(errors.Join(errs...))
	got := f.read(p)
	if got.Status != schema.Posted || len(got.Targets[0].Receipts) != 1 || got.Targets[0].Comments[0].State != schema.CommentPending {
		t.Errorf("the post is %+v, want it posted with a comment to come", got)
	}
}

func TestOldReceiptsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.exec(`insert into receipts (profile, native_id, owner, n, entry, seen_at)
		select 'p', i::text, gen_random_uuid(), 0, 0, now() - i * interval '1 second' - case when i > 1 then interval '9 days' else interval '0' end
		from generate_series(1, 25000) i`)
	f.chore(f.delay.ForgetReceipts)
	if n := f.count(`select count(*) from receipts`); n != 1 {
		t.Errorf("%d receipts are kept, want the young one", n)
	}
}

func TestAnUpgradeKnowsWhatWasPublished(t *testing.T) {
	url := embeddedtest.Postgres(t)
	if err := postgres.MigrateTo(t.Context(), url, 23); err != nil {
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
