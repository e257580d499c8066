package connectortest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Consent is how the platform asks people for their consent.
type Consent struct {
	Page       string        // address of the platform's own page
	Asks       url.Values    // some of what it is asked with
	Permission string        // that a person may take away, and without which crier is of no use
	CodeLife   time.Duration // of a code that nobody redeems
	Redeem     string        // the call that takes codes
	Fragment   string        // what the address that brings a code ends in
	Single     bool          // a person chooses the entity on the platform's own page, so that there is one
	Public     bool          // an app without a secret is one as well
	// Denied is what a person comes back with who does not consent.
	Denied url.Values
}

// consenting is how a person lets crier act for them.
func consenting() []clause {
	return []clause{
		consent(),
		{"the page is where it is configured", consents, pageIsWhereItIsConfigured},
		{"who does not consent brings no code", consents, consentIsDenied},
		{"a code works once, in time and for who asked", consents, codesWorkOnce},
		{"a permission that was not granted is named", consents, missingPermissionIsNamed},
		{"without a permission to read an account is connected, and it is known what is not read", consents, readingIsGranted},
		{"an exchange shows no secrets, whatever it meets", consents, exchangeShowsNoSecrets},
	}
}

// consent is the clause in which everything goes well.
func consent() clause {
	return clause{"a consent gives what publishes, is renewed and is found", consents, consentPublishes}
}

func consents(f Fixture) bool { return f.Consent != nil }

func pageIsWhereItIsConfigured(t *testing.T, s *stage) {
	own, err := url.Parse(s.fixture.Consent.Page)
	if err != nil || own.Host == "" {
		t.Fatalf("the fixture has the page %q, %v", own, err)
	}
	app, public := connectors.App{ID: "1", Secret: "s"}, ""
	if s.fixture.Consent.Public {
		public = own.String()
	}
	for name, tt := range map[string]struct {
		parts connectors.Parts
		want  string // what the page begins with; empty: there is no app to ask with
	}{
		"the platform's own":        {connectors.Parts{App: app}, own.String()},
		"where all of it is":        {connectors.Parts{App: app, Base: "http://p/"}, "http://p" + own.Path},
		"moved by itself":           {connectors.Parts{App: app, Base: "http://p", Consent: "http://c/"}, "http://c" + own.Path},
		"moved alone":               {connectors.Parts{App: app, Consent: "http://c/p"}, "http://c/p" + own.Path},
		"without an app":            {connectors.Parts{}, ""},
		"without the app's secret":  {connectors.Parts{App: connectors.App{ID: "1"}}, public},
		"without the id of the app": {connectors.Parts{App: connectors.App{Secret: "s"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			connector := s.fixture.New(tt.parts)
			page, _, err := connector.(connectors.Authorizer).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: "http://x", State: "y", Verifier: "v"})
			if tt.want == "" {
				if e := wantKind(t, err, schema.Refused); e.Message != connectors.NoApp(s.fixture.Platform).Message {
					t.Errorf("message %q", e.Message)
				}
				return
			}
			address, query, _ := strings.Cut(page, "?")
			values, parseErr := url.ParseQuery(query)
			if err != nil || parseErr != nil || address != tt.want || values.Get("redirect_uri") != "http://x" || values.Get("state") != "y" || values.Get("response_type") != "code" {
				t.Errorf("page %s, %v", page, err)
			}
			for name, want := range s.fixture.Consent.Asks {
				if !slices.Equal(values[name], want) {
					t.Errorf("%s is %q, want %q", name, values[name], want)
				}
			}
			if scoped, ok := connector.(connectors.Scoped); ok && !slices.Equal(connectors.SplitScopes(values.Get("scope")), scoped.Scopes().Requested()) {
				t.Errorf("asked for %q", values.Get("scope"))
			}
		})
	}
}

// visit is a person's way over the page of a stage's platform.
type visit struct {
	*stage
	*Visit
}

// visit opens the page.
func (s *stage) visit(t *testing.T) *visit {
	t.Helper()
	platform, ok := s.connector.(connectors.Authorizer)
	if !ok {
		t.Fatal("the connector cannot ask for a consent")
	}
	return &visit{s, NewVisit(t, platform, schema.Account{Platform: s.account.Platform, Server: s.account.Server}, connectors.App{})}
}

// allow consents as a person by name. The code has at its end what a browser leaves off.
func (v *visit) allow(t *testing.T, name string) (code string) {
	t.Helper()
	back := v.Answer(t, url.Values{"crier_answer": {"allow"}, "crier_name": {name}})
	if back.Fragment != v.fixture.Consent.Fragment {
		t.Errorf("sent back to %s, want it to end in #%s", back, v.fixture.Consent.Fragment)
	}
	code = back.Query().Get("code")
	if back.Fragment != "" {
		code += "#" + back.Fragment
	}
	return code
}

