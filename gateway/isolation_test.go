package gateway_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

// tenants is what ClickHouse would have of workspaces.
type tenants map[schema.WorkspaceID]schema.EventPage

func (t tenants) Events(_ context.Context, workspace schema.WorkspaceID, _ schema.EventQuery) (schema.EventPage, error) {
	return t[workspace], nil
}

// trespass is one household that reaches for what is another's.
type trespass struct {
	*gatewaytest.API
	caller, owner, nobody *household
	routes                []gin.RouteInfo
	session               *gatewaytest.Session // of an owner of the caller's, who asks in place of its key; nil: the key asks
}

// TestNobodyReachesAnothersThings tries every route the gateway has with ids of another
// workspace, wherever an id can stand: the answer is the one for ids that exist nowhere,
// and the database is as before.
func TestNobodyReachesAnothersThings(t *testing.T) {
	for name, tt := range map[string]struct{ callerIsSandbox, ownerIsSandbox, sameName, bySession bool }{
		"another workspace":       {},
		"a member's session":      {bySession: true},
		"a test key of the owner": {callerIsSandbox: true, sameName: true},
		"a live key on a sandbox": {ownerIsSandbox: true, sameName: true},
	} {
		t.Run(name, func(t *testing.T) {
			callerName := "caller"
			if tt.sameName {
				callerName = "owner"
			}
			x := newTrespass(t, callerName, tt.callerIsSandbox, tt.ownerIsSandbox)
			if tt.bySession {
				x.Freeze()
				x.session = x.SignInMember(x.caller.workspace, people.Owner, "ada")
			}
			before := x.rows()
			for _, r := range x.routes {
				if tt.ownerIsSandbox && strings.HasPrefix(r.Path, "/api/v1/keys") {
					continue // the keys of a sandbox are the live workspace's to manage
				}
				t.Run(r.Method+r.Path, func(t *testing.T) {
					x.Under(t)
					if tt.bySession {
						x.Advance(time.Minute) // in which a session has so many requests
					}
					x.try(r)
				})
			}
			x.wantUnchanged(before)
			x.wantOwnerServed()
		})
	}
}

