package clickhouse_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier/schema"
)

func TestErasingTakesWhatIsNamedAndNothingElse(t *testing.T) {
	store := open(t)
	gone, twin, stays := newWorkspace(), newWorkspace(), newWorkspace()
	post := stays.fact(noon)
	post.Type, post.Account = schema.PostPublished, schema.AccountID{}
	own, other := stays.fact(noon), stays.fact(noon.AddDate(0, -1, 0))
	post.Data = json.RawMessage(`{"post":{"platforms":[{"accountId":"` + own.Account.String() + `"}]}}`)
	insert(t, store, gone.fact(noon), gone.fact(noon.AddDate(0, -1, 0)), twin.fact(noon), post, own, other)

	for name, tt := range map[string]schema.Erasure{
		"workspaces": {Workspaces: []schema.WorkspaceID{schema.WorkspaceID(gone), schema.WorkspaceID(twin)}},
		"an account": {Workspaces: []schema.WorkspaceID{schema.WorkspaceID(stays)}, Account: own.Account},
	} {
		if n, err := store.Eraser().Erase(t.Context(), tt); err != nil || n == 0 {
			t.Fatalf("%s: erased %d, %v", name, n, err)
		}
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if n, err := store.Eraser().Erase(t.Context(), tt); err != nil || time.Since(began) > patience {
				t.Fatalf("%s: %d events are left: %v", name, n, err)
			} else if n == 0 {
				break
			}
		}
	}
	if n := len(gone.events(t, store)) + len(twin.events(t, store)); n != 0 {
		t.Errorf("%d events of the workspaces are left", n)
	}
	if left := stays.events(t, store); len(left) != 1 || left[0].ID != other.ID {
		t.Errorf("left = %+v, want the other account's alone", left)
	}
}
