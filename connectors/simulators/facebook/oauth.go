package facebook

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
	"crier/connectors/simulators/simulation/oauth"
)

// codeLife is how long a code works. Facebook calls it short and says no number.
const codeLife = 10 * time.Minute

// How long a person's token is good for, in seconds: of a code, and one that was exchanged.
const (
	shortLived = 5400
	longLived  = 5183944
)

// knownScopes are the permissions of pages (developers.facebook.com/docs/permissions).
func knownScopes() []string {
	return []string{
		"pages_show_list", "pages_read_engagement", "pages_read_user_content", "pages_manage_posts", "pages_manage_engagement",
		"pages_manage_metadata", "pages_messaging", "read_insights", "business_management",
	}
}

// newOAuth makes the dialog (developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, Fragment: "_=_", MayAskNone: true, MayHaveType: true, Scopes: knownScopes(),
		Denied: url.Values{
			"error": {"access_denied"}, "error_code": {"200"}, "error_reason": {"user_denied"}, "error_description": {"Permissions error"},
		},
		Refuse: oauth.Texts(map[oauth.Wrong]string{
			oauth.WrongApp:    "Invalid App ID: the provided app ID does not look like a valid app ID.",
			oauth.WrongTarget: "URL blocked: this redirect failed because the redirect URI is not absolute.",
			oauth.WrongType:   "The simulated dialog gives codes.",
			oauth.WrongScope:  "Invalid Scopes: {scope}. This message is only shown to developers.",
		}),
	}, oauth.Tokens{})
}

// token trades a code for a person's token, or that for one that lives longer.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	switch grant := r.FormValue("grant_type"); {
	case r.FormValue("client_id") != simulation.AppID:
		graph.Bad(101, 0, "Error validating application. Invalid application ID.").WriteTo(rw)
	case r.FormValue("client_secret") != simulation.AppSecret:
		graph.WrongSecret().WriteTo(rw)
	case grant == "fb_exchange_token":
		s.exchange(rw, r.FormValue("fb_exchange_token"))
	case grant != "" && grant != "authorization_code":
		graph.Bad(100, 0, "Invalid grant_type: '"+grant+"'. Supported types: authorization_code, client_credentials").WriteTo(rw)
	default:
		s.redeem(rw, r)
	}
}

// redeem trades a code for the token of the person who consented.
func (s *simulator) redeem(rw http.ResponseWriter, r *http.Request) {
	granted, wrong := s.oauth.Redeem(r, simulation.AppID)
	switch {
	case wrong == oauth.WrongTarget:
		graph.Bad(100, 36008, "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request").WriteTo(rw)
	case wrong != oauth.Nothing:
		graph.Bad(100, 36009, "This authorization code has been used.").WriteTo(rw)
	default:
		granted.Name = personal + granted.Name
		token := granted.Token()
		graph.Grant(s.world.Account(token), simulation.SplitScopes(granted.Scope))
		graph.Answer(rw, http.StatusOK, map[string]any{"access_token": token, "token_type": "bearer", "expires_in": shortLived})
	}
}

// exchange trades a person's token for one that lives longer.
func (s *simulator) exchange(rw http.ResponseWriter, token string) {
	if _, isPerson := personOf(token); !isPerson {
		graph.Bad(100, 0, "(#100) Missing required parameter fb_exchange_token").WriteTo(rw)
		return
	}
	if name, granted := simulation.Grantee(token); granted {
		token = simulation.Consent{Name: name}.Token()
	}
	graph.Answer(rw, http.StatusOK, map[string]any{"access_token": token, "token_type": "bearer", "expires_in": longLived})
}

// personal begins the names of people.
const personal = "user-"

// personOf returns whose token it is; ok is false for a page's.
func personOf(token string) (name string, ok bool) {
	if grantee, granted := simulation.Grantee(token); granted {
		token = grantee
	}
	return strings.CutPrefix(token, personal)
}

// listPermissions lists what a person has granted, and what not: of one who has not been
// asked, everything.
func (s *simulator) listPermissions(v visit) {
	if _, isPerson := v.person(); !isPerson {
		v.fail(graph.NotFound("permissions"))
		return
	}
	granted := graph.Granted(v.account, knownScopes())
	listed := []map[string]string{{"permission": "public_profile", "status": "granted"}}
	for _, scope := range knownScopes() {
		status := "declined"
		if slices.Contains(granted, scope) {
			status = "granted"
		}
		listed = append(listed, map[string]string{"permission": scope, "status": status})
	}
	graph.Answer(v.rw, http.StatusOK, map[string]any{"data": listed})
}

