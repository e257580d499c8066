package accounts_test

import (
	"fmt"
	"sync"
	"testing"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

func TestAPlanBoundsAccounts(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	live, err := admin.MakeWorkspace(t.Context(), "small", "free", false)
	f.Must(err)
	twin, err := admin.MakeWorkspace(t.Context(), "small", "free", true)
	f.Must(err)
	put := func(workspace schema.WorkspaceID, name string) error {
		a := schema.Account{Workspace: workspace, Platform: schema.Mastodon, NativeID: name, Name: name, Sealed: []byte("x")}
		var err error
		a.ID, err = admin.AccountID(t.Context(), a)
		f.Must(err)
		return admin.PutAccount(t.Context(), a)
	}
	var mu sync.Mutex
	connected := 0
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			err := put(live.ID, fmt.Sprint(i))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				connected++
				return
			}
			postgrestest.WantKind(t, err, schema.PlanLimitReached)
		})
	}
	callers.Wait()
	if connected != 2 {
		t.Errorf("%d accounts were connected, want 2", connected)
	}
	for i := range 4 {
		f.Must(put(twin.ID, fmt.Sprint(i)))
	}
	usage, err := f.Gateway.Usage(t.Context(), twin.ID)
	if err != nil || usage.Plan.Name != "free" || usage.Plan.PostsPerMonth != 4 || usage.Plan.Accounts != 0 || usage.Accounts != 4 {
		t.Errorf("usage of the twin = %+v, %v", usage, err)
	}
	before, err := admin.GivePlan(t.Context(), "small", "team")
	if f.Must(err); before != "free" {
		t.Errorf("it was on the plan %q", before)
	}
	f.Must(put(live.ID, "another"))
	_, err = admin.GivePlan(t.Context(), "none", "team")
	postgrestest.WantKind(t, err, schema.NotFound)
}
