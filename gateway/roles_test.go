package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier/gateway/admission"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/documenttest"
	"crier/schema/people"
)

// TestRolesReachTheirRoutesAlone makes a request of every route as somebody of every role, and one without
// any: it is refused as docs/people.md says, or not for its role.
func TestRolesReachTheirRoutesAlone(t *testing.T) {
	a := gatewaytest.New(t)
	callers := map[people.Role]*gatewaytest.Session{people.Anyone: nil}
	for _, role := range people.Roles() {
		callers[role] = a.SignInMember(a.Workspace, role, role.String())
	}
	a.AddUser("anyone", people.Membership{})
	callers[people.Anyone] = a.SignIn("anyone")
	for _, r := range a.Gateway.Routes() {
		t.Run(r.Method+r.Path, func(t *testing.T) {
			a.Under(t)
			for role, caller := range callers {
				if r.Method == http.MethodDelete && r.Path == "/session" {
					caller = a.SignIn(role.String()) // which ends it
				}
				got := caller.Do(r.Method, exampleOf(r.Path), bodyFor(r.Method))
				if refused := got.Status == http.StatusForbidden; refused != !mayReach(r.Rights(), role) {
					t.Errorf("as %v: %d %s", role, got.Status, got.Body)
				}
			}
		})
	}
}

// mayReach is what the table of docs/people.md says.
func mayReach(needed admission.Rights, role people.Role) bool {
	return needed.Public || !needed.Operator && role >= needed.Role
}

// exampleOf is a path of a route whose parameters name nothing.
func exampleOf(route string) string {
	segments := strings.Split(route, "/")
	for i, s := range segments {
		if s == ":platform" {
			segments[i] = "mastodon"
		} else if strings.HasPrefix(s, ":") {
			segments[i] = "x"
		}
	}
	return strings.Join(segments, "/")
}

func bodyFor(method string) any {
	if method == http.MethodGet || method == http.MethodHead {
		return nil
	}
	return `{}`
}

// TestRightsAreAsDocumented holds the table of docs/people.md against the routes. -update writes it.
func TestRightsAreAsDocumented(t *testing.T) {
	a := gatewaytest.New(t)
	documenttest.Hold(t, "../docs/people.md", documenttest.Part{
		Begin: "<!-- the table of rights is made by TestRightsAreAsDocumented -->\n", End: "<!-- end of the table -->\n", Text: rightsTable(a.Gateway.Routes()),
	})
}

// rightsTable has a row of each route and a column of each permission and each role.
func rightsTable(routes []admission.Route) string {
	var text strings.Builder
	text.WriteString("\n| route | read | write | admin | viewer | author | editor | admin | owner |\n|---|---|---|---|---|---|---|---|---|\n")
	routes = slices.Clone(routes)
	slices.SortStableFunc(routes, func(a, b admission.Route) int { return strings.Compare(a.Path, b.Path) })
	for _, r := range routes {
		needed := r.Rights()
		fmt.Fprintf(&text, "| `%s %s` |", r.Method, r.Path)
		if needed.Public {
			text.WriteString(" anybody | | | | | | | |\n")
			continue
		}
		for _, p := range []schema.Permission{schema.Read, schema.Write, schema.Admin} {
			text.WriteString(cell(needed.Permission > 0 && p >= needed.Permission))
		}
		for _, role := range people.Roles() {
			text.WriteString(cell(mayReach(needed, role)))
		}
		text.WriteString("\n")
	}
	text.WriteString("\n")
	return text.String()
}

func cell(may bool) string {
	if may {
		return " ✓ |"
	}
	return " |"
}
