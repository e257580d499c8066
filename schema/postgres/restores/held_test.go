package restores_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/postgrestest"
	"crier/schema/postgres/restores"
)

// restored marks the database as restored, as a process does when it starts.
func (f *fixture) restored(to time.Time) *schema.Restore {
	f.Helper()
	store := restores.New(f.Store.DB)
	f.Must(store.Mark(f.Context(), to))
	r, err := store.Held(f.Context())
	f.Must(err)
	if r == nil {
		f.Fatal("the database was marked before")
	}
	f.Store.NoteRestore(r)
	return r
}

// after waits until ids are behind those that there are: their order is that of milliseconds.
func (f *fixture) after() { time.Sleep(2 * time.Millisecond) }

func (f *fixture) release(r *schema.Restore, of schema.HeldSelection, how schema.Release) operation.Decided {
	f.Helper()
	d, err := postgres.NewAdmin(f.Store).ReleaseRestored(f.Context(), r, of, how, postgrestest.Constraints)
	f.Must(err)
	return d
}

func (f *fixture) groups(r *schema.Restore) []schema.HeldGroup {
	f.Helper()
	groups, err := restores.New(f.Store.DB).Groups(f.Context(), r, schema.HeldSelection{}, func(int) {})
	f.Must(err)
	return groups
}

func TestARestoreHoldsWhatWasOpenAndNothingThatIsNew(t *testing.T) {
	f := newFixture(t)
	overdue, later := f.Create(f.Post(1, 0)), f.Create(f.Post(1, time.Hour))
	r := f.restored(f.Store.Now())
	f.after()
	fresh := f.Create(f.Post(1, 0))
	for _, held := range []schema.Post{overdue, later} {
		if d := f.Claim(held, 0); len(d) != 0 {
			t.Fatal("a post of the backup was claimed")
		}
		if got := f.Read(held); got.Status != schema.Scheduled || got.Targets[0].Hold == nil || got.Targets[0].Hold.Kind.String() != "under_review" {
			t.Errorf("a held post is %v with the hold %+v", got.Status, got.Targets[0].Hold)
		}
	}
	f.Finish(f.MustClaim(fresh, 0), postgrestest.Found("n0"))
	if o := f.Overdue(); o.Held != 2 || o.Oldest != 0 {
		t.Errorf("overdue = %+v, want two that are held", o)
	}
	if n := f.Count(`select count(*) from holds`); n != 1 {
		t.Errorf("%d holds, want the one of the installation", n)
	}

	groups := f.groups(r)
	if len(groups) != 2 || !groups[0].Overdue || groups[0].Posts != 1 || groups[0].Known.Waiting != 1 || groups[0].Known.CannotTell != 0 {
		t.Fatalf("groups = %+v", groups)
	}
	if d := f.release(r, schema.HeldSelection{}, schema.Release{}); d.Posts != 0 || d.Stay[schema.HeldUnchecked] != 2 {
		t.Errorf("released %+v, which nobody has looked for yet", d)
	}
	store := restores.New(f.Store.DB)
	f.Must(store.CannotLook(t.Context(), f.Accounts[0]))
	if groups := f.groups(r); groups[0].Known.Waiting != 0 || groups[0].Known.CannotTell != 1 {
		t.Errorf("groups = %+v, though nobody can look", groups)
	}
	if looks, err := store.Looks(t.Context(), r); err != nil || looks.NotListed != 1 || looks.Done != 0 || looks.Accounts != len(f.Accounts) {
		t.Errorf("looks = %+v, %v", looks, err)
	}
	if d := f.release(r, schema.HeldSelection{}, schema.Release{}); d.Posts != 0 || d.Stay[schema.HeldUncertain] != 2 {
		t.Errorf("released %+v, though nobody can tell", d)
	}
	if d := f.release(r, schema.HeldSelection{Due: schema.DueBeforeRestore}, schema.Release{AcceptDuplicate: true}); d.Posts != 1 {
		t.Errorf("released %+v, want the one that was overdue", d)
	}
	d := f.MustClaim(overdue, 0)
	if d.DueAt.Before(r.MarkedAt) {
		t.Errorf("what is released is due at %v, before it was", d.DueAt)
	}
	f.Finish(d, postgrestest.Found("n1"))
	if d := f.Claim(later, 0); len(d) != 0 {
		t.Error("what was not released was claimed")
	}
	if cancelled, err := postgres.NewAdmin(f.Store).CancelRestored(t.Context(), r, schema.HeldSelection{Workspaces: []schema.WorkspaceID{f.Workspace}}); err != nil || cancelled != 1 {
		t.Fatalf("cancelled %d, %v", cancelled, err)
	}
	if got := f.Status(later); got != schema.Cancelled {
		t.Errorf("the post is %v", got)
	}
	if ended, err := restores.New(f.Store.DB).End(t.Context()); err != nil || !ended {
		t.Fatalf("End = %t, %v", ended, err)
	}
	if n := f.Count(`select count(*) from holds`) + f.Count(`select count(*) from restore_releases`); n != 0 {
		t.Errorf("%d rows are left of the restore", n)
	}
}

