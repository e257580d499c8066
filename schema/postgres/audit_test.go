package postgres_test

import (
	"slices"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// TestCommandsAreInTheAuditLog runs what the operator's commands do.
func TestCommandsAreInTheAuditLog(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	ctx := people.WithAudited(t.Context(), people.Audited{Action: "x", Actor: people.Actor{Kind: people.ByCommand, Name: "root"}})
	for _, h := range []schema.Hold{
		{Kind: schema.WorkspacePaused, Workspace: f.workspace, Reason: "asked"}, {Kind: schema.AccountPaused, Account: f.accounts[0]}, {Kind: schema.PlatformPaused, Platform: schema.Mastodon},
	} {
		f.must(admin.Pause(ctx, h))
		f.must(admin.Resume(ctx, h))
	}
	f.exec(`
		insert into dead_letters (id, stage, subject, n, unreadable, topic, partition, value, reason, tries, failed_at, dead_at)
		values (gen_random_uuid(), 'publish', gen_random_uuid(), 0, true, 'publish', 0, '{', '', 5, now(), now())`)
	if n, err := admin.ReplayAll(ctx, func(int) {}); n != 1 || err != nil {
		t.Fatalf("replayed %d, %v", n, err)
	}
	reviewed := f.create(f.post(1, 0))
	f.exec(of(reviewed, `insert into holds (subject, kind, reason) values ('$', 4, '')`))
	if n, err := admin.CancelReviewed(ctx, nil); n != 1 || err != nil {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	f.exec(`insert into api_keys (id, lineage, workspace_id, name, prefix, hash, permission) select gen_random_uuid(), gen_random_uuid(), id, 'k', '', '', 1 from workspaces where live_id is null`)
	f.must(postgres.NewRestores(f.store).Mark(t.Context(), f.store.Now().Add(time.Second)))
	if n, err := postgres.NewRestores(f.store).ConfirmKeys(ctx, &f.workspace); err != nil {
		t.Fatalf("confirmed %d, %v", n, err)
	}
	told, err := f.store.Texts(t.Context(), `
		select concat_ws(' ', case when workspace_id is null then 'installation' else 'workspace' end, actor, subject, subject_name, changes -> 0 ->> 'after') from audit order by id`)
	f.must(err)
	if len(told) > 9 { // how far the database went back
		told[8] = told[8][:len("installation 1 installation")]
	}
	want := []string{
		"workspace 5 workspace acme asked", "workspace 5 workspace acme", "workspace 5 account a0", "workspace 5 account a0",
		"installation 5 platform mastodon", "installation 5 platform mastodon", "installation 5 dead letters  1", "installation 5 posts  1", "installation 1 installation",
		"workspace 5 keys  1",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestTheAuditLogGoesByTheMonth(t *testing.T) {
	f := newFixture(t)
	f.exec(`
		create table audit_202001 partition of audit for values from ('2020-01-01Z') to ('2020-02-01Z');
		insert into audit (id, at, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
		select gen_random_uuid(), at, 1, '', '', '', '', '', '', '', '[]' from (values (timestamptz '2020-01-31 23:59:59Z'), (now())) v (at)`)
	if n := f.chore(f.delay.ForgetAudit); n == 0 {
		t.Error("nothing is forgotten")
	}
	if n, left := f.count(`select count(*) from pg_class where relname = 'audit_202001'`), f.count(`select count(*) from audit`); n != 0 || left != 1 {
		t.Errorf("the month is there %d times, and %d rows are left", n, left)
	}
	if n := f.chore(f.delay.ForgetAudit); n != 0 {
		t.Errorf("a month that is kept is forgotten")
	}
}

func TestMailsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.exec(`
		insert into mails (id, kind, about, recipient, since, due_at, sent_at, expires_at)
		select gen_random_uuid(), kind, gen_random_uuid(), name, now(), due_at, sent_at, expires_at from (values
			('sent long ago', 5, null::timestamptz, now() - interval '2 hours', now() + interval '1 day'),
			('sent lately', 5, null, now(), now() + interval '1 day'),
			('a notice', 8, null, now() - interval '2 hours', now() + interval '1 day'),
			('an old notice', 8, null, now() - interval '2 hours', now() - interval '1 second'),
			('late', 2, now(), null, now() - interval '1 second'),
			('waits', 2, now(), null, now() + interval '1 hour')) v (name, kind, due_at, sent_at, expires_at);
		insert into mail_recipients (email, token, mailed_at) values ('old', 'a', now() - interval '401 days'), ('new', 'b', now())`)
	f.chore(f.delay.ForgetMails)
	left, err := f.store.Texts(t.Context(), `select recipient from mails union all select email from mail_recipients order by 1`)
	f.must(err)
	if want := []string{"a notice", "new", "sent lately", "waits"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