// mustConsent consents by name and exchanges the code.
func (s *stage) mustConsent(t *testing.T, name string) schema.Credentials {
	t.Helper()
	v := s.visit(t)
	credentials, err := v.Exchange(t, v.allow(t, name))
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if credentials.AccessToken == "" || credentials.AppID == "" || credentials.Scope == "" {
		t.Fatal("the credentials lack a token, an app or scopes")
	}
	return credentials
}

// chosen returns the credentials of the last entity that a person may choose, or the person's
// own where the platform has no entities.
func (s *stage) chosen(t *testing.T, person schema.Credentials) schema.Credentials {
	t.Helper()
	source, has := s.connector.(connectors.EntitySource)
	if !has {
		return person
	}
	entities, err := source.Entities(t.Context(), schema.Account{Platform: s.account.Platform}, person)
	if err != nil || len(entities) == 0 || (len(entities) == 1) != s.fixture.Consent.Single {
		t.Fatalf("Entities = %v, %v; want one or several", entities, err)
	}
	last := entities[len(entities)-1]
	if len(entities) > 1 && last.ID == entities[0].ID || last.ID == "" || last.Name == "" || last.Kind == "" {
		t.Errorf("entities %q (%s) and %q (%s)", entities[0].ID, entities[0].Name, last.ID, last.Name)
	}
	profile, err := s.verify(t, schema.Account{Platform: s.account.Platform}, last.Credentials)
	if err != nil || profile.NativeID != last.ID {
		t.Errorf("the credentials of entity %q are of %q, %v", last.ID, profile.NativeID, err)
	}
	return last.Credentials
}

func consentPublishes(t *testing.T, s *stage) {
	credentials := s.chosen(t, s.mustConsent(t, "ada"))
	account := s.account
	profile, err := s.verify(t, account, credentials)
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	account.NativeID, account.Name = profile.NativeID, profile.Name
	of := func(d schema.Delivery) schema.Delivery { d.Account, d.Credentials = account, credentials; return d }
	if credentials.SelfRenewing {
		s.clock.advance(25 * time.Hour)
		if credentials, err = s.connector.(connectors.Refresher).Refresh(t.Context(), account, credentials); err != nil {
			t.Fatalf("Refresh: %v", err)
		}
	}
	d := of(s.delivery("by consent"))
	s.publish(t, d)
	if s.fixture.Looks {
		d, err = s.prepare(t, of(s.delivery("by consent, and lost")))
		if err != nil {
			t.Fatal(err)
		}
		s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Lose: true})
		if _, err := s.connector.Publish(t.Context(), d); err == nil {
			t.Error("nothing was lost")
		}
		s.wantFind(t, d, schema.Found)
	}
	for _, p := range s.world.Posts() {
		if p.Account != s.world.Posts()[0].Account {
			t.Errorf("posts of %s and %s", p.Account, s.world.Posts()[0].Account)
		}
	}
	for name, same := range map[string]bool{"ada": true, "bob": false} {
		again, err := s.verify(t, schema.Account{Platform: account.Platform}, s.chosen(t, s.mustConsent(t, name)))
		if err != nil || (again.NativeID == account.NativeID) != same {
			t.Errorf("%s is %q, the first was %q, %v", name, again.NativeID, account.NativeID, err)
		}
	}
}

func consentIsDenied(t *testing.T, s *stage) {
	back := s.visit(t).Answer(t, url.Values{"crier_answer": {"deny"}}).Query()
	for name, want := range s.fixture.Consent.Denied {
		if !slices.Equal(back[name], want) {
			t.Errorf("%s = %q, want %q", name, back[name], want)
		}
	}
	if back.Has("code") || back.Get("error") == "" {
		t.Errorf("sent back with %v", back)
	}
}

func codesWorkOnce(t *testing.T, s *stage) {
	for name, spoil := range map[string]func(v *visit, code string) string{
		"a code that was used": func(v *visit, code string) string {
			if _, err := v.Exchange(t, code); err != nil {
				t.Fatal(err)
			}
			return code
		},
		"a code that is too old": func(v *visit, code string) string {
			v.clock.advance(v.fixture.Consent.CodeLife + time.Second)
			return code
		},
		"a code of another callback": func(v *visit, code string) string { v.Grant.Callback += "x"; return code },
		"a code of nobody":           func(*visit, string) string { return "none" },
	} {
		t.Run(name, func(t *testing.T) {
			v := s.visit(t)
			_, err := v.Exchange(t, spoil(v, v.allow(t, "ada")))
			wantKind(t, err, schema.Refused)
		})
	}
}