func TestARestoreIsMarkedOnceForAMoment(t *testing.T) {
	f := newFixture(t)
	to := f.Store.Now().Add(-time.Hour)
	p := f.Create(f.Post(1, 0))
	r := f.restored(to)
	f.release(r, schema.HeldSelection{}, schema.Release{AcceptDuplicate: true})
	if ended, err := restores.New(f.Store.DB).End(t.Context()); err != nil || !ended {
		t.Fatalf("End = %t, %v", ended, err)
	}
	f.Must(restores.New(f.Store.DB).Mark(t.Context(), to))
	if again, err := restores.New(f.Store.DB).Held(t.Context()); err != nil || again != nil {
		t.Errorf("a second start with the same moment marks %+v, %v", again, err)
	}
	f.MustClaim(p, 0)

	// A backup of a restored database that is restored in turn: what was released is held again.
	f.after()
	again := f.Create(f.Post(1, time.Hour))
	first := f.restored(to.Add(time.Minute))
	f.release(first, schema.HeldSelection{}, schema.Release{AcceptDuplicate: true})
	second := f.restored(to.Add(2 * time.Minute))
	if groups := f.groups(second); len(groups) == 0 || !slices.ContainsFunc(groups, func(g schema.HeldGroup) bool { return !g.Overdue }) {
		t.Errorf("after a second restore %+v is held; want %v among it", groups, again.ID)
	}
}

func TestFirstCommentsAndRepliesAreHeldByARestore(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	texts := f.Texts(`select id::text from comments`)
	reply := schema.NewID[schema.CommentID](f.Store.Now())
	_, err := f.Gateway.CreateReply(t.Context(), schema.ReplyCreation{Workspace: f.Workspace, Reply: reply, Item: f.ReceiveItem("to answer", schema.InboxComment), Text: "thanks"})
	f.Must(err)
	r := f.restored(f.Store.Now())
	id := schema.CommentID(uuid.MustParse(texts[0]))
	if d, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(d) != 0 {
		t.Fatalf("claimed %d, %v", len(d), err)
	}
	if groups := f.groups(r); len(groups) != 1 || groups[0].Posts != 1 {
		t.Fatalf("groups = %+v, want the post whose comment is open", groups)
	}
	f.release(r, schema.HeldSelection{}, schema.Release{AcceptDuplicate: true})
	if d, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(d) != 1 {
		t.Errorf("claimed %d after the release, %v", len(d), err)
	}
	if ended, err := restores.New(f.Store.DB).End(t.Context()); err != nil || !ended {
		t.Fatalf("End = %t, %v", ended, err)
	}
	if d, err := f.Comment.Claim(t.Context(), []schema.CommentID{reply}); err != nil || len(d) != 0 {
		t.Errorf("claimed %d replies of the backup, %v", len(d), err)
	}
}

