package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"crier/schema/people"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// said is what a device is told.
type said struct {
	Status                                          int
	DeviceCode, UserCode, Error, AccessToken, Scope string
	Description                                     string
}

// device calls as a device does: with a form.
func (a *api) device(path string, form url.Values) said {
	a.Helper()
	response, err := http.Post(a.url+"/api/v1"+path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	a.description.check(a, http.MethodPost, path, &answer{TB: a, status: response.StatusCode, header: response.Header, body: text})
	if response.Header.Get("Cache-Control") != "no-store" && response.StatusCode < 429 {
		a.Errorf("%s may be kept", text)
	}
	var v struct {
		DeviceCode  string `json:"device_code"`
		UserCode    string `json:"user_code"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
		AccessToken string `json:"access_token"`
		Scope       string `json:"scope"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		a.Fatalf("%s: %v", text, err)
	}
	return said{response.StatusCode, v.DeviceCode, v.UserCode, v.Error, v.AccessToken, v.Scope, v.Description}
}

func (a *api) begin(scope string) said {
	a.Helper()
	got := a.device("/device/code", url.Values{"client_id": {"terminal"}, "scope": {scope}})
	if got.Status != http.StatusOK {
		a.Fatalf("%+v", got)
	}
	return got
}

func (a *api) poll(code string) said {
	a.Helper()
	return a.device("/device/token", url.Values{"client_id": {"terminal"}, "grant_type": {deviceGrant}, "device_code": {code}})
}

// TestDeviceByAnotherClientOfOAuth uses golang.org/x/oauth2 as it is.
func TestDeviceByAnotherClientOfOAuth(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Editor, "ada")
	config := oauth2.Config{ClientID: "terminal", Scopes: []string{"read", "write"}, Endpoint: oauth2.Endpoint{
		DeviceAuthURL: a.url + "/api/v1/device/code", TokenURL: a.url + "/api/v1/device/token", AuthStyle: oauth2.AuthStyleInParams,
	}}
	asked, err := config.DeviceAuth(t.Context(), oauth2.SetAuthURLParam("device_name", "crier on \u202eada's laptop\n"))
	if err != nil {
		t.Fatal(err)
	}
	if asked.VerificationURI != "https://crier.example/device" || asked.VerificationURIComplete != asked.VerificationURI+"?code="+asked.UserCode || asked.Interval != 5 {
		t.Errorf("asked = %+v", asked)
	}
	typed := strings.ToLower(strings.ReplaceAll(asked.UserCode, "-", " "))
	shown := ada.ask(http.MethodGet, "/device/"+url.PathEscape(typed), nil).want(http.StatusOK).at("device")
	for path, want := range map[string]any{
		"name": "crier on ada's laptop", "address": "127.0.0.1/32", "workspace.name": "acme", "workspace.test": false, "permissions.1": "write",
	} {
		if got := shown.dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	ada.ask(http.MethodPost, "/device/"+asked.UserCode+"/approve", nil).want(http.StatusOK)
	asked.Interval = 1
	token, err := config.DeviceAccessToken(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	a.callWith(token.AccessToken, http.MethodPost, "/brands", `{"name": "x"}`).want(http.StatusCreated)
	a.callWith(token.AccessToken, http.MethodGet, "/keys", nil).fails(http.StatusForbidden, "forbidden")
	listed := a.call(http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys", 0)
	if listed.at("name").text() != "crier on ada's laptop" || listed.at("permissions").size() != 2 {
		t.Errorf("listed = %v", listed.value)
	}
	if n := a.number(`select count(*) from api_keys where by_device and made_by = (select id from users)`); n != 1 {
		t.Errorf("%d keys are a device's", n)
	}
	rotated := a.call(http.MethodPost, "/keys/"+listed.at("id").text()+"/rotate", `{"overlapHours": 0}`).want(http.StatusOK).at("key")
	if n := a.number(`select count(*) from api_keys where by_device`); n != 2 {
		t.Errorf("%d keys are a device's after a rotation", n)
	}
	a.call(http.MethodDelete, "/keys/"+rotated.at("id").text(), nil).want(http.StatusOK)
}

func TestDeviceIsRefusedWithWords(t *testing.T) {
	a := newAPI(t)
	for name, tt := range map[string]struct {
		path  string
		form  url.Values
		error string
	}{
		"no client":       {"/device/code", url.Values{}, "invalid_client"},
		"unknown scope":   {"/device/code", url.Values{"client_id": {"x"}, "scope": {"read all"}}, "invalid_scope"},
		"given twice":     {"/device/code", url.Values{"client_id": {"x", "y"}}, "invalid_request"},
		"another grant":   {"/device/token", url.Values{"grant_type": {"password"}}, "unsupported_grant_type"},
		"no device code":  {"/device/token", url.Values{"grant_type": {deviceGrant}}, "invalid_grant"},
		"forged":          {"/device/token", url.Values{"grant_type": {deviceGrant}, "device_code": {people.CSRFToken("x")}}, "invalid_grant"},
		"much too large":  {"/device/code", url.Values{"client_id": {strings.Repeat("x", 9<<10)}}, "invalid_request"},
		"percent and a z": {"/device/token", url.Values{"grant_type": {"%zz"}}, "unsupported_grant_type"},
	} {
		if got := a.device(tt.path, tt.form); got.Status != http.StatusBadRequest || got.Error != tt.error || got.Description == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := a.callWith("", http.MethodPost, "/device/code", `{"client_id": "x"}`)
	if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), `"error":"invalid_request"`) || strings.Contains(string(got.body), "success") {
		t.Errorf("JSON: %d %s", got.status, got.body)
	}
}

func TestDeviceWaitsAsLongAsItIsTold(t *testing.T) {
	a := newAPI(t)
	begun := a.begin("")
	for i, want := range []string{"authorization_pending", "slow_down", "slow_down"} {
		if got := a.poll(begun.DeviceCode); got.Status != http.StatusBadRequest || got.Error != want {
			t.Fatalf("%d: %+v", i, got)
		}
	}
	if n := a.number(`select interval_seconds from device_requests`); n != 15 {
		t.Errorf("interval = %d s", n)
	}
	a.exec(`update device_requests set polled_at = now() - interval '16 seconds'`)
	if got := a.poll(begun.DeviceCode); got.Error != "authorization_pending" {
		t.Errorf("%+v", got)
	}
	a.exec(`update device_requests set expires_at = now()`)
	if got := a.poll(begun.DeviceCode); got.Error != "expired_token" {
		t.Errorf("%+v", got)
	}
	ada := a.member(a.workspace, people.Owner, "ada")
	for _, call := range []string{"", "/approve", "/deny"} {
		method := http.MethodPost
		if call == "" {
			method = http.MethodGet
		}
		ada.ask(method, "/device/"+begun.UserCode+call, nil).fails(http.StatusNotFound, "not_found")
	}
}

// TestDeviceGetsOneKey asks twice at a time, and again.
func TestDeviceGetsOneKey(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	begun := a.begin("admin")
	ada.ask(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).want(http.StatusOK)
	ada.ask(http.MethodPost, "/device/"+begun.UserCode+"/deny", nil).fails(http.StatusNotFound, "not_found") // it is decided
	var both [2]said
	var done sync.WaitGroup
	for i := range both {
		done.Go(func() { both[i] = a.poll(begun.DeviceCode) })
	}
	done.Wait()
	if both[0].AccessToken == "" {
		both[0], both[1] = both[1], both[0]
	}
	if both[0].Scope != "read write admin" || both[1].Error != "invalid_grant" {
		t.Errorf("both = %+v", both)
	}
	a.callWith(both[0].AccessToken, http.MethodGet, "/keys", nil).want(http.StatusOK)
	if got := a.poll(begun.DeviceCode); got.Error != "invalid_grant" {
		t.Errorf("%+v", got)
	}
	for _, secret := range []string{begun.DeviceCode, begun.UserCode, both[0].AccessToken} {
		if n := a.number(`select count(*) from api_keys k where k::text like '%` + secret + `%'`); n != 0 {
			t.Error("a secret is stored")
		}
	}
}

// TestDeviceMayDoWhatItsApproverCanGive looks at what members can when the device asks for its key.
func TestDeviceMayDoWhatItsApproverCanGive(t *testing.T) {
	a := newAPI(t)
	for name, tt := range map[string]struct {
		role  people.Role
		after string // what happens between the approval and the key
		scope string
		error string
	}{
		"a viewer":                     {role: people.Viewer, scope: "read"},
		"an author, whose are drafts":  {role: people.Author, scope: "read"},
		"an editor":                    {role: people.Editor, scope: "read write"},
		"an admin":                     {role: people.Admin, scope: "read write"},
		"an owner":                     {role: people.Owner, scope: "read write admin"},
		"one who is less by then":      {role: people.Owner, after: `update memberships set role = 1`, scope: "read"},
		"one who is no member by then": {role: people.Owner, after: `delete from memberships`, error: "access_denied"},
		"one who is gone by then":      {role: people.Owner, after: `delete from users`, error: "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			a.exec(`delete from users`)
			v := a.member(a.workspace, tt.role, "ada")
			begun := a.begin("admin")
			v.ask(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).want(http.StatusOK)
			if tt.after != "" {
				a.exec(tt.after)
			}
			if got := a.poll(begun.DeviceCode); got.Scope != tt.scope || got.Error != tt.error {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDeviceIsDenied(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Viewer, "ada")
	begun := a.begin("read")
	forged := *ada
	forged.csrf = ""
	forged.ask(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).fails(http.StatusForbidden, "forbidden")
	a.call(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).fails(http.StatusForbidden, "forbidden") // a key is nobody
	ada.ask(http.MethodPost, "/device/"+begun.UserCode+"/deny", nil).want(http.StatusOK)
	if got := a.poll(begun.DeviceCode); got.Error != "access_denied" {
		t.Errorf("%+v", got)
	}
	if got := a.poll(begun.DeviceCode); got.Error != "invalid_grant" {
		t.Errorf("%+v", got)
	}
}

func TestDeviceInTestModeGetsATestKey(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Editor, "ada")
	ada.ask(http.MethodPatch, "/session", `{"test": true}`).want(http.StatusOK)
	begun := a.begin("read")
	ada.ask(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).want(http.StatusOK)
	if got := a.poll(begun.DeviceCode); !strings.HasPrefix(got.AccessToken, "crier_test_") {
		t.Errorf("%+v", got)
	}
}

func TestDeviceCodesCannotBeGuessed(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Viewer, "ada")
	for range people.DeviceLooks {
		ada.ask(http.MethodGet, "/device/BBBB-BBBB", nil).fails(http.StatusNotFound, "not_found")
	}
	begun := a.begin("read")
	for _, call := range []string{"/approve", "/deny"} {
		ada.ask(http.MethodPost, "/device/"+begun.UserCode+call, nil).fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	}
	ada.ask(http.MethodGet, "/device/AEIO-UAEI", nil).fails(http.StatusNotFound, "not_found")
}

func TestDevicesOfANetworkAreBounded(t *testing.T) {
	a := newAPI(t)
	a.exec(`insert into request_windows (subject, began_at, used) values ('device from 127.0.0.1/32', now(), $1)`, people.DevicesByAddress)
	if got := a.device("/device/code", url.Values{"client_id": {"x"}}); got.Status != http.StatusTooManyRequests || got.Error != "slow_down" {
		t.Errorf("%+v", got)
	}
	a.exec(`delete from request_windows`)
	a.freeze()
	for range 600 {
		a.callWith("", http.MethodGet, "/openapi.json", nil)
	}
	if got := a.poll("x"); got.Status != http.StatusTooManyRequests || got.Error != "slow_down" {
		t.Errorf("%+v", got)
	}
}
