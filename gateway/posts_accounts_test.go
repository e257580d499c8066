package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// takes says of all mastodon accounts how long a text their server takes.
func (a *api) takes(characters int) {
	a.Helper()
	a.exec(`update accounts set settings = $1`, fmt.Sprintf(`{"limits": {"text": %d}}`, characters))
	a.ahead.Add(int64(2 * time.Second)) // past what is remembered of accounts
}

func TestAPatchIsHeldToWhatTheAccountsServerTakes(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.takes(5000)
	at := a.in(time.Hour)
	post := "/posts/" + a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "scheduledFor": %q}`, long(1000), at)).
		want(http.StatusCreated).at("post", "id").text()
	thread := "/threads/" + a.call(http.MethodPost, "/threads", fmt.Sprintf(`{"posts": [{"content": %q}, {"content": "x"}], "platforms": ["mastodon"], "scheduledFor": %q}`, long(1000), at)).
		want(http.StatusCreated).at("thread", "id").text()
	changes := []struct{ path, body string }{
		{post, `{"scheduledFor": "` + a.in(2*time.Hour) + `"}`}, {post, `{"metadata": {"a": "b"}}`}, {post, `{"status": "draft"}`},
		{thread, `{"title": "t"}`}, {thread, `{"scheduledFor": "` + a.in(2*time.Hour) + `"}`}, {thread, `{"status": "draft"}`},
	}
	for _, c := range changes {
		a.call(http.MethodPatch, c.path, c.body).want(http.StatusOK)
	}
	a.takes(400)
	for _, c := range changes { // another field never fails for a text that has become too long
		if got := a.call(http.MethodPatch, c.path, c.body).want(http.StatusOK).at("warnings", 0, "code").text(); got != "text_too_long" {
			t.Errorf("%s %s: warned of %q", c.path, c.body, got)
		}
	}
	for _, c := range []struct{ path, body string }{
		{post, `{"content": "` + long(450) + `"}`}, {post, `{"status": "scheduled"}`}, {post, `{"platforms": ["mastodon"]}`}, {thread, `{"status": "scheduled"}`},
	} {
		e := a.call(http.MethodPatch, c.path, c.body).fails(http.StatusBadRequest, "validation_error")
		if got := e.at("details", 0, "code").text(); got != "text_too_long" {
			t.Errorf("%s %s: details = %v", c.path, c.body, e.at("details"))
		}
	}
	a.takes(5000)
	a.call(http.MethodPatch, post, `{"status": "scheduled"}`).want(http.StatusOK)
	a.takes(400)
	if got := a.call(http.MethodGet, post, nil).want(http.StatusOK).at("warnings", 0, "code").text(); got != "text_too_long" {
		t.Errorf("a scheduled post whose limits shrank warns of %q", got)
	}
}

// inBrand connects an account and puts it into a new brand.
func (a *api) inBrand(platform schema.Platform, name, brand string) (account schema.AccountID, id string) {
	a.Helper()
	account = a.connect(a.workspace, platform, name)
	id = a.call(http.MethodPost, "/brands", fmt.Sprintf(`{"name": %q}`, brand)).want(http.StatusCreated).at("brand", "id").text()
	a.call(http.MethodPatch, "/accounts/"+account.String(), fmt.Sprintf(`{"brandId": %q}`, id)).want(http.StatusOK)
	return account, id
}

func TestABareNameMeansTheBrandsOnlyAccount(t *testing.T) {
	a := newAPI(t)
	cafe, cafeBrand := a.inBrand(schema.Mastodon, "@cafe", "Cafe")
	bar, barBrand := a.inBrand(schema.Mastodon, "@bar", "Bar")
	club := a.connect(a.workspace, schema.Bluesky, "club.bsky.social")
	post := func(platform, brand string) *answer {
		return a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": [%s], "brandId": %q, "status": "draft"}`, platform, brand))
	}
	for brand, want := range map[string]schema.AccountID{cafeBrand: cafe, barBrand: bar} {
		made := post(`"mastodon"`, brand).want(http.StatusCreated)
		if got := made.at("post", "platforms", 0, "accountId").text(); got != want.String() || made.has("warnings") {
			t.Errorf("the account is %s, want %s; warnings: %v", got, want, made.at("warnings"))
		}
	}
	// An account that is not the brand's is taken where it is named or in no brand, which a warning says.
	for platform, account := range map[string]schema.AccountID{
		`"bluesky"`: club, fmt.Sprintf(`{"platform": "mastodon", "accountId": %q}`, bar): bar,
	} {
		made := post(platform, cafeBrand).want(http.StatusCreated)
		warning := made.at("warnings", 0)
		if made.at("post", "platforms", 0, "accountId").text() != account.String() ||
			warning.at("code").text() != "account_of_another_brand" || !strings.Contains(warning.at("message").text(), account.String()) {
			t.Errorf("%s: %v", platform, made)
		}
		id := made.at("post", "id").text()
		if changed := a.call(http.MethodPatch, "/posts/"+id, `{"content": "y"}`).want(http.StatusOK); changed.has("warnings") {
			t.Errorf("%s: a change of something else warns: %v", platform, changed)
		}
	}
	// One of another brand is never taken by its platform alone.
	a.call(http.MethodPatch, "/accounts/"+club.String(), fmt.Sprintf(`{"brandId": %q}`, barBrand)).want(http.StatusOK)
	e := post(`"bluesky"`, cafeBrand).fails(http.StatusBadRequest, "validation_error").at("details", 0)
	if e.at("code").text() != "account_missing" || !strings.Contains(e.at("message").text(), "of the brand "+barBrand+" (Bar)") {
		t.Errorf("details = %v", e)
	}
}

func TestAnAccountOfAnotherPlatformIsNamed(t *testing.T) {
	a := newAPI(t)
	account := a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	e := a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "publishNow": true}`, account)).
		fails(http.StatusBadRequest, "validation_error").at("details", 0)
	if want := account.String() + " is the bluesky account a.bsky.social, not one of mastodon"; e.at("code").text() != "account_unknown" || e.at("message").text() != want {
		t.Errorf("details = %v, want %s", e, want)
	}
}