// What is known of a post decides whether a group's release takes it along.
func TestAReleaseKeepsWhatIsKnown(t *testing.T) {
	f := newFixture(t)
	posts := map[schema.EventType]schema.Post{}
	types := []schema.EventType{schema.PostCancelled, schema.PostUpdated, schema.TargetWasPosted, schema.TargetHasFailed, "nothing"}
	var events []schema.Event
	for _, event := range types {
		f.after()
		posts[event] = f.Create(f.Post(1, time.Hour))
	}
	r := f.restored(f.Store.Now().Add(-time.Minute))
	for _, event := range types[:4] {
		events = append(events, schema.Event{Type: event, Post: posts[event].ID, Account: f.Accounts[0], At: r.To.Add(time.Second)})
	}
	store := restores.New(f.Store.DB)
	for range 2 { // the second is a repetition
		f.Must(store.AddEvents(t.Context(), r, events))
	}
	f.Must(store.EventsRead(t.Context(), r, r.To.Add(2*time.Second)))
	r, err := store.Held(t.Context())
	f.Must(err)

	known := f.groups(r)[0].Known
	if known != (schema.Evidence{Cancelled: 1, Edited: 1, Published: 1, Failed: 1}) {
		t.Errorf("known = %+v", known)
	}
	d := f.release(r, schema.HeldSelection{}, schema.Release{AcceptDuplicate: true})
	if d.Posts != 2 || d.Stay[schema.HeldCancelled] != 1 || d.Stay[schema.HeldEdited] != 1 || d.Stay[schema.HeldPublished] != 1 {
		t.Errorf("released %+v, want what failed and what nothing is known of", d)
	}
	edited := schema.HeldSelection{Posts: []schema.PostID{posts[schema.PostUpdated].ID}}
	if d := f.release(r, edited, schema.Release{Named: true}); d.Posts != 1 {
		t.Errorf("released %+v, though the post was named", d)
	}
	published := schema.HeldSelection{Posts: []schema.PostID{posts[schema.TargetWasPosted].ID}}
	if d := f.release(r, published, schema.Release{Named: true}); d.Posts != 0 {
		t.Errorf("released %+v, which is out", d)
	}
	// A look has found it: it is looked for before anything is published.
	f.Must(store.AddFindings(t.Context(), []schema.Finding{{Post: posts[schema.TargetWasPosted].ID, Kind: schema.FoundOnPlatform, At: f.Store.Now(), NativeID: "n"}}))
	if d := f.release(r, published, schema.Release{}); d.Posts != 1 {
		t.Errorf("released %+v, want what is on its platform", d)
	}
	f.Exec(`update posts set scheduled_for = now()`)
	f.Exec(`update jobs set due_at = now()`)
	if d := f.MustClaim(posts[schema.TargetWasPosted], 0); d.Step != schema.StepFind || !d.Since.Equal(r.To) {
		t.Errorf("the step is %v since %v, want a look since the backup", d.Step, d.Since)
	}
}

func TestOverdueJobsThatARestoreHoldsAreParkedAtOnce(t *testing.T) {
	f := newFixture(t)
	held := f.Create(f.Post(1, 0))
	f.restored(f.Store.Now())
	f.after()
	fresh := f.Create(f.Post(1, 0))
	jobs, err := f.Delay.Unheld(t.Context(), f.Jobs())
	f.Must(err)
	if len(jobs) != 1 || jobs[0].ID != schema.JobID(fresh.ID) {
		t.Errorf("unheld = %+v, want the job of %v", jobs, fresh.ID)
	}
	if n := f.Count(`select count(*) from jobs where held and id = '` + postgrestest.UUIDText(held.ID) + `'`); n != 1 {
		t.Error("the job of what is held is not parked")
	}

	const ended, again = `update restores set ended_at = now()`, `update restores set ended_at = null`
	for _, sql := range []string{ended, again} { // once it has ended nobody asks any more
		f.Exec(sql)
		if jobs, err := f.Delay.Unheld(t.Context(), f.Jobs()); err != nil || len(jobs) != 2 {
			t.Errorf("%d of two jobs are unheld after %q, %v", len(jobs), sql, err)
		}
	}
}