func newTrespass(t *testing.T, callerName string, callerIsSandbox, ownerIsSandbox bool) *trespass {
	t.Helper()
	events := tenants{}
	_, withShelf := gatewaytest.WithMedia(t)
	a := gatewaytest.New(t, func(c *gateway.Config) {
		check := c.Addresses.Check
		withShelf(c)
		c.Addresses.Check, c.Analytics = check, gatewaytest.Analytics{PostCounter: gatewaytest.PostCounts{}, EventReader: events}
	})
	x := &trespass{API: a, routes: a.Gateway.Handler().(*gin.Engine).Routes()}
	x.routes = slices.DeleteFunc(x.routes, func(r gin.RouteInfo) bool {
		return slices.Contains(publicRoutes, r.Method+" "+r.Path) || // a page
			r.Path == "/mcp" || // which calls these routes in its turn, with the caller's key
			gatewaytest.IsPeopleRoute(strings.TrimPrefix(r.Path, "/api/v1")) // which people_isolation_test.go tries
	})
	furnish := func(text, workspaceName string, sandbox bool) *household {
		w, err := a.Admin.MakeWorkspace(t.Context(), workspaceName, "operator", sandbox)
		if err != nil {
			t.Fatal(err)
		}
		return newHousehold(a, text, w.ID, sandbox)
	}
	x.owner, x.caller = furnish("ofowner", "owner", ownerIsSandbox), furnish("ofcaller", callerName, callerIsSandbox)
	x.nobody = x.owner.stranger()
	a.RequestWith(x.owner.key, http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:token", "chatId": "@ofowner"}`).Want(http.StatusCreated)
	if err := a.GatewayStore.StoreKeyUses(t.Context()); err != nil { // before the rows are looked at
		t.Fatal(err)
	}
	events[x.owner.workspace] = schema.EventPage{Events: []schema.Event{x.owner.event}}
	return x
}

// try makes every request to a route in which an id of the owner's stands, and the one
// that asks for everything.
func (x *trespass) try(r gin.RouteInfo) {
	x.Helper()
	route := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v1")
	x.wantNamed(route)
	for _, path := range x.paths(r) {
		x.compare(r.Method, path, x.example(route))
	}
	for _, naming := range namingsOf(route) {
		own := x.caller.fill(x.API, strings.TrimPrefix(r.Path, "/api/v1"))
		if query, ok := strings.CutPrefix(naming, "?"); ok {
			x.compare(r.Method, own[0]+"?"+query, "")
			continue
		}
		x.compare(r.Method, own[0], naming)
	}
	if r.Method == http.MethodGet && !strings.Contains(r.Path, ":") {
		x.wantNothingOfOwner(x.ask(x.caller.key, r.Method, strings.TrimPrefix(r.Path, "/api/v1"), ""), "")
	}
}

// paths are those of a route with the owner's ids in them. Where there are several ids,
// each of them is the owner's in a path of its own too; all at once are what a public
// address is made of.
func (x *trespass) paths(r gin.RouteInfo) []string {
	route := strings.TrimPrefix(r.Path, "/api/v1")
	count := strings.Count(strings.ReplaceAll(route, ":platform", ""), ":")
	if count == 0 {
		return nil
	}
	var all []string
	if !slices.Contains(publicRoutes, r.Method+" "+route) {
		all = placeholders(x.API, route)
	}
	if count == 1 {
		return all
	}
	own := x.caller.fill(x.API, route)[0]
	for i, segment := range strings.Split(placeholders(x.API, route)[0], "/") {
		if strings.HasPrefix(segment, "$") {
			mixed := strings.Split(own, "/")
			mixed[i] = segment
			all = append(all, strings.Join(mixed, "/"))
		}
	}
	return all
}

// placeholders are the paths of a route with names of ids for its parameters.
func placeholders(a *gatewaytest.API, route string) []string {
	a.Helper()
	paths := []string{""}
	at := ""
	for segment := range strings.SplitSeq(strings.TrimPrefix(route, "/"), "/") {
		at += "/" + segment
		names := []string{segment}
		if segment == ":platform" {
			names = []string{cmp.Or(platformsOf[route], "mastodon")}
		} else if strings.HasPrefix(segment, ":") {
			if names = idsOf[route]; len(names) == 0 || strings.Count(route, ":") > 1 {
				names = idsOf[at]
			}
			if len(names) == 0 {
				a.Fatalf("%s: idsOf has nothing for the parameter at %s; add a thing of that kind to the household", route, at)
			}
			names = slices.Clone(names)
			for i := range names {
				names[i] = "$" + names[i] + "$"
			}
		}
		var longer []string
		for _, path := range paths {
			for _, name := range names {
				longer = append(longer, path+"/"+name)
			}
		}
		paths = longer
	}
	return paths
}

// fill returns the paths of a route to a household's own things.
func (h *household) fill(a *gatewaytest.API, route string) []string {
	paths := placeholders(a, route)
	for i := range paths {
		paths[i] = h.expand(paths[i])
	}
	return paths
}

// compare makes a request with the owner's ids and one with nobody's: both are refused,
// and nothing tells them apart.
func (x *trespass) compare(method, path, body string) {
	x.Helper()
	theirs := x.ask(x.caller.key, method, x.owner.expand(path), x.owner.expand(body))
	if !strings.Contains(path+body, "$") {
		x.wantRefused(method, path, body, theirs)
		return
	}
	nowhere := x.ask(x.caller.key, method, x.nobody.expand(path), x.nobody.expand(body))
	if theirs.Status != nowhere.Status || x.owner.blank(theirs.Body) != x.nobody.blank(nowhere.Body) {
		x.Errorf("%s %s %s\nwith another's ids: %d %s\nwith nobody's:      %d %s", method, path, body, theirs.Status, theirs.Body, nowhere.Status, nowhere.Body)
	}
	x.wantRefused(method, path, body, theirs)
}

// wantRefused fails the test unless an answer refuses, and tells nothing. A query may be
// answered, with nothing in it.
func (x *trespass) wantRefused(method, path, body string, got *gatewaytest.Response) {
	x.Helper()
	before, _, isQuery := strings.Cut(path, "?")
	isQuery = isQuery || path == "/posts/lookup" // by its body
	switch {
	case strings.Contains(before, "$") && got.Status != http.StatusNotFound:
		x.Errorf("%s %s: %d %s, want 404", method, path, got.Status, got.Body)
	case !isQuery && !isRefusal(got):
		x.Errorf("%s %s %s was taken: %d %s", method, path, body, got.Status, got.Body)
	}
	x.wantNothingOfOwner(got, path+body)
}

// isRefusal reports whether a request, or its only part, was refused.
func isRefusal(r *gatewaytest.Response) bool {
	if r.Status/100 == 4 {
		return true
	}
	tree := r.Want(r.Status)
	return tree.At("summary", "failed").Value == 1.0 || tree.At("validation", "isValid").Value == false
}

// ask makes a request; the answer to HEAD has no body.
func (x *trespass) ask(key, method, path, body string) *gatewaytest.Response {
	x.Helper()
	if method == http.MethodHead {
		return x.Fetch(method, x.URL+"/api/v1"+path)
	}
	if key == x.caller.key && x.session != nil {
		return x.session.Do(method, path, body)
	}
	if body == "" {
		return x.RequestWith(key, method, path, nil)
	}
	return x.RequestWith(key, method, path, body, "Content-Type", "application/json")
}

// blank takes out of an answer what has to differ.
func (h *household) blank(body []byte) string {
	ids := slices.Collect(maps.Values(h.ids))
	slices.SortFunc(ids, func(a, b string) int { return len(b) - len(a) }) // a secret may be the end of an id
	text := string(body)
	for _, id := range ids {
		text = strings.ReplaceAll(text, id, "ID")
	}
	return text
}

// wantNothingOfOwner fails the test if an answer shows what is the owner's, except for the ids
// the caller sent.
func (x *trespass) wantNothingOfOwner(got *gatewaytest.Response, sent string) {
	x.Helper()
	if strings.Contains(string(got.Body), x.owner.name) {
		x.Errorf("the answer tells of another's: %s", got.Body)
	}
	for name, id := range x.owner.ids {
		if strings.Contains(string(got.Body), id) && !strings.Contains(sent, "$"+name) {
			x.Errorf("the answer shows another's %s: %s", name, got.Body)
		}
	}
}

// rows is every row of the database but the caller's own, by table.
func (x *trespass) rows() map[string][]string {
	x.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, x.DatabaseURL)
	if err != nil {
		x.Fatal(err)
	}
	defer conn.Close(ctx)
	column := func(sql string, args ...any) []string {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			x.Fatal(err)
		}
		values, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			x.Fatal(err)
		}
		return values
	}
	all := map[string][]string{}
	for _, table := range column(`select quote_ident(table_name) from information_schema.tables where table_schema = 'public'`) {
		all[table] = column(`select row from (select to_jsonb(t)::text as row from `+table+` t) rows
			where strpos(row, $1::uuid::text) = 0 and strpos(row, $2::uuid::text) = 0 order by row`, x.caller.workspace, x.caller.keyID)
	}
	return all
}

