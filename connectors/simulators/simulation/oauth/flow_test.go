package oauth

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/simulationtest"
	"crier/schema"
)

// world is a platform of an OAuth alone, whose refusals are the numbers of what is wrong.
type world struct {
	*simulation.World
	*Flow
	http.Handler
}

func newWorld(p Page, tokens Tokens) *world {
	p.Scopes = []string{"read", "write"}
	p.Refuse = func(rw http.ResponseWriter, _ *http.Request, wrong Wrong, _ simulation.Consent) {
		rw.WriteHeader(400 + int(wrong))
	}
	tokens.Deny = func(rw http.ResponseWriter, wrong Wrong, _ string) { rw.WriteHeader(400 + int(wrong)) }
	w := simulationtest.NewWorld(schema.Twitter, nil)
	flow, mux := New(w, p, tokens), http.NewServeMux()
	mux.HandleFunc("/authorize", flow.Authorize)
	mux.HandleFunc("/token", flow.Token)
	return &world{w, flow, w.Handler(mux, simulation.Dialect{Operation: simulation.Operations(mux)})}
}

// trade asks for tokens in the name of the app, and returns what is wrong.
func (w *world) trade(form url.Values) (wrong Wrong, granted map[string]any) {
	whole := url.Values{"client_id": {simulation.AppID}, "client_secret": {simulation.AppSecret}}
	maps.Copy(whole, form)
	response, granted := simulationtest.Ask(w, simulationtest.Request{
		Method: http.MethodPost, Path: "/token", Body: whole.Encode(), Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	})
	return wrongOf(response), granted
}

func wrongOf(response *httptest.ResponseRecorder) Wrong {
	if response.Code < http.StatusBadRequest {
		return Nothing
	}
	return Wrong(response.Code - 400)
}

func refreshing(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
}

func TestWhatIsWrongWithARequestForThePage(t *testing.T) {
	pkce := Page{PKCE: Required}
	for name, tt := range map[string]struct {
		page Page
		with url.Values // in place of what is right
		want Wrong
	}{
		"nothing":                      {Page{}, nil, Nothing},
		"another app":                  {Page{}, url.Values{"client_id": {"x"}}, WrongApp},
		"an app by another name":       {Page{ClientID: "client_key"}, nil, WrongApp},
		"an app that is known":         {Page{Knows: func(simulation.Consent) bool { return true }}, url.Values{"client_id": {"x"}}, Nothing},
		"a path to go back to":         {Page{}, url.Values{"redirect_uri": {"/back"}}, WrongTarget},
		"a fragment to go back to":     {Page{}, url.Values{"redirect_uri": {"http://x/#a"}}, WrongTarget},
		"another type":                 {Page{}, url.Values{"response_type": {"token"}}, WrongType},
		"no type":                      {Page{}, url.Values{"response_type": nil}, WrongType},
		"no type that need be":         {Page{MayHaveType: true}, url.Values{"response_type": nil}, Nothing},
		"no state":                     {Page{MaxState: 10}, url.Values{"state": nil}, WrongState},
		"no state that need be":        {Page{}, url.Values{"state": nil}, Nothing},
		"a long state":                 {Page{MaxState: 10}, url.Values{"state": {"12345678901"}}, WrongState},
		"no challenge":                 {pkce, nil, WrongChallenge},
		"a challenge without a method": {pkce, url.Values{"code_challenge": {"x"}}, WrongChallenge},
		"a challenge":                  {pkce, url.Values{"code_challenge": {"x"}, "code_challenge_method": {"S256"}}, Nothing},
		"a challenge that is ignored":  {Page{}, url.Values{"code_challenge": {"x"}}, Nothing},
		"a parameter":                  {Page{Fits: func(q url.Values) bool { return q.Has("more") }}, nil, WrongParameters},
		"an unknown scope":             {Page{}, url.Values{"scope": {"read delete"}}, WrongScope},
		"a scope that the app has":     {Page{Unknown: func(simulation.Consent) string { return "" }}, url.Values{"scope": {"delete"}}, Nothing},
		"no scope":                     {Page{}, url.Values{"scope": nil}, WrongScope},
		"no scope that need be":        {Page{MayAskNone: true}, url.Values{"scope": nil}, Nothing},
		"without the needed scope":     {Page{Needed: "write"}, url.Values{"scope": {"read"}}, WrongScope},
	} {
		t.Run(name, func(t *testing.T) {
			q := url.Values{"client_id": {simulation.AppID}, "redirect_uri": {"http://x"}, "response_type": {"code"}, "state": {"s"}, "scope": {"read,write"}}
			maps.Copy(q, tt.with)
			for name, values := range tt.with {
				if values == nil {
					q.Del(name)
				}
			}
			response, _ := simulationtest.Ask(newWorld(tt.page, Tokens{}), simulationtest.Request{Method: http.MethodGet, Path: "/authorize?" + q.Encode()})
			if got := wrongOf(response); got != tt.want {
				t.Errorf("%d is wrong, want %d", got, tt.want)
			}
		})
	}
}

func TestWhatAPersonBringsBack(t *testing.T) {
	page := Page{CodeLife: time.Minute, Fragment: "_", Denied: url.Values{"error": {"denied"}}, Left: url.Values{"error": {"left"}}}
	for answer, want := range map[string]string{"allow": "", "deny": "denied", "leave": "left"} {
		q := url.Values{"client_id": {simulation.AppID}, "redirect_uri": {"http://x/?a=b"}, "response_type": {"code"}, "state": {"s"}, "scope": {"read"}}
		response, _ := simulationtest.Ask(newWorld(page, Tokens{}), simulationtest.Request{
			Method: http.MethodPost, Path: "/authorize?" + q.Encode(), Body: "crier_name=ada&crier_answer=" + answer,
			Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		})
		back, err := url.Parse(response.Header().Get("Location"))
		if err != nil || back.Host != "x" || back.Fragment != "_" || back.Query().Get("a") != "b" || back.Query().Get("state") != "s" {
			t.Fatalf("%s leads to %q, %v", answer, back, err)
		}
		if got := back.Query(); got.Get("error") != want || got.Has("code") == (want != "") {
			t.Errorf("%s brings %v", answer, got)
		}
	}
}