// A post that is retried is due later than others that are scheduled after it: a look that has come to it
// has not come to them.
func TestALookComesToPostsAsTheyAreScheduled(t *testing.T) {
	f := newFixture(t)
	retried, other := f.Create(f.Post(1, 0)), f.Create(f.Post(1, time.Minute))
	f.Exec(postgrestest.ForPost(retried, `update posts set retried_for = now() + interval '1 hour' where id = '$'`))
	r := f.restored(f.Store.Now())
	store := restores.New(f.Store.DB)
	f.Must(store.Looked(t.Context(), f.Accounts[0], other.ScheduledFor, ""))
	for id, cannotTell := range map[schema.PostID]int{retried.ID: 0, other.ID: 1} {
		known, err := store.Posts(t.Context(), r, schema.HeldSelection{Posts: []schema.PostID{id}}, schema.PostID{}, 1)
		if err != nil || len(known) != 1 || known[0].CannotTell != cannotTell {
			t.Errorf("%d posts are %v, %v; want %d of which nobody can tell", len(known), id, err, cannotTell)
		}
	}
}

func TestHeldPostsAndWhereTheirPageEndsAreOfOneMoment(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, 0))
	last := f.Create(f.Post(1, time.Minute))
	r := f.restored(f.Store.Now())
	read := func() ([]schema.HeldDelivery, schema.HeldPlace, error) {
		deliveries, next, _, err := f.Publish.HeldDeliveries(t.Context(), r, f.Workspace, f.Accounts, schema.HeldPlace{})
		return deliveries, next, err
	}
	_, _, err := read() // its statements are known to the server from now on
	f.Must(err)
	conn, err := pgx.Connect(t.Context(), f.URL)
	f.Must(err)
	defer conn.Close(t.Context())
	exec := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		f.Must(err)
	}
	exec(`begin`)
	exec(`lock table targets`)
	ended := make(chan struct{})
	var deliveries []schema.HeldDelivery
	var next schema.HeldPlace
	go func() {
		defer close(ended)
		deliveries, next, err = read()
	}()
	postgrestest.AwaitLockWait(t, conn)
	exec(postgrestest.ForPost(last, `update posts set scheduled_for = now() + interval '1 hour' where id = '$'`))
	exec(`commit`)
	<-ended
	f.Must(err)
	if len(deliveries) != 2 || !deliveries[1].ScheduledFor.Equal(next.ScheduledFor) {
		t.Errorf("the page of %d held posts ends at %v, which is not where the last is", len(deliveries), next.ScheduledFor)
	}
}

func TestKeysOfTheBackupWaitToBeConfirmed(t *testing.T) {
	f := newFixture(t)
	hash := f.addKey("before")
	f.restored(f.Store.Now())
	f.after()
	fresh := f.addKey("after")
	if k, err := f.Gateway.Authenticate(t.Context(), hash); err != nil || !k.Unconfirmed {
		t.Errorf("a key of the backup: %+v, %v", k, err)
	}
	if k, err := f.Gateway.Authenticate(t.Context(), fresh); err != nil || k.Unconfirmed {
		t.Errorf("a key made since: %+v, %v", k, err)
	}
	store := restores.New(f.Store.DB)
	other := schema.NewID[schema.WorkspaceID](f.Store.Now())
	if n, err := store.ConfirmKeys(t.Context(), &other); err != nil || n != 0 {
		t.Errorf("confirmed %d of another workspace, %v", n, err)
	}
	if n, err := store.ConfirmKeys(t.Context(), &f.Workspace); err != nil || n != 1 {
		t.Errorf("confirmed %d, %v", n, err)
	}
	if k, err := f.Gateway.Authenticate(t.Context(), hash); err != nil || k.Unconfirmed {
		t.Errorf("a key that was confirmed: %+v, %v", k, err)
	}
}

