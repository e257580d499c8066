package deletion_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/deletion"
	"crier/schema/postgres/postgrestest"
	"crier/schema/postgres/restores"
)

// noTenants are the tables that hold nothing of a workspace for longer than a moment. Every
// other one must be filled by populate: a table that is new is missed by name.
var noTenants = []string{
	"goose_db_version", "app_quotas", "plans", "server_apps", "wall_secrets", "dropped_keys", "installation_keyset", "event_positions", "resumes", "sweeps",
	"streams", "monitor_changes", "restores", "deleted_webhooks", "users", "sign_in_links", "identities", "passkeys", "ceremonies", "mail_recipients", "email_changes", "notices",
}

// tables is every table, the partitions by the table they are of.
func (f *fixture) tables() []string {
	f.Helper()
	all := f.Texts(`
		select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(noTenants, name) })
}

// naming counts the rows that name one of some ids, by table: as a UUID, as text, or as text in
// bytes.
func (f *fixture) naming(ids []string) map[string]int {
	f.Helper()
	rows := map[string]int{}
	for _, table := range f.tables() {
		if n := f.Count(`select count(*) from ` + table + ` t where t::text ~ '` + strings.Join(ids, "|") + `'`); n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// forms are how an id stands in rows.
func forms[K schema.Kind](id schema.ID[K]) []string {
	return []string{postgrestest.UUIDText(schema.PostID(id)), id.String(), hex.EncodeToString([]byte(id.String())), hex.EncodeToString(id[:])}
}

// populate gives the fixture's workspace a row in every table, and returns the ids to look for.
func (f *fixture) populate(name string) (ids []string) {
	f.Helper()
	now := f.Store.Now()
	admin := postgres.NewAdmin(f.Store)
	twin, err := admin.MakeWorkspace(f.Context(), name, "operator", true)
	f.Must(err)
	account := f.ConnectAccount(name, true, "twin of "+name)
	ids = slices.Concat(forms(f.Workspace), forms(twin.ID), forms(account.ID))
	for _, id := range f.Accounts {
		ids = append(ids, forms(id)...)
	}

	key := schema.NewID[schema.KeyID](now)
	f.Must(admin.CreateKey(f.Context(), schema.KeyRecord{
		ID: key, Lineage: key, Workspace: f.Workspace, Name: "k", Prefix: "p", Permission: schema.Admin, CreatedAt: now,
	}, schema.HashAPIKey(name)))
	_, err = f.Gateway.LeaseRequests(f.Context(), key, now, 1, 10)
	f.Must(err)
	hook, brand, queue := f.NewWebhook(schema.PostScheduled), schema.NewID[schema.BrandID](now), schema.NewID[schema.QueueID](now)
	f.Must(f.Gateway.CreateBrand(f.Context(), schema.Brand{ID: brand, Workspace: f.Workspace, Name: "b", CreatedAt: now, UpdatedAt: now}))
	upload := f.ExpiredUpload()
	ids = slices.Concat(ids, forms(key), forms(hook.ID), forms(brand), forms(queue), forms(upload))

	draft, far, waiting, reviewed := f.Post(1, time.Hour), f.Post(2, 25*time.Hour), f.Post(2, 0), f.Post(1, 0)
	draft.Status, draft.ScheduledFor = schema.Draft, time.Time{}
	waiting.Content.Entries[0].Media = []schema.Media{{MediaID: upload}}
	_, err = f.Gateway.Create(f.Context(), schema.Creation{
		Idempotency: &schema.Idempotency{Lineage: key, Key: "once", Fingerprint: [32]byte{1}}, Posts: []schema.Post{draft}, Response: []byte(`"` + draft.ID.String() + `"`),
		PostsPerMonth: 100,
	})
	f.Must(err)
	for _, p := range []schema.Post{far, waiting, reviewed} {
		f.Create(p)
	}
	f.Finish(f.MustClaim(waiting, 0), postgrestest.Found(schema.NewID[schema.PostID](now).String()))
	f.Finish(f.MustClaim(waiting, 1), schema.Outcome{Err: &schema.Error{Kind: schema.Retryable, Message: "again"}})
	past := f.Post(1, 0)
	past.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	commented := f.Post(1, 0)
	commented.Content.FirstComments = past.Content.FirstComments
	for _, p := range []schema.Post{past, commented} {
		f.Create(p)
		f.Finish(f.MustClaim(p, 0), postgrestest.Found(schema.NewID[schema.PostID](now).String()))
	}
	for _, p := range []schema.Post{draft, far, waiting, reviewed, past, commented} {
		ids = append(ids, forms(p.ID)...)
	}
	_, err = f.Notify.Expand(f.Context(), f.Events())
	f.Must(err)
	f.Fault(schema.Fault{
		Stage: schema.TopicPublish, Subject: schema.Subject{ID: waiting.ID}, Message: schema.LogMessage{Value: []byte(`{"workspace":"` + f.Workspace.String() + `"}`)},
	})
	item := f.ReceiveItem("to answer", schema.InboxComment)
	_, err = f.Gateway.CreateReply(f.Context(), schema.ReplyCreation{Workspace: f.Workspace, Reply: schema.NewID[schema.CommentID](now), Item: item, Text: "thanks"})
	f.Must(err)
	rows := strings.NewReplacer("$w", sqlID(f.Workspace), "$q", sqlID(queue), "$p", sqlID(waiting.ID), "$a", sqlID(f.Accounts[0]),
		"$h", sqlID(hook.ID), "$r", sqlID(reviewed.ID), "$ended", sqlID(past.ID), "$text", f.Accounts[0].String(), "$name", name)
	f.Exec(rows.Replace(`
		insert into queues (id, workspace_id, name, timezone, slots, is_default, created_at, updated_at) values ($q, $w, 'q', 'UTC', '[]', true, now(), now());
		insert into queue_slots (queue_id, slot_at, post_id) values ($q, now(), $p);
		insert into monitors (id, workspace_id, sandbox, name, include, exclude, language, platforms, paused, created_at, updated_at) values ($q, $w, false, 'm', '{a}', '{}', '', '{1}', false, now(), now());
		insert into found_items (monitor_id, item, forget_at) values ($q, $p, now());
		insert into searches (monitor_id, workspace_id, sandbox, due_at, read_until, began_at) values ($q, $w, false, now(), now(), now());
		insert into consents (token_hash, workspace_id, platform, server, redirect, stage, sealed, expires_at) values ('$name', $w, 1, '', '', 1, '', now());
		insert into users (id, email, name) values ($q, '$name@example.com', '');
		insert into memberships (workspace_id, user_id, role) values ($w, $q, 1);
		insert into idempotency (lineage, key, fingerprint, response)
		select encode(substring(sha256(uuid_send($q) || uuid_send($w)) for 16), 'hex')::uuid, 'k', '', convert_to('$text', 'UTF8');
		insert into sessions (id, user_id, hash, workspace_id, address, agent, created_at, seen_at, expires_at) values ($q, $q, '$name', $w, '', '', now(), now(), now());
		insert into invitations (id, workspace_id, email, role, hash, created_at, expires_at) values ($q, $w, '', 1, '$name', now(), now());
		insert into mails (id, kind, about, recipient, since, expires_at) values (gen_random_uuid(), 5, $w, '', now(), now());
		insert into mail_choices (email, kind, workspace_id, wanted) values ('$name', 5, $w, false);
		insert into audit (id, at, workspace_id, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
		values ($q, now(), $w, 1, '', '', '', '', '', '$text', '', '[]');
		insert into device_requests (device_hash, user_hash, name, address, permission, user_id, workspace_id, interval_seconds, expires_at)
		values ('$name', '$name', '', '', 1, $q, $w, 5, now());
		insert into subscriptions (id, workspace_id, plan, began_at, ended_at) values ('sub $name', $w, 'team', now(), now());
		insert into duplicates (workspace_id, account_id, post_id, n, entry, native_id, url) values ($w, $a, $p, 0, 0, 'x', '');
		insert into redeliveries (webhook_id, after_id, until_id) values ($h, $h, $h);
		insert into app_turns (app, next_at) values ('mastodon $text/post', now());
		insert into holds (subject, kind, reason) values ($r, 4, ''), ($a, 2, 'by the operator'), ($a, 8, 'by a member');
		insert into restore_releases (post_id) values ($p);
		insert into restore_findings (post_id, n, kind, at) values ($p, -1, 1, now());
		insert into restore_looks (account_id, tried_at) values ($a, now());
		insert into collections (id, account_id, workspace_id, what, due_at) values (gen_random_uuid(), $a, $w, 1, now());
		insert into jobs (id, kind, shard, due_at, payload) select id, 5, 0, due_at, '{"account":"$text"}' from collections where account_id = $a;
		insert into snapshots (post_id, n, account_id, native_id, url, video, posted_at, slot, due_at) values ($p, 0, $a, 'x', '', false, now(), 0, now());
		insert into deletions (id, request, status, of_workspace, workspaces, asked_at) values (gen_random_uuid(), gen_random_uuid(), 1, true, array[$w]::uuid[], now() - interval '1 hour');
		update ended_posts set ended_at = ended_at - interval '1 hour' where post_id = $ended;
		update comments set state = 2, native_id = 'c' where post_id = $ended;
		delete from jobs where kind = 2 and id in (select id from comments where state = 2)`))
	f.Archive()
	return ids
}

func sqlID[K schema.Kind](id schema.ID[K]) string {
	return `'` + postgrestest.UUIDText(schema.PostID(id)) + `'`
}

// erasing deletes until the deletion is done, without waiting for its time.
func (f *fixture) erasing(deletions *deletion.Store, d schema.DeletionID, erase func(context.Context, schema.Erasure) (int64, error)) schema.Deletion {
	f.Helper()
	uploads := postgres.NewMedia(f.Store)
	for range 500 {
		f.Exec(`update deletions set worked_at = now() where worked_at > now()`)
		if _, _, err := deletions.Delete(f.Context(), erase); err != nil {
			f.Fatal(err)
		}
		removable, err := uploads.RemovableMedia(f.Context(), 100)
		f.Must(err)
		f.Must(uploads.ForgetMedia(f.Context(), removable))
		all, err := deletions.Deletions(f.Context(), d)
		f.Must(err)
		if all[0].Status == schema.DeletionDone {
			return all[0]
		}
	}
	f.Fatalf("it is not done: %v", f.Count(`select step from deletions where status = 3`))
	return schema.Deletion{}
}

// forgotten erases nothing of ClickHouse, which has nothing.
func forgotten(context.Context, schema.Erasure) (int64, error) { return 0, nil }

// requestDeletion asks for a deletion.
func (f *fixture) requestDeletion(deletions *deletion.Store, account schema.AccountID) (schema.Deletion, schema.DeletionContents) {
	f.Helper()
	now := f.Store.Now()
	d := schema.Deletion{ID: schema.NewID[schema.DeletionID](now), Workspace: f.Workspace, Account: account, OfWorkspace: account.IsZero(), AskedAt: now}
	contents, err := deletions.Ask(f.Context(), d, schema.HashAPIKey("confirmed"))
	f.Must(err)
	return d, contents
}

// TestNothingIsLeftOfAWorkspace looks through every table of the catalogue.
func TestNothingIsLeftOfAWorkspace(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	workspace, accounts := f.Workspace, f.Accounts
	f.Accounts = nil
	for _, profile := range []string{"0", "1", "2"} { // both workspaces have connected them
		account := f.ConnectAccount("other", false, profile)
		f.Workspace, f.Accounts = account.Workspace, append(f.Accounts, account.ID)
	}
	other := f.populate("other")
	f.Workspace, f.Accounts = workspace, accounts
	ids := f.populate("acme")
	named := f.naming(ids)
	for _, table := range f.tables() {
		if named[table] == 0 {
			t.Errorf("table %s has nothing of the workspace: fill it, or name it among those that have no tenants", table)
		}
	}
	before := f.naming(other)

	deletions := deletion.New(f.Store.DB, 0)
	d, contents := f.requestDeletion(deletions, schema.AccountID{})
	want := schema.DeletionContents{Workspace: "acme", Accounts: 4, Keys: 1, Brands: 1, Queues: 1, Webhooks: 1, Posts: 6, Open: 3, Media: 1}
	if contents != want {
		t.Errorf("contents = %+v, want %+v", contents, want)
	}
	if _, err := deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("guessed")); schema.KindOf(err) != schema.NotFound {
		t.Errorf("it was confirmed with what is not its token: %v", err)
	}
	stopped, err := deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed"))
	if err != nil || stopped.Status != schema.DeletionRemoving {
		t.Fatalf("stopped = %+v, %v", stopped, err)
	}
	if _, err := deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed")); err != nil {
		t.Errorf("it was not confirmed again: %v", err)
	}
	// Of a result whose transaction has waited for its post since before the stop.
	f.Exec(strings.ReplaceAll(`
		insert into receipts (profile, native_id, owner, n, entry, seen_at)
		select r.profile, 'late', $w, 0, 0, now() - interval '5 seconds' from receipts r join posts p on p.id = r.owner where p.workspace_id = $w limit 1`, "$w", sqlID(workspace)))
	var erased []schema.Erasure
	gone := f.erasing(deletions, d.ID, func(_ context.Context, of schema.Erasure) (int64, error) {
		erased = append(erased, of)
		return int64(max(0, 2-len(erased))), nil // what was found once is looked for again
	})
	if left := f.naming(ids); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if after := f.naming(other); !maps.Equal(after, before) {
		t.Errorf("of the other workspace there are %v, were %v", after, before)
	}
	if gone.PostsRemoved != 6 || !gone.Workspace.IsZero() || len(erased) < 2 || len(erased[0].Workspaces) != 2 {
		t.Errorf("it is %+v after %d erasures, %+v", gone, len(erased), erased)
	}
	if _, err := postgres.NewAdmin(f.Store).MakeWorkspace(t.Context(), "acme", "operator", false); err != nil {
		t.Errorf("the name is not free: %v", err)
	}
}

// TestNothingGoesOutAfterTheAnswer has a call of every kind in hand when a workspace is deleted.
func TestNothingGoesOutAfterTheAnswer(t *testing.T) {
	f := newFixture(t)
	renewed := f.RenewableAccount(time.Minute)
	refresh := postgres.NewRefresh(f.Store)
	hook := f.NewWebhook(schema.PostScheduled)
	comment := f.NewFirstComment()
	calling, due := f.Create(f.Post(1, 0)), f.Create(f.Post(1, 0))
	messages, err := f.Notify.Expand(t.Context(), f.Events())
	f.Must(err)
	f.Exec(`update comments set next_at = now(); update accounts set renew_at = now() where renew_at is not null`)
	call := f.MustClaim(calling, 0)
	commenting, err := f.Comment.Claim(t.Context(), []schema.CommentID{comment})
	f.Must(err)
	delivering, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{messages[0].Delivery})
	f.Must(err)
	renewing := f.ClaimRenewal(refresh, renewed)
	if len(commenting) != 1 || len(delivering) != 1 || renewing == nil {
		t.Fatalf("claimed %d comments, %d deliveries, renewal %v", len(commenting), len(delivering), renewing)
	}
	claiming, err := pgx.Connect(t.Context(), f.URL) // a claim that began before and is not committed
	f.Must(err)
	t.Cleanup(func() { f.Must(claiming.Close(context.WithoutCancel(t.Context()))) })
	_, err = claiming.Exec(t.Context(), `begin; update targets set looked = looked where post_id = `+sqlID(due.ID))
	f.Must(err)

	deletions := deletion.New(f.Store.DB, 0)
	d, _ := f.requestDeletion(deletions, schema.AccountID{})
	soon, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = deletions.Stop(soon, d.ID, schema.HashAPIKey("confirmed"))
	postgrestest.WantKind(t, err, schema.Unavailable)
	inHand := []struct {
		what string
		end  func()
	}{
		{"a publish call", func() { f.Finish(call, postgrestest.Found("n1")) }},
		{"a first comment", func() { f.FinishComment(commenting[0], postgrestest.Found("c1")) }},
		{"a delivery", func() {
			f.Must(f.Notify.Finish(t.Context(), schema.NotifyResult{ID: delivering[0].ID, Webhook: hook.ID, Claim: delivering[0].Claim, State: schema.DeliveryDelivered}))
		}},
		{"a renewal", func() { f.Exec(`update accounts set renew_lease = now()`) }},
		{"a claim", func() { _, err := claiming.Exec(t.Context(), `commit`); f.Must(err) }},
	}
	for _, claim := range inHand {
		soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, _, err := deletions.Delete(soon, forgotten)
		cancel()
		now, lookErr := deletions.Deletions(t.Context(), d.ID)
		if f.Must(lookErr); now[0].Status != schema.DeletionStopping {
			t.Fatalf("it is %v while %s is in hand (%v)", now[0].Status, claim.what, err)
		}
		claim.end()
	}
	stopped, err := deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed"))
	if err != nil || stopped.Status != schema.DeletionRemoving {
		t.Fatalf("stopped = %+v, %v", stopped, err)
	}
	f.Exec(`update targets set next_at = null; update comments set state = 0, next_at = null; update accounts set renew_at = now(), renew_lease = null`)
	for what, claim := range map[string]func() (int, error){
		"targets": func() (int, error) { return len(f.Claim(due, 0)), nil },
		"comments": func() (int, error) {
			got, err := f.Comment.Claim(t.Context(), []schema.CommentID{comment})
			return len(got), err
		},
		"deliveries": func() (int, error) {
			got, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{messages[0].Delivery, messages[1].Delivery})
			return len(got), err
		},
		"renewals": func() (int, error) {
			if f.ClaimRenewal(refresh, renewed) != nil {
				return 1, nil
			}
			return 0, nil
		},
		"keys": func() (int, error) { return f.Count(`select count(*) from api_keys where revoked_at is null`), nil },
	} {
		if n, err := claim(); n != 0 || err != nil {
			t.Errorf("%d %s were claimed after the answer, %v", n, what, err)
		}
	}
	if _, err := f.Gateway.Connect(t.Context(), f.Workspace, nil); schema.KindOf(err) != schema.NotFound {
		t.Errorf("accounts are connected still: %v", err)
	}
}

// TestNothingIsLeftOfAnAccount has posts of it alone, and posts that others share.
func TestNothingIsLeftOfAnAccount(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	gone := f.Accounts[0]
	alone, shared, far, past := f.Post(1, 0), f.Post(2, time.Hour), f.Post(2, 25*time.Hour), f.Post(2, 0)
	past.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	last := f.Post(2, 0) // whose other target has ended
	far.FromAPI, past.FromAPI = false, false
	for _, p := range []schema.Post{alone, shared, far, past, last} {
		f.Create(p)
	}
	f.Finish(f.MustClaim(past, 0), postgrestest.Found("n0"))
	f.Finish(f.MustClaim(past, 1), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.Exec(`update comments set state = 2, native_id = 'c'; delete from jobs where kind = 2; update ended_posts set ended_at = ended_at - interval '1 hour'`)
	if f.Archive() != 1 {
		t.Fatal("nothing is in history")
	}
	f.Finish(f.MustClaim(last, 1), postgrestest.Found("n1"))
	hook := f.NewWebhook(schema.PostScheduled)
	_, err := f.Notify.Expand(t.Context(), f.Events())
	f.Must(err)
	ids := forms(gone)
	f.Exec(`insert into app_turns (app, next_at) values ('mastodon ` + gone.String() + `/post', now())`)

	deletions := deletion.New(f.Store.DB, 0)
	d, contents := f.requestDeletion(deletions, gone)
	if contents.Posts != 5 || contents.Open != 4 {
		t.Errorf("contents = %+v, want 5 posts, 4 of them open", contents)
	}
	if _, err := deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed")); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Claim(alone, 0)) + len(f.Claim(last, 0)); n != 0 {
		t.Errorf("%d targets of the account were claimed", n)
	}
	var waiting []schema.BatchID
	for _, batch := range f.Events() {
		waiting = append(waiting, batch.ID)
	}
	f.erasing(deletions, d.ID, forgotten)
	if left := f.naming(ids); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if at, err := restores.New(f.Store.DB).Unknown(t.Context(), waiting); err != nil || !at.IsZero() {
		t.Errorf("a log with events of the account is taken for that of a database which went back at %v, %v", at, err)
	}
	if _, err := f.Gateway.Post(t.Context(), f.Workspace, alone.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("the post to it alone: %v", err)
	}
	for what, tt := range map[string]struct {
		of   schema.Post
		want schema.PostStatus
	}{
		"shared": {shared, schema.Scheduled}, "far": {far, schema.Scheduled}, "past": {past, schema.Failed}, "last": {last, schema.Posted},
	} {
		got, err := f.Gateway.Post(t.Context(), f.Workspace, tt.of.ID)
		f.Must(err)
		if got.Status != tt.want || len(got.Targets) != 1 || got.Targets[0].N != 1 {
			t.Errorf("%s: status %v with targets %+v, want %v with the second", what, got.Status, got.Targets, tt.want)
		}
	}
	if types := f.Count(`select count(*) from outbox where convert_from(payload, 'UTF8') like '%post.published%' || '` + last.ID.String() + `%'`); types == 0 {
		t.Error("nobody is told that the post has ended")
	}
	if n := f.Count(`select count(*) from webhooks where id = ` + sqlID(hook.ID)); n != 1 {
		t.Error("the webhook is gone")
	}
	if jobs := f.Jobs(); len(jobs) != 1 {
		t.Errorf("%d jobs are left, want the shared post's", len(jobs))
	}
	_, err = f.Update(shared, func(p *schema.Post) { p.Content.Entries[0].Text = "edited" })
	f.Must(err)
	f.wantMessagesTo(shared, 1)
	f.Retry(past, time.Hour)
	f.wantMessagesTo(past, 1)
	again := f.ConnectAccount("acme", false, "0")
	if again.ID == gone {
		t.Error("the profile came back under the id that was deleted")
	}
}

func TestProfilesAreForgottenInTheirPlatformsTime(t *testing.T) {
	f := newFixture(t)
	for _, id := range f.Accounts[:2] {
		if _, err := f.Gateway.Disconnect(t.Context(), f.Workspace, id); err != nil {
			t.Fatal(err)
		}
	}
	f.Exec(`update accounts set settings = '{"a":1}', person = 'x'; update accounts set disconnected_at = now() - interval '49 hours' where id = ` + sqlID(f.Accounts[0]))
	deletions := deletion.New(f.Store.DB, 0)
	for _, want := range []int{1, 0} {
		n, more, err := deletions.ForgetProfiles(t.Context(), map[schema.Platform]time.Duration{schema.Mastodon: 48 * time.Hour, schema.LinkedIn: time.Hour})
		if n != want || more || err != nil {
			t.Errorf("forgot %d, %t, %v; want %d", n, more, err, want)
		}
	}
	if n := f.Count(`select count(*) from accounts where name <> '' and settings::text <> '{}' and person is not null`); n != 2 {
		t.Errorf("%d profiles are left, want one that is connected and one that was a moment ago", n)
	}
}

// wantMessagesTo checks that the job of a post asks for its targets of these numbers.
func (f *fixture) wantMessagesTo(p schema.Post, numbers ...int16) {
	f.Helper()
	var job schema.PostJob
	for _, j := range f.Jobs() {
		if j.ID == schema.JobID(p.ID) {
			f.Must(json.Unmarshal(j.Payload, &job))
		}
	}
	var got []int16
	for _, m := range job.Messages() {
		got = append(got, m.N)
	}
	if !slices.Equal(got, numbers) {
		f.Errorf("the job asks for targets %v, want %v", got, numbers)
	}
}
