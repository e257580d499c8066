package accounts_test

import (
	"testing"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/postgrestest"
)

// TestAPostThatTheOperatorHoldsInPartIsTheOperators has a member pause one of a post's accounts, the operator another.
func TestAPostThatTheOperatorHoldsInPartIsTheOperators(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	if _, err := f.Gateway.PauseAccount(t.Context(), f.Workspace, f.Accounts[0], ""); err != nil {
		t.Fatal(err)
	}
	f.Must(postgres.NewAdmin(f.Store).Pause(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[1]}))
	for target := range int16(2) {
		f.Claim(p, target)
	}
	if o := f.Overdue(); o.Held != 1 || o.Paused != 0 {
		t.Errorf("overdue = %+v, want one that the operator holds", o)
	}
}

// TestAnAccountPausedTwiceIsResumedTwice has a post wait for its workspace's pause of its account and for the operator's.
func TestAnAccountPausedTwiceIsResumedTwice(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	id := f.Accounts[0]
	operators := schema.Hold{Kind: schema.AccountPaused, Account: id, Reason: "invoice"}
	p := f.Create(f.Post(1, 0))
	waits := func(by, reason string) {
		t.Helper()
		for range 2 { // the first claim finds out that something is paused
			if d := f.Claim(p, 0); len(d) != 0 {
				t.Fatal("a target of a paused account was claimed")
			}
		}
		if h := f.Read(p).Targets[0].Hold; h == nil || h.Kind.String() != "account_paused" || h.Kind.By() != by || h.Reason != reason {
			t.Errorf("the target shows the hold %+v, want one by %s", h, by)
		}
		if n := f.Count(`select count(*) from jobs where held`); n != 1 {
			t.Errorf("%d jobs are parked, want the post's", n)
		}
		if o := f.Overdue(); o.Held != 1 || (o.Paused == 1) != (by == "member") {
			t.Errorf("overdue = %+v, want one that is held by the %s", o, by)
		}
	}

	account, err := f.Gateway.PauseAccount(t.Context(), f.Workspace, id, "silence")
	if err != nil || account.Pause == nil || account.Pause.Reason != "silence" {
		t.Fatalf("the account has the pause %+v, %v", account.Pause, err)
	}
	waits("member", "silence")
	f.Must(admin.Pause(t.Context(), operators))
	waits("operator", "invoice")
	if held, err := admin.Holds(t.Context()); err != nil || len(held) != 2 || held[0].Account != "a0" || held[1].Workspace != "acme" {
		t.Errorf("Holds = %+v, %v", held, err)
	}
	_, err = f.Gateway.ResumeAccount(t.Context(), f.Workspace, id)
	postgrestest.WantKind(t, err, schema.PausedByOperator)
	f.Must(admin.Resume(t.Context(), operators))
	if stays, err := admin.PausedByMember(t.Context(), id); err != nil || !stays {
		t.Errorf("the member's pause stays: %t, %v", stays, err)
	}
	waits("member", "silence")
	told := f.Attempts(p)
	if len(told) != 2 || told[0].Message != "a member has paused the account: silence" || told[1].Message != "the operator has paused the account: invoice" {
		t.Errorf("the timeline says %+v, want either pause once", told)
	}
	postgrestest.WantKind(t, admin.Resume(t.Context(), operators), schema.NotFound)

	if account, err = f.Gateway.ResumeAccount(t.Context(), f.Workspace, id); err != nil || account.Pause != nil {
		t.Fatalf("the account has the pause %+v, %v", account.Pause, err)
	}
	if n := f.RunChore(f.Delay.Resume); n != 1 {
		t.Errorf("resumed %d, want the post", n)
	}
	if in := f.Jobs()[0].DueAt.Sub(f.Store.Now()); in > 0 {
		t.Errorf("the job is due in %v after the pauses, want it at once", in)
	}
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
}

func TestResumesDoNotPileUp(t *testing.T) {
	f := newFixture(t)
	for range 5 {
		_, err := f.Gateway.PauseAccount(t.Context(), f.Workspace, f.Accounts[0], "")
		f.Must(err)
		_, err = f.Gateway.ResumeAccount(t.Context(), f.Workspace, f.Accounts[0])
		f.Must(err)
	}
	if n := f.Count(`select count(*) from resumes`); n != 1 {
		t.Errorf("%d resumes wait, want one for all", n)
	}
}