func (f *fixture) addKey(name string) [32]byte {
	f.Helper()
	now := f.Store.Now()
	id, hash := schema.NewID[schema.KeyID](now), schema.HashAPIKey(name)
	f.Must(postgres.NewAdmin(f.Store).CreateKey(f.Context(), schema.KeyRecord{
		ID: id, Lineage: id, Workspace: f.Workspace, Name: name, Prefix: name, Permission: schema.Admin, CreatedAt: now,
	}, hash))
	return hash
}

// A log that is ahead of the database has a batch that the database neither has nor ever placed.
func TestBatchesThatTheDatabaseNeverHad(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, time.Hour))
	store := restores.New(f.Store.DB)
	waiting := f.Events()
	ids := []schema.BatchID{waiting[0].ID}
	unknown := func() time.Time {
		at, err := store.Unknown(t.Context(), ids)
		f.Must(err)
		return at
	}
	if at := unknown(); !at.IsZero() {
		t.Errorf("a batch that waits in the outbox is unknown since %v", at)
	}
	f.Exec(`delete from outbox`) // as of a database that went back
	if unknown().IsZero() {
		t.Error("a batch that the database never had is known")
	}
	f.restored(f.Store.Now().Add(-time.Hour))
	if !unknown().IsZero() {
		t.Error("what was before the restore is unknown")
	}
}

// A restore onto very many open posts is marked by a few rows; reading what it holds takes no memory of its
// own, and no statement is long. CRIER_TEST_FULL does it with ten million.
func TestARestoreOntoManyPostsIsMarkedAtOnce(t *testing.T) {
	const chunk = 10_000
	many := chunk
	if postgrestest.FullSize() {
		many = 10_000_000
	}
	f := newFixture(t)
	for created := 0; created < many; created += chunk {
		f.Exec(fmt.Sprintf(`
			with p as (
				insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
				select uuidv7(), '%s', 2, now() + (i - %d) * interval '1 second', 'UTC', true, 2, '{"entries":[{"text":"a text of some length, as posts have it"}]}', 1, now(), now()
				from generate_series(1, %d) i returning id, scheduled_for
			), t as (
				insert into targets (post_id, n, version, account_id, platform, step) select id, 0, 1, '%s', 1, 1 from p
			)
			insert into jobs (id, kind, shard, due_at, version, payload)
			select id, 1, get_byte(uuid_send(id), 15), scheduled_for, 1, '{}' from p`,
			postgrestest.UUIDText(schema.PostID(f.Workspace)), chunk/2, chunk, postgrestest.AccountUUIDText(f.Accounts[0])))
	}
	f.Exec(`analyze posts, targets, jobs`)
	r := f.NewReader()
	store := restores.New(r.Store.DB)
	began := time.Now()
	r.WantReads(20, func() { f.Must(store.Mark(t.Context(), f.Store.Now())) })
	t.Logf("%d open posts are held after %v", many, time.Since(began))
	restore, err := store.Held(t.Context())
	f.Must(err)

	before, began := heap(), time.Now()
	groups, err := store.Groups(t.Context(), restore, schema.HeldSelection{}, func(int) {})
	f.Must(err)
	posts := 0
	for _, g := range groups {
		posts += g.Posts
	}
	t.Logf("they are counted, with what is known, after %v; the heap has %d KiB more", time.Since(began), (heap()-before)>>10)
	if posts != many || len(groups) != 2 {
		t.Errorf("%d posts in %d groups, want %d in 2", posts, len(groups), many)
	}
	if grown := heap() - before; postgrestest.FullSize() && grown > 16<<20 { // with few posts it says what the tests beside this one hold
		t.Errorf("the heap has grown by %d bytes", grown)
	}

	r.Store.NoteRestore(restore)
	began = time.Now()
	jobs := r.Backlog(0)
	rest, err := r.Delay.Unheld(t.Context(), slices.Clone(jobs))
	f.Must(err)
	t.Logf("%d of their overdue jobs are parked after %v", len(jobs)-len(rest), time.Since(began))
	if len(jobs) == 0 || len(rest) != 0 {
		t.Errorf("%d of %d overdue jobs are left", len(rest), len(jobs))
	}
	first := f.Count(`select (extract(epoch from max(scheduled_for)) * 1e6)::int8 from (
		select scheduled_for from posts where workspace_id = '` + postgrestest.UUIDText(schema.PostID(f.Workspace)) + `' order by scheduled_for limit 400) p`)
	began = time.Now()
	d, err := postgres.NewAdmin(r.Store).CancelRestored(t.Context(), restore, schema.HeldSelection{To: time.UnixMicro(int64(first))})
	f.Must(err)
	t.Logf("%d posts that are selected by their time are cancelled after %v", d, time.Since(began))
	if d != 399 {
		t.Error("399 are before the time of the 400th")
	}
}