// Tasks that a person has on a page.
var (
	allTasks  = []string{"ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"}
	someTasks = []string{"ANALYZE", "MODERATE"}
)

// pageOf stands between a page's name and its person's.
const pageOf = "-page-of-"

// mayReadInsights reports whether the owner of the page has granted read_insights. A token that no
// person consented to may read them.
func (s *simulator) mayReadInsights(v visit) bool {
	name, _ := simulation.Grantee(v.token)
	_, person, ofPage := strings.Cut(name, pageOf)
	if !ofPage {
		return true
	}
	granted := graph.Granted(s.world.Account(simulation.Consent{Name: personal + person}.Token()), knownScopes())
	return slices.Contains(granted, "read_insights")
}

// listPages lists the pages of a person, each with its token, which has no expiry. On the third
// the person may not publish.
func (s *simulator) listPages(v visit) {
	person, isPerson := v.person()
	if !isPerson {
		v.fail(graph.Bad(100, 0, "(#100) Tried accessing nonexisting field (accounts) on node type (Page)"))
		return
	}
	s.listAsPages(v, person, []pageOfPerson{{"first", allTasks, true}, {"second", allTasks, true}, {"third", someTasks, true}})
}

// pageOfPerson is a page as a person's lists show it.
type pageOfPerson struct {
	name     string
	tasks    []string // nil: the list does not say
	hasToken bool
}

// listAsPages lists pages, each with its token, which has no expiry.
func (s *simulator) listAsPages(v visit, person string, all []pageOfPerson) {
	var pages []map[string]any
	for _, candidate := range all {
		token := simulation.Consent{Name: candidate.name + pageOf + person}.Token()
		id := s.world.Account(token).ID
		page := map[string]any{"id": id, "name": "Page " + id, "category": "Community"}
		if candidate.tasks != nil {
			page["tasks"] = candidate.tasks
		}
		if candidate.hasToken {
			page["access_token"] = token
		}
		pages = append(pages, page)
	}
	query := v.r.URL.Query()
	if !query.Has("fields") {
		query.Set("fields", "access_token,category,name,id,tasks")
		v.r.URL.RawQuery = query.Encode()
	}
	s.list(v, pages)
}

// listBusinesses lists the portfolios of a person: one, which holds pages that the person's own list does
// not have (openpost #216, TryPost #292).
func (s *simulator) listBusinesses(v visit) {
	person, ok := s.businessPerson(v)
	if ok {
		s.list(v, []map[string]any{{"id": s.world.Account(businessOf + person).ID, "name": "Portfolio"}})
	}
}

// businessOf begins the names of portfolios.
const businessOf = "business-of-"

// listBusinessPages lists what a portfolio owns, or what others let it work on. On one of the former the
// person has no role of their own, on another none that publishes. Pages have no tasks there: those are of
// /me/accounts alone (facebook-business-sdk-codegen, Page.json), and who asks for them is told nothing.
func (s *simulator) listBusinessPages(v visit) {
	person, ok := s.businessPerson(v)
	switch {
	case !ok:
	case v.r.PathValue("node") != s.world.Account(businessOf+person).ID:
		v.fail(graph.NotFound(v.r.PathValue("node")))
	case slices.Contains(strings.Split(v.r.URL.Query().Get("fields"), ","), "tasks"):
		v.fail(graph.Bad(100, 0, "(#100) Tried accessing nonexisting field (tasks) on node type (Page)"))
	case strings.HasSuffix(v.r.URL.Path, "/owned_pages"):
		s.listAsPages(v, person, []pageOfPerson{{"first", nil, true}, {"third", nil, true}, {"fourth", nil, true}, {"fifth", nil, false}})
	default:
		s.listAsPages(v, person, []pageOfPerson{{"sixth", nil, true}})
	}
}

// businessPerson returns the person of a call about portfolios, for which a permission is needed.
func (s *simulator) businessPerson(v visit) (person string, ok bool) {
	person, ok = v.person()
	if !ok || !slices.Contains(graph.Granted(v.account, knownScopes()), "business_management") {
		v.fail(&graph.Error{Status: http.StatusForbidden, Code: 100, Message: "(#100) Missing Permission"})
		return "", false
	}
	return person, true
}
