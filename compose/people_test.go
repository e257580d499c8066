package compose_test

import (
	"strings"
	"testing"

	"crier/compose"
	"crier/schema/people"
)

func TestUsersOfTheOperator(t *testing.T) {
	t.Parallel()
	c := startConfig(t)
	ctx := t.Context()
	first, err := compose.AddUser(ctx, c, compose.NewUser{Email: "Ada@example.com", Name: "Ada", Workspace: "acme", Role: people.Admin, Operator: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compose.AddUser(ctx, c, compose.NewUser{Email: "ada@example.com", Workspace: "second", Role: people.Viewer}); err != nil {
		t.Fatal(err)
	}
	if token, err := compose.FirstLink(ctx, c); token != "" || err != nil {
		t.Errorf("there is a link for the first owner, %v", err)
	}
	if token, err := compose.LinkUser(ctx, c, "ADA@example.com"); len(token) != len(first) || token == first || err != nil {
		t.Errorf("link = %q, %v", token, err)
	}
	all, err := compose.Users(ctx, c, "", 10)
	if err != nil || len(all) != 1 || all[0].Email != "ada@example.com" || all[0].Name != "Ada" || !all[0].IsOperator || len(all[0].Memberships) != 2 ||
		all[0].Memberships[0].Role != people.Admin || all[0].Memberships[1].Name != "second" {
		t.Errorf("users = %+v, %v", all, err)
	}
	if _, err := compose.AddUser(ctx, c, compose.NewUser{Email: "Ada <ada@example.com>"}); err == nil {
		t.Error("an address with a name in it was taken")
	}
	if err := compose.RemoveUser(ctx, c, "Ada@example.com", false); err == nil || !strings.Contains(err.Error(), "the only operator") {
		t.Errorf("removing the only operator: %v", err)
	}
	for _, role := range []people.Role{people.Owner, people.Viewer} {
		_, err := compose.AddUser(ctx, c, compose.NewUser{Email: "ada@example.com", Workspace: "second", Role: role})
		if role == people.Owner && err != nil || role != people.Owner && (err == nil || !strings.Contains(err.Error(), "the last owner of second")) {
			t.Errorf("made %s: %v", role, err)
		}
	}
	if err := compose.RemoveUser(ctx, c, "ada@example.com", false); err == nil || !strings.Contains(err.Error(), "the last owner of second") {
		t.Errorf("removing the last owner: %v", err)
	}
	if _, err := compose.AddUser(ctx, c, compose.NewUser{Email: "ada@example.com", Workspace: "second", Role: people.Viewer, Force: true}); err != nil {
		t.Error(err)
	}
	if err := compose.RemoveUser(ctx, c, "ada@example.com", true); err != nil {
		t.Fatal(err)
	}
	if err := compose.RemoveUser(ctx, c, "ada@example.com", false); err == nil || !strings.Contains(err.Error(), "user not found") {
		t.Errorf("removing nobody: %v", err)
	}
	if token, err := compose.FirstLink(ctx, c); token == "" || err != nil {
		t.Errorf("link for the first owner = %q, %v", token, err)
	}
}
