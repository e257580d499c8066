package deletion_test

import (
	"context"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/deletion"
	"crier/schema/postgres/postgrestest"
)

// TestNothingIsLeftOfACallInHand has a call end after its account was erased, and before the deletion is answered.
func TestNothingIsLeftOfACallInHand(t *testing.T) {
	f := newFixture(t)
	account, workspace := f.Accounts[0], schema.AccountID{}
	for _, deleted := range []schema.AccountID{account, workspace} {
		post := f.Create(f.Post(1, 0))
		call := f.MustClaim(post, 0)
		deletions := deletion.New(f.Store.DB, 0)
		d, _ := f.requestDeletion(deletions, deleted)
		soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := deletions.Stop(soon, d.ID, schema.HashAPIKey("confirmed"))
		cancel()
		postgrestest.WantKind(t, err, schema.Unavailable)
		f.Finish(call, postgrestest.Found("late"))
		if n := f.Count(`select count(*) from receipts where native_id = 'late'`); n != 1 {
			t.Fatalf("%d receipts of the call", n)
		}
		_, err = deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed"))
		f.Must(err)
		f.erasing(deletions, d.ID, forgotten)
		if n := f.Count(`select count(*) from receipts where native_id = 'late'`); n != 0 {
			t.Errorf("the receipt is left, of the account %v", deleted)
		}
		f.Accounts = f.Accounts[1:]
	}
}