// heap is how many bytes of the heap are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A thread was being prepared when the backup was made, and is out since: nothing of it is called for before
// it was looked for, and neither is its first comment.
func TestAReleaseLooksForAllThatMayBeOut(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.Entries = append(p.Content.Entries, schema.Entry{Text: "and on"})
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.MustClaim(p, 0)
	f.Exec(postgrestest.ForPost(p, `update targets set step = 0, progress = '{"media":[]}' where post_id = '$'`))
	r := f.restored(f.Store.Now())
	f.Must(restores.New(f.Store.DB).AddFindings(t.Context(), []schema.Finding{{Post: p.ID, Kind: schema.FoundOnPlatform, At: f.Store.Now(), NativeID: "n0"}}))
	if d := f.release(r, schema.HeldSelection{}, schema.Release{}); d.Posts != 1 {
		t.Fatalf("released %+v", d)
	}
	f.Exec(`update jobs set due_at = now()`)
	for entry := range 2 {
		d := f.MustClaim(p, 0)
		if d.Step != schema.StepFind || !d.Restored || d.Entry != entry || d.Progress != nil || d.Since.After(r.To) {
			t.Errorf("the step of entry %d is %v of entry %d since %v, restored %t; want a look since %v", entry, d.Step, d.Entry, d.Since, d.Restored, r.To)
		}
		f.Finish(d, schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: fmt.Sprint("n", entry)}})
	}
	if got := f.Status(p); got != schema.Posted {
		t.Errorf("the post is %v", got)
	}
	f.looksFirst(r, "a first comment of what was found")
}

// A first comment that was open when the backup was made may be out.
func TestAReleaseLooksForFirstComments(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	r := f.restored(f.Store.Now())
	if d := f.release(r, schema.HeldSelection{}, schema.Release{}); d.Posts != 1 {
		t.Fatalf("released %+v", d)
	}
	f.looksFirst(r, "a first comment of the backup")
}

// looksFirst claims the only comment, which has to be looked for.
func (f *fixture) looksFirst(r *schema.Restore, what string) {
	f.Helper()
	texts := f.Texts(`select id::text from comments`)
	if len(texts) != 1 {
		f.Fatalf("%d comments", len(texts))
	}
	d, err := f.Comment.Claim(f.Context(), []schema.CommentID{schema.CommentID(uuid.MustParse(texts[0]))})
	if err != nil || len(d) != 1 || d[0].Step != schema.StepFind || !d[0].Restored || d[0].Since.After(r.To) {
		f.Errorf("%s is claimed as %+v, %v; want a look since %v", what, d, err, r.To)
	}
}