func (x *trespass) wantUnchanged(before map[string][]string) {
	x.Helper()
	after := x.rows()
	for table := range after {
		for _, row := range without(before[table], after[table]) {
			x.Errorf("table %s has lost %.400s", table, row)
		}
		for _, row := range without(after[table], before[table]) {
			x.Errorf("table %s has gained %.400s", table, row)
		}
	}
	for _, table := range []string{"accounts", "brands", "posts", "targets", "jobs", "queues", "queue_slots", "media", "media_uses", "inbox", "comments", "webhooks", "deliveries", "outbox", "api_keys"} {
		if len(before[table]) == 0 {
			x.Errorf("table %s has nothing that could have changed", table)
		}
	}
}

// without returns the rows that are not among others.
func without(rows, others []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return slices.Contains(others, row) })
}

// wantOwnerServed shows that what was refused to the caller is real: its owner may read
// all of it, and name it.
func (x *trespass) wantOwnerServed() {
	x.Helper()
	slices.SortStableFunc(x.routes, func(a, b gin.RouteInfo) int { // with two accounts a platform says too little
		return cmp.Compare(strings.Count(a.Path, "/connect/"), strings.Count(b.Path, "/connect/"))
	})
	for _, r := range x.routes {
		path := strings.TrimPrefix(r.Path, "/api/v1")
		if r.Method == http.MethodGet && len(x.paths(r)) > 0 && !strings.HasPrefix(path, "/files/") {
			for _, own := range x.owner.fill(x.API, path) {
				if got := x.ask(x.owner.key, r.Method, own, ""); got.Status != http.StatusOK {
					x.Errorf("its owner gets of %s: %d %s", own, got.Status, got.Body)
				}
			}
		}
		for _, naming := range namingsOf(r.Method + " " + path) {
			own := x.owner.fill(x.API, path)[0]
			if strings.HasPrefix(naming, "?") {
				own, naming = own+naming, ""
			}
			if strings.HasPrefix(own, "/engagement/transcript") {
				continue // the household has no account on YouTube
			}
			if got := x.ask(x.owner.key, r.Method, x.owner.expand(own), x.owner.expand(naming)); isRefusal(got) {
				x.Errorf("its owner gets of %s %s %s: %d %s", r.Method, own, naming, got.Status, got.Body)
			}
		}
	}
	if got := x.RequestWith(x.owner.key, http.MethodGet, "/events", nil); !strings.Contains(string(got.Body), x.owner.name) {
		x.Errorf("its owner's events: %s", got.Body)
	}
}

// TestEveryRouteButThePublicOnesNeedsAKey goes through the routes the gateway has.
func TestEveryRouteButThePublicOnesNeedsAKey(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	for _, r := range a.Gateway.Handler().(*gin.Engine).Routes() {
		a.Advance(time.Minute) // in which strangers have so many requests
		route := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v1")
		t.Run(route, func(t *testing.T) {
			for _, authorization := range []string{"", "Bearer ", "Bearer nothing", "Basic " + a.Key, a.Key} {
				request, err := http.NewRequest(r.Method, a.URL+strings.ReplaceAll(r.Path, ":", ""), strings.NewReader(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", authorization)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				isPublic := slices.Contains(publicRoutes, route)
				if refused := response.StatusCode == http.StatusUnauthorized; refused == isPublic {
					t.Errorf("with Authorization %q: %d %s", strings.ReplaceAll(authorization, a.Key, "KEY"), response.StatusCode, fmt.Sprintf("%.100s", body))
				}
			}
		})
	}
}