func TestTheAppProvesItself(t *testing.T) {
	for name, tt := range map[string]struct {
		tokens Tokens
		form   url.Values
		want   Wrong
	}{
		"in the form":                {Tokens{}, nil, WrongRefreshToken},
		"with another secret":        {Tokens{}, url.Values{"client_secret": {"x"}}, WrongApp},
		"in the form, not a header":  {Tokens{Basic: true}, nil, NoSecret},
		"by its name alone":          {Tokens{Basic: true, Public: true}, nil, WrongRefreshToken},
		"by the name of another":     {Tokens{Basic: true, Public: true}, url.Values{"client_id": {"x"}}, NoSecret},
		"for a grant that is none":   {Tokens{}, url.Values{"grant_type": {"password"}}, WrongGrant},
		"for a code that nobody has": {Tokens{}, url.Values{"grant_type": {"authorization_code"}, "code": {"x"}}, WrongCode},
	} {
		t.Run(name, func(t *testing.T) {
			form := refreshing("none")
			maps.Copy(form, tt.form)
			if got, _ := newWorld(Page{}, tt.tokens).trade(form); got != tt.want {
				t.Errorf("%d is wrong, want %d", got, tt.want)
			}
		})
	}
}

// What becomes of a refresh token by being traded.
func TestRenewals(t *testing.T) {
	for name, tt := range map[string]struct {
		tokens Tokens
		next   string // none, same or another
		again  Wrong  // of the first token
	}{
		"silent":   {Tokens{Renewal: Silent}, "none", Nothing},
		"repeated": {Tokens{Renewal: Repeated}, "same", Nothing},
		"renewed":  {Tokens{Renewal: Renewed}, "another", Nothing},
		"once":     {Tokens{Renewal: Once}, "another", WrongRefreshToken},
		"offline":  {Tokens{Renewal: Renewed, Offline: "offline"}, "none", Nothing},
	} {
		t.Run(name, func(t *testing.T) {
			tt.tokens.AccessLife, tt.tokens.RefreshLife, tt.tokens.Expires = time.Hour, 48*time.Hour, "refresh_token_expires_in"
			w := newWorld(Page{}, tt.tokens)
			first := simulation.Ticket{Kind: refreshKind, Account: "a", Scope: "read", Expires: w.Now().Add(24 * time.Hour)}.Issue()
			wrong, granted := w.trade(refreshing(first))
			if access, _ := granted["access_token"].(string); wrong != Nothing || granted["scope"] != "read" || granted["expires_in"] != 3600.0 {
				t.Fatalf("%d is wrong; granted %v", wrong, granted)
			} else if held, isTicket, state := w.Read(access); !isTicket || state != Alive || held.Account != "a" {
				t.Errorf("the token stands as %d and is of %+v", state, held)
			}
			next, has := granted["refresh_token"].(string)
			if got := map[bool]string{true: "same", false: "another"}[next == first]; has && got != tt.next || has == (tt.next == "none") {
				t.Errorf("the next is %q, want %s", next, tt.next)
			}
			life := 24 * 3600.0
			if tt.tokens.Renewal == Renewed {
				life *= 2
			}
			if has && granted["refresh_token_expires_in"] != life {
				t.Errorf("it lives for %v s, want %v", granted["refresh_token_expires_in"], life)
			}
			if got, _ := w.trade(refreshing(first)); got != tt.again {
				t.Errorf("again: %d is wrong, want %d", got, tt.again)
			}
		})
	}
}

// Tokens that nobody consented to stand for the account that they name.
func TestPlainTokens(t *testing.T) {
	w := newWorld(Page{}, Tokens{Plain: "read write", Renewal: Repeated})
	_, granted := w.trade(refreshing("refresh-of-ada"))
	access, _ := granted["access_token"].(string)
	if access != "renewed-ada" || Owner(access) != "ada" || granted["refresh_token"] != "refresh-of-ada" || granted["scope"] != "read write" {
		t.Errorf("granted %v", granted)
	}
	if wrong, _ := newWorld(Page{}, Tokens{}).trade(refreshing("refresh-of-ada")); wrong != WrongRefreshToken {
		t.Errorf("%d is wrong where there are none", wrong)
	}
}

func TestTokensEnd(t *testing.T) {
	w := newWorld(Page{}, Tokens{})
	ticket := simulation.Ticket{Kind: accessKind, Account: "a", Expires: w.Now().Add(time.Hour)}
	over, other := ticket, ticket
	over.Expires, other.Kind = w.Now(), refreshKind
	first, twin := ticket.Issue(), ticket.Issue()
	stands := func(token string, want State) {
		t.Helper()
		if _, _, got := w.Read(token); got != want {
			t.Errorf("%q stands as %d, want %d", strings.Split(token, ".")[0], got, want)
		}
	}
	stands("anything", Alive)
	stands(" ", Void)
	stands(over.Issue(), Expired)
	stands(other.Issue(), Void)
	stands(first, Alive)
	w.Flow.Revoke(first, false)
	stands(first, Void)
	stands(twin, Alive)
	w.Flow.Revoke(first, true) // and all of its consent
	stands(twin, Void)
}