// TestADisconnectionEndsTheWorkspacesPause has what an account that was disconnected held fail for that, and not wait for
// somebody to resume it.
func TestADisconnectionEndsTheWorkspacesPause(t *testing.T) {
	f := newFixture(t)
	id := f.Accounts[0]
	_, err := f.Gateway.PauseAccount(t.Context(), f.Workspace, id, "")
	f.Must(err)
	p := f.Create(f.Post(1, 0))
	f.Claim(p, 0)
	_, err = f.Gateway.Disconnect(t.Context(), f.Workspace, id)
	f.Must(err)
	if n := f.RunChore(f.Delay.Resume); n != 1 {
		t.Errorf("resumed %d, want the post", n)
	}
	d := f.MustClaim(p, 0)
	d.Until = d.DueAt // it waited for longer than it may be late
	blocked, ok := d.Blocked(f.Store.Now())
	if !ok || blocked.Error.Code != schema.CodeDisconnected || d.TooLate(f.Store.Now()) {
		t.Errorf("the post ends as %+v, want it to say that the account is gone", blocked.Error)
	}
	if n := f.Count(`select count(*) from holds`); n != 0 {
		t.Errorf("%d holds are left, want none for an account that is connected again", n)
	}
	f.Must(f.Publish.Finish(t.Context(), blocked))
	_, err = f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{})
	f.Must(err)
	if told := f.Attempts(p); len(told) != 3 || told[1].Kind != schema.AttemptFailed || told[1].Code != schema.CodeDisconnected {
		t.Errorf("after a retry %+v is told, want why it had failed before", told)
	}
}

// TestAResumeSeesThePauseThatItWaitsFor has the operator pause an account while a member resumes it.
func TestAResumeSeesThePauseThatItWaitsFor(t *testing.T) {
	f := newFixture(t)
	id := f.Accounts[0]
	_, err := f.Gateway.PauseAccount(t.Context(), f.Workspace, id, "")
	f.Must(err)
	tx, err := f.Store.Pool.Begin(t.Context())
	f.Must(err)
	f.Must(tables.Pause(t.Context(), tx, schema.Hold{Kind: schema.AccountPaused, Account: id}))
	resumed := make(chan error, 1)
	go func() {
		_, err := f.Gateway.ResumeAccount(t.Context(), f.Workspace, id)
		resumed <- err
	}()
	postgrestest.AwaitLockWait(t, tx.Conn())
	f.Must(tx.Commit(t.Context()))
	postgrestest.WantKind(t, <-resumed, schema.PausedByOperator)
	if n := f.Count(`select count(*) from holds`); n != 2 {
		t.Errorf("%d pauses stand, want both", n)
	}
}

// TestWhatIsReadGoesOnUnderAMembersPause has comments of an account be read while its workspace has paused it, and not
// while the operator has.
func TestWhatIsReadGoesOnUnderAMembersPause(t *testing.T) {
	f := newFixture(t)
	id, collection := f.Accounts[0], postgres.NewCollection(f.Store, f.Store.Now)
	read := schema.NewID[schema.CollectionID](f.Store.Now())
	_, err := f.Store.Pool.Exec(t.Context(), `insert into collections (id, account_id, workspace_id, what, due_at) values ($1, $2, $3, 3, now())`, read, id, f.Workspace)
	f.Must(err)
	_, err = f.Gateway.PauseAccount(t.Context(), f.Workspace, id, "")
	f.Must(err)
	for _, want := range []int{1, 0} {
		claimed, err := collection.Claim(t.Context(), []schema.CollectionID{read})
		if err != nil || len(claimed) != want {
			t.Fatalf("claimed %+v, %v, want %d", claimed, err, want)
		}
		f.Exec(`update collections set due_at = now(), lease_until = null`)
		f.Must(postgres.NewAdmin(f.Store).Pause(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: id}))
	}
}