func missingPermissionIsNamed(t *testing.T, s *stage) {
	v := s.visit(t)
	scopes := v.Page.Query().Get("scope")
	granted := strings.FieldsFunc(strings.ReplaceAll(scopes, s.fixture.Consent.Permission, ""), func(r rune) bool { return r == ',' || r == ' ' })
	_, err := v.Exchange(t, v.Allow(t, granted...))
	if e := wantKind(t, err, schema.Refused); !strings.Contains(e.Message, s.fixture.Consent.Permission) {
		t.Errorf("message %q", e.Message)
	}
}

// readingIsGranted has a person consent to what publishing needs alone, and then to all.
func readingIsGranted(t *testing.T, s *stage) {
	scoped, ok := s.connector.(connectors.Scoped)
	if !ok {
		return
	}
	scopes, profile := scoped.Scopes(), schema.Account{Platform: s.account.Platform, Server: s.account.Server}
	for _, granted := range [][]string{scopes.Publish, scopes.Requested()} {
		v := s.visit(t)
		person, err := v.Exchange(t, v.Allow(t, granted...))
		if err != nil {
			t.Fatalf("with %v: %v", granted, err)
		}
		credentials := s.chosen(t, person)
		found, err := s.verify(t, profile, credentials)
		if err != nil {
			t.Fatal(err)
		}
		s.account.NativeID, s.fixture.Credentials = found.NativeID, func(int) schema.Credentials { return credentials }
		post, _ := s.published(t, fmt.Sprintf("with %d permissions", len(granted)))
		for _, scope := range scopes.Read {
			isGranted := slices.Contains(granted, scope.Name)
			if missing := scopes.Missing(credentials); slices.ContainsFunc(missing, func(m connectors.ReadScope) bool { return m.Name == scope.Name }) == isGranted {
				t.Errorf("%s is granted: %t; missing are %v", scope.Name, isGranted, missing)
			}
			for _, purpose := range scope.For {
				err := s.read(t, purpose, post)
				if may := isGranted || scope.Partly; (err == nil) != may || connectors.IsNotPermitted(err) == may || scopes.Forbids(credentials, purpose) == may {
					t.Errorf("%s with %v: %v", purpose, granted, err)
				}
			}
		}
		s.clock.advance(s.fixture.Repeats + time.Minute)
	}
}

// read reads something of the account.
func (s *stage) read(t *testing.T, purpose connectors.Purpose, post schema.PublishedPost) (err error) {
	t.Helper()
	switch purpose {
	case connectors.Reads(schema.CollectMetrics):
		_, err = s.connector.(connectors.MetricsSource).PostMetrics(t.Context(), s.reading(), []schema.PublishedPost{post})
	case connectors.Reads(schema.CollectFollowers):
		_, err = s.connector.(connectors.FollowersSource).Followers(t.Context(), s.reading())
	case connectors.Reads(schema.CollectMentions):
		_, err = s.connector.(connectors.MentionSource).Mentions(t.Context(), s.reading(), "")
	case connectors.ReadsRetention:
		_, err = s.connector.(connectors.RetentionSource).Retention(t.Context(), s.reading(), post.NativeID, post.PostedAt)
	case connectors.ReadsSearch:
		_, err = s.connector.(connectors.FeedSearcher).SearchFeed(t.Context(), s.reading(), connectors.FeedQuery{Words: "tea", Limit: 10})
	default:
		t.Fatalf("nobody reads %s", purpose)
	}
	return err
}

// exchangeShowsNoSecrets has the platform fail and repeat what it was sent.
func exchangeShowsNoSecrets(t *testing.T, s *stage) {
	for _, fault := range []simulation.Fault{{Lose: true}, {Status: http.StatusOK, Body: `<html>`}, {Status: http.StatusOK, Body: `{}`}, {Status: http.StatusBadRequest}} {
		v := s.visit(t)
		code := v.allow(t, "ada")
		bare, _, _ := strings.Cut(code, "#")
		if fault.Status == http.StatusBadRequest {
			message := "bad " + bare + " " + v.Grant.Verifier + " " + simulation.AppSecret
			fault.Body = `{"error":{"message":"` + message + `","code":100},"error_description":"` + message + `"}`
		}
		fault.Operation = s.fixture.Consent.Redeem
		s.inject(t, fault)
		_, err := v.Exchange(t, code)
		for _, secret := range []string{bare, v.Grant.Verifier, simulation.AppSecret} {
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("error %v, of %+v", err, fault)
			}
		}
		if schema.KindOf(err) < schema.Refused {
			t.Errorf("error %v is crier's own fault", err)
		}
	}
	if strings.Contains(s.log.String(), simulation.AppSecret) {
		t.Error("the log shows the app's secret")
	}
}
