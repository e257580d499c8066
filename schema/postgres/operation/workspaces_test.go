package operation_test

import (
	"slices"
	"testing"

	"crier/schema"
	"crier/schema/postgres"
)

func TestWorkspacesAreListedByName(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	for _, name := range []string{"zoo", "bakery", "gone"} {
		_, err := admin.MakeWorkspace(t.Context(), name, "free", name == "zoo") // with its sandbox
		f.Must(err)
	}
	f.Exec(`update workspaces set deleting_at = now() where name = 'gone'`)
	for after, want := range map[string][]string{"": {"acme", "bakery"}, "acme": {"bakery", "zoo"}, "zoo": nil} {
		all, err := admin.Workspaces(t.Context(), after, 2)
		f.Must(err)
		var names []string
		for _, w := range all {
			names = append(names, w.Name)
			if w.ID.IsZero() || w.Sandbox || w.Plan != map[bool]string{true: "operator", false: "free"}[w.Name == "acme"] {
				t.Errorf("listed is %+v", w)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("after %q are %v, want %v", after, names, want)
		}
	}
}

// A workspace is meant with its sandbox, or either alone.
func TestAWorkspaceIsMeantByNameOrID(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	live, err := admin.MakeWorkspace(t.Context(), "named", schema.FreePlan, false)
	f.Must(err)
	sandbox, err := admin.MakeWorkspace(t.Context(), "named", schema.FreePlan, true)
	f.Must(err)
	for text, want := range map[string][]schema.WorkspaceID{
		"named": {live.ID, sandbox.ID}, "named (sandbox)": {sandbox.ID}, live.ID.String(): {live.ID}, sandbox.ID.String(): {sandbox.ID},
	} {
		if got, err := admin.WorkspacesOf(t.Context(), text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q means %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := admin.WorkspacesOf(t.Context(), "another"); schema.KindOf(err) != schema.NotFound {
		t.Errorf("a workspace that is not there is %v, %v", got, err)
	}
}
