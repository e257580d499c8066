package postgres_test

import (
	"context"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// TestNothingIsLeftOfACallInHand has a call end after its account was erased, and before the deletion is answered.
func TestNothingIsLeftOfACallInHand(t *testing.T) {
	f := newFixture(t)
	account, workspace := f.accounts[0], schema.AccountID{}
	for _, deleted := range []schema.AccountID{account, workspace} {
		post := f.create(f.post(1, 0))
		call := f.claimOne(post, 0)
		deletions := postgres.NewDeletions(f.store, 0)
		d, _ := f.asked(deletions, deleted)
		soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := deletions.Stop(soon, d.ID, schema.HashAPIKey("confirmed"))
		cancel()
		wantKind(t, err, schema.Unavailable)
		f.finish(call, found("late"))
		if n := f.count(`select count(*) from receipts where native_id = 'late'`); n != 1 {
			t.Fatalf("%d receipts of the call", n)
		}
		_, err = deletions.Stop(t.Context(), d.ID, schema.HashAPIKey("confirmed"))
		f.must(err)
		f.erasing(deletions, d.ID, forgotten)
		if n := f.count(`select count(*) from receipts where native_id = 'late'`); n != 0 {
			t.Errorf("the receipt is left, of the account %v", deleted)
		}
		f.accounts = f.accounts[1:]
	}
}
