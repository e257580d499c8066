package operation_test

import (
	"slices"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/postgres/restores"
)

// TestCommandsAreInTheAuditLog runs what the operator's commands do.
func TestCommandsAreInTheAuditLog(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	ctx := people.WithAudited(t.Context(), people.Audited{Action: "x", Actor: people.Actor{Kind: people.ByCommand, Name: "root"}})
	for _, h := range []schema.Hold{
		{Kind: schema.WorkspacePaused, Workspace: f.Workspace, Reason: "asked"}, {Kind: schema.AccountPaused, Account: f.Accounts[0]}, {Kind: schema.PlatformPaused, Platform: schema.Mastodon},
	} {
		f.Must(admin.Pause(ctx, h))
		f.Must(admin.Resume(ctx, h))
	}
	f.Exec(`
		insert into dead_letters (id, stage, subject, n, unreadable, topic, partition, value, reason, tries, failed_at, dead_at)
		values (gen_random_uuid(), 'publish', gen_random_uuid(), 0, true, 'publish', 0, '{', '', 5, now(), now())`)
	if n, err := admin.ReplayAll(ctx, func(int) {}); n != 1 || err != nil {
		t.Fatalf("replayed %d, %v", n, err)
	}
	reviewed := f.Create(f.Post(1, 0))
	f.Exec(postgrestest.ForPost(reviewed, `insert into holds (subject, kind, reason) values ('$', 4, '')`))
	if n, err := admin.CancelReviewed(ctx, nil); n != 1 || err != nil {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	f.Exec(`insert into api_keys (id, lineage, workspace_id, name, prefix, hash, permission) select gen_random_uuid(), gen_random_uuid(), id, 'k', '', '', 1 from workspaces where live_id is null`)
	f.Must(restores.New(f.Store.DB).Mark(t.Context(), f.Store.Now().Add(time.Second)))
	if n, err := restores.New(f.Store.DB).ConfirmKeys(ctx, &f.Workspace); err != nil {
		t.Fatalf("confirmed %d, %v", n, err)
	}
	entries := f.Texts(`
		select concat_ws(' ', case when workspace_id is null then 'installation' else 'workspace' end, actor, subject, subject_name, changes -> 0 ->> 'after') from audit order by id`)
	if len(entries) > 9 { // how far the database went back
		entries[8] = entries[8][:len("installation 1 installation")]
	}
	want := []string{
		"workspace 5 workspace acme asked", "workspace 5 workspace acme", "workspace 5 account a0", "workspace 5 account a0",
		"installation 5 platform mastodon", "installation 5 platform mastodon", "installation 5 dead letters  1", "installation 5 posts  1", "installation 1 installation",
		"workspace 5 keys  1",
	}
	if !slices.Equal(entries, want) {
		t.Errorf("told %q, want %q", entries, want)
	}
}
