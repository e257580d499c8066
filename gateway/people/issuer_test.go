package people_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/storage"
	zitadel "github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/identity/oidc"
)

// issuer is an OpenID provider of somebody else's making, at which one person is signed in.
type issuer struct {
	*httptest.Server
	users map[string]*storage.User

	mu     sync.Mutex
	as     string              // id of who is signed in
	groups map[string][]string // by id
}

const issuerSecret = "a secret of crier's"

// newIssuer starts an issuer that knows Ada and Grace; Ada is signed in.
func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{as: "ada", groups: map[string][]string{}, users: map[string]*storage.User{
		"ada":   {ID: "ada", Username: "ada", Password: "x", FirstName: "Ada", LastName: "L", Email: "ada@example.com", EmailVerified: true},
		"grace": {ID: "grace", Username: "grace", Password: "x", FirstName: "Grace", LastName: "H", Email: "grace@example.com"},
	}}
	i.Server = httptest.NewUnstartedServer(nil)
	address := "http://" + i.Listener.Addr().String()
	client := storage.WebClient("crier", issuerSecret, "https://crier.example/api/v1/session/providers/acme/callback")
	store := storage.NewStorageWithClients(i, map[string]*storage.Client{"crier": client})
	provider, err := op.NewProvider(&op.Config{CryptoKeyId: "key", CodeMethodS256: true}, issuerStorage{store, i}, op.StaticIssuer(address),
		op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", provider)
	back := op.AuthCallbackURL(provider)
	mux.Handle("/login/username", op.NewIssuerInterceptor(provider.IssuerFromRequest).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("authRequestID")
		if err := store.CheckUsernamePassword(i.signedIn(), "x", id); err != nil {
			t.Error(err)
		}
		http.Redirect(w, r, back(r.Context(), id), http.StatusFound)
	}))
	i.Config.Handler = mux
	i.Start()
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) signedIn() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.as
}

// become signs somebody in at the issuer, with some groups.
func (i *issuer) become(id string, groups ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.as, i.groups[id] = id, groups
}

// GetUserByID is for the provider's storage.
func (i *issuer) GetUserByID(id string) *storage.User { return i.users[id] }

// GetUserByUsername is for the provider's storage.
func (i *issuer) GetUserByUsername(name string) *storage.User { return i.users[name] }

// ExampleClientID is for the provider's storage.
func (i *issuer) ExampleClientID() string { return "" }

// issuerStorage adds groups to what the provider says of people.
type issuerStorage struct {
	*storage.Storage
	issuer *issuer
}

func (s issuerStorage) SetUserinfoFromRequest(ctx context.Context, info *zitadel.UserInfo, token op.IDTokenRequest, scopes []string) error {
	s.addGroups(info, token.GetSubject())
	return s.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}

func (s issuerStorage) SetUserinfoFromToken(ctx context.Context, info *zitadel.UserInfo, tokenID, subject, origin string) error {
	s.addGroups(info, subject)
	return s.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin)
}

func (s issuerStorage) addGroups(info *zitadel.UserInfo, subject string) {
	s.issuer.mu.Lock()
	defer s.issuer.mu.Unlock()
	info.AppendClaims("groups", s.issuer.groups[subject])
}

// settings are those of the issuer, whose groups make people members of acme.
func (i *issuer) settings() oidc.Settings {
	return oidc.Settings{
		Name: "acme", Title: "Acme", Issuer: i.URL, ClientID: "crier", Secret: issuerSecret, Private: true,
		Members: []oidc.Grant{
			{Group: "readers", Workspace: "acme", Role: "viewer"}, {Group: "writers", Workspace: "acme", Role: "editor"}, {Group: "leads", Workspace: "acme", Role: "owner"},
			{Group: "writers", Workspace: "a workspace that is gone", Role: "owner"},
		},
	}
}

// offered has a gateway offer the issuer for people to sign in at.
func (i *issuer) offered(c *gateway.Config) {
	c.Providers = []*oidc.Provider{oidc.New(i.settings(), http.DefaultTransport, time.Now)}
}

// stay is a client that a server sends nowhere.
var stay = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// signInAt goes from an address of the issuer through its pages, and returns where it sends the browser back to.
func signInAt(v *gatewaytest.Session, address string) string {
	v.Helper()
	for range 10 {
		response, err := stay.Get(address)
		if err != nil {
			v.Fatal(err)
		}
		response.Body.Close()
		next, err := response.Location()
		if err != nil {
			v.Fatalf("%s: %s, %v", address, response.Status, err)
		}
		if address = next.String(); next.Host == "crier.example" {
			return address
		}
	}
	v.Fatal("the issuer sends the browser around")
	return ""
}

// comeBack is sent to an address of crier's, and returns the path that the browser is sent on to.
func comeBack(v *gatewaytest.Session, address string) string {
	v.Helper()
	request, err := http.NewRequest(http.MethodGet, v.URL+strings.TrimPrefix(address, "https://crier.example"), nil)
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Cookie", v.Cookies())
	response, err := stay.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	response.Body.Close()
	v.StoreCookies(response.Header)
	if response.StatusCode != http.StatusSeeOther {
		v.Fatalf("%s: %s", address, response.Status)
	}
	return strings.TrimPrefix(response.Header.Get("Location"), "https://crier.example")
}

// depart begins to sign in, and returns the issuer's address.
func depart(v *gatewaytest.Session) string {
	v.Helper()
	return v.Do(http.MethodPost, "/session/providers/acme", nil).Want(http.StatusCreated).At("url").Text()
}

// enter signs in at the issuer, and returns the page that the browser is sent to.
func enter(v *gatewaytest.Session) string {
	v.Helper()
	page := comeBack(v, signInAt(v, depart(v)))
	if page == "/" {
		v.Do(http.MethodGet, "/session", nil).Want(http.StatusOK) // for its token
	}
	return page
}

// withParameter is an address with another value of a parameter.
func withParameter(v *gatewaytest.Session, address, name, value string) string {
	v.Helper()
	u, err := url.Parse(address)
	if err != nil {
		v.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
