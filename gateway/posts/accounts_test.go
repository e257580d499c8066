package posts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// setCharacterLimit says of all mastodon accounts how long a text their server takes.
func setCharacterLimit(a *gatewaytest.API, characters int) {
	a.Helper()
	a.Exec(`update accounts set settings = $1`, fmt.Sprintf(`{"limits": {"text": %d}}`, characters))
	a.Ahead.Add(int64(2 * time.Second)) // past what is remembered of accounts
}

func TestAPatchIsHeldToWhatTheAccountsServerTakes(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	setCharacterLimit(a, 5000)
	at := a.In(time.Hour)
	post := "/posts/" + a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "scheduledFor": %q}`, gatewaytest.Zeros(1000), at)).
		Want(http.StatusCreated).At("post", "id").Text()
	thread := "/threads/" + a.Request(http.MethodPost, "/threads", fmt.Sprintf(`{"posts": [{"content": %q}, {"content": "x"}], "platforms": ["mastodon"], "scheduledFor": %q}`, gatewaytest.Zeros(1000), at)).
		Want(http.StatusCreated).At("thread", "id").Text()
	changes := []struct{ path, body string }{
		{post, `{"scheduledFor": "` + a.In(2*time.Hour) + `"}`}, {post, `{"metadata": {"a": "b"}}`}, {post, `{"status": "draft"}`},
		{thread, `{"title": "t"}`}, {thread, `{"scheduledFor": "` + a.In(2*time.Hour) + `"}`}, {thread, `{"status": "draft"}`},
	}
	for _, c := range changes {
		a.Request(http.MethodPatch, c.path, c.body).Want(http.StatusOK)
	}
	setCharacterLimit(a, 400)
	for _, c := range changes { // another field never fails for a text that has become too long
		if got := a.Request(http.MethodPatch, c.path, c.body).Want(http.StatusOK).At("warnings", 0, "code").Text(); got != "text_too_long" {
			t.Errorf("%s %s: warned of %q", c.path, c.body, got)
		}
	}
	for _, c := range []struct{ path, body string }{
		{post, `{"content": "` + gatewaytest.Zeros(450) + `"}`}, {post, `{"status": "scheduled"}`}, {post, `{"platforms": ["mastodon"]}`}, {thread, `{"status": "scheduled"}`},
	} {
		e := a.Request(http.MethodPatch, c.path, c.body).WantError(http.StatusBadRequest, "validation_error")
		if got := e.At("details", 0, "code").Text(); got != "text_too_long" {
			t.Errorf("%s %s: details = %v", c.path, c.body, e.At("details"))
		}
	}
	setCharacterLimit(a, 5000)
	a.Request(http.MethodPatch, post, `{"status": "scheduled"}`).Want(http.StatusOK)
	setCharacterLimit(a, 400)
	if got := a.Request(http.MethodGet, post, nil).Want(http.StatusOK).At("warnings", 0, "code").Text(); got != "text_too_long" {
		t.Errorf("a scheduled post whose limits shrank warns of %q", got)
	}
}

// inBrand connects an account and puts it into a new brand.
func inBrand(a *gatewaytest.API, platform schema.Platform, name, brand string) (account schema.AccountID, id string) {
	a.Helper()
	account = a.AddAccount(a.Workspace, platform, name)
	id = a.Request(http.MethodPost, "/brands", fmt.Sprintf(`{"name": %q}`, brand)).Want(http.StatusCreated).At("brand", "id").Text()
	a.Request(http.MethodPatch, "/accounts/"+account.String(), fmt.Sprintf(`{"brandId": %q}`, id)).Want(http.StatusOK)
	return account, id
}

func TestABareNameMeansTheBrandsOnlyAccount(t *testing.T) {
	a := gatewaytest.New(t)
	cafe, cafeBrand := inBrand(a, schema.Mastodon, "@cafe", "Cafe")
	bar, barBrand := inBrand(a, schema.Mastodon, "@bar", "Bar")
	club := a.AddAccount(a.Workspace, schema.Bluesky, "club.bsky.social")
	post := func(platform, brand string) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": [%s], "brandId": %q, "status": "draft"}`, platform, brand))
	}
	for brand, want := range map[string]schema.AccountID{cafeBrand: cafe, barBrand: bar} {
		created := post(`"mastodon"`, brand).Want(http.StatusCreated)
		if got := created.At("post", "platforms", 0, "accountId").Text(); got != want.String() || created.Has("warnings") {
			t.Errorf("the account is %s, want %s; warnings: %v", got, want, created.At("warnings"))
		}
	}
	// An account that is not the brand's is taken where it is named or in no brand, which a warning says.
	for platform, account := range map[string]schema.AccountID{
		`"bluesky"`: club, fmt.Sprintf(`{"platform": "mastodon", "accountId": %q}`, bar): bar,
	} {
		created := post(platform, cafeBrand).Want(http.StatusCreated)
		warning := created.At("warnings", 0)
		if created.At("post", "platforms", 0, "accountId").Text() != account.String() ||
			warning.At("code").Text() != "account_of_another_brand" || !strings.Contains(warning.At("message").Text(), account.String()) {
			t.Errorf("%s: %v", platform, created)
		}
		id := created.At("post", "id").Text()
		if changed := a.Request(http.MethodPatch, "/posts/"+id, `{"content": "y"}`).Want(http.StatusOK); changed.Has("warnings") {
			t.Errorf("%s: a change of something else warns: %v", platform, changed)
		}
	}
	// One of another brand is never taken by its platform alone.
	a.Request(http.MethodPatch, "/accounts/"+club.String(), fmt.Sprintf(`{"brandId": %q}`, barBrand)).Want(http.StatusOK)
	e := post(`"bluesky"`, cafeBrand).WantError(http.StatusBadRequest, "validation_error").At("details", 0)
	if e.At("code").Text() != "account_missing" || !strings.Contains(e.At("message").Text(), "of the brand "+barBrand+" (Bar)") {
		t.Errorf("details = %v", e)
	}
}

func TestAnAccountOfAnotherPlatformIsNamed(t *testing.T) {
	a := gatewaytest.New(t)
	account := a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	e := a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "publishNow": true}`, account)).
		WantError(http.StatusBadRequest, "validation_error").At("details", 0)
	if want := account.String() + " is the bluesky account a.bsky.social, not one of mastodon"; e.At("code").Text() != "account_unknown" || e.At("message").Text() != want {
		t.Errorf("details = %v, want %s", e, want)
	}
}
