package devices_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"crier/gateway/gatewaytest"
	"crier/schema/people"
)

// TestDeviceByAnotherClientOfOAuth uses golang.org/x/oauth2 as it is.
func TestDeviceByAnotherClientOfOAuth(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	config := oauth2.Config{ClientID: "terminal", Scopes: []string{"read", "write"}, Endpoint: oauth2.Endpoint{
		DeviceAuthURL: a.URL + "/api/v1/device/code", TokenURL: a.URL + "/api/v1/device/token", AuthStyle: oauth2.AuthStyleInParams,
	}}
	authorization, err := config.DeviceAuth(t.Context(), oauth2.SetAuthURLParam("device_name", "crier on \u202eada's laptop\n"))
	if err != nil {
		t.Fatal(err)
	}
	if authorization.VerificationURI != "https://crier.example/device" || authorization.VerificationURIComplete != authorization.VerificationURI+"?code="+authorization.UserCode || authorization.Interval != 5 {
		t.Errorf("asked = %+v", authorization)
	}
	typed := strings.ToLower(strings.ReplaceAll(authorization.UserCode, "-", " "))
	device := ada.Do(http.MethodGet, "/device/"+url.PathEscape(typed), nil).Want(http.StatusOK).At("device")
	for path, want := range map[string]any{
		"name": "crier on ada's laptop", "address": "127.0.0.1/32", "workspace.name": "acme", "workspace.test": false, "permissions.1": "write",
	} {
		if got := device.Dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	ada.Do(http.MethodPost, "/device/"+authorization.UserCode+"/approve", nil).Want(http.StatusOK)
	authorization.Interval = 1
	token, err := config.DeviceAccessToken(t.Context(), authorization)
	if err != nil {
		t.Fatal(err)
	}
	a.RequestWith(token.AccessToken, http.MethodPost, "/brands", `{"name": "x"}`).Want(http.StatusCreated)
	a.RequestWith(token.AccessToken, http.MethodGet, "/keys", nil).WantError(http.StatusForbidden, "forbidden")
	listed := a.Request(http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys", 0)
	if listed.At("name").Text() != "crier on ada's laptop" || listed.At("permissions").Len() != 2 {
		t.Errorf("listed = %v", listed.Value)
	}
	if n := a.QueryInt(`select count(*) from api_keys where by_device and made_by = (select id from users)`); n != 1 {
		t.Errorf("%d keys are a device's", n)
	}
	rotated := a.Request(http.MethodPost, "/keys/"+listed.At("id").Text()+"/rotate", `{"overlapHours": 0}`).Want(http.StatusOK).At("key")
	if n := a.QueryInt(`select count(*) from api_keys where by_device`); n != 2 {
		t.Errorf("%d keys are a device's after a rotation", n)
	}
	a.Request(http.MethodDelete, "/keys/"+rotated.At("id").Text(), nil).Want(http.StatusOK)
}

func TestDeviceIsRefusedWithWords(t *testing.T) {
	a := gatewaytest.New(t)
	for name, tt := range map[string]struct {
		path  string
		form  url.Values
		error string
	}{
		"no client":       {"/device/code", url.Values{}, "invalid_client"},
		"unknown scope":   {"/device/code", url.Values{"client_id": {"x"}, "scope": {"read all"}}, "invalid_scope"},
		"given twice":     {"/device/code", url.Values{"client_id": {"x", "y"}}, "invalid_request"},
		"another grant":   {"/device/token", url.Values{"grant_type": {"password"}}, "unsupported_grant_type"},
		"no device code":  {"/device/token", url.Values{"grant_type": {gatewaytest.DeviceGrant}}, "invalid_grant"},
		"forged":          {"/device/token", url.Values{"grant_type": {gatewaytest.DeviceGrant}, "device_code": {people.CSRFToken("x")}}, "invalid_grant"},
		"much too large":  {"/device/code", url.Values{"client_id": {strings.Repeat("x", 9<<10)}}, "invalid_request"},
		"percent and a z": {"/device/token", url.Values{"grant_type": {"%zz"}}, "unsupported_grant_type"},
	} {
		if got := a.Device(tt.path, tt.form); got.Status != http.StatusBadRequest || got.Error != tt.error || got.Description == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := a.RequestWith("", http.MethodPost, "/device/code", `{"client_id": "x"}`)
	if got.Status != http.StatusBadRequest || !strings.Contains(string(got.Body), `"error":"invalid_request"`) || strings.Contains(string(got.Body), "success") {
		t.Errorf("JSON: %d %s", got.Status, got.Body)
	}
}

func TestDeviceWaitsAsLongAsItIsTold(t *testing.T) {
	a := gatewaytest.New(t)
	begun := a.BeginDevice("")
	for i, want := range []string{"authorization_pending", "slow_down", "slow_down"} {
		if got := a.PollDevice(begun.DeviceCode); got.Status != http.StatusBadRequest || got.Error != want {
			t.Fatalf("%d: %+v", i, got)
		}
	}
	if n := a.QueryInt(`select interval_seconds from device_requests`); n != 15 {
		t.Errorf("interval = %d s", n)
	}
	a.Exec(`update device_requests set polled_at = now() - interval '16 seconds'`)
	if got := a.PollDevice(begun.DeviceCode); got.Error != "authorization_pending" {
		t.Errorf("%+v", got)
	}
	a.Exec(`update device_requests set expires_at = now()`)
	if got := a.PollDevice(begun.DeviceCode); got.Error != "expired_token" {
		t.Errorf("%+v", got)
	}
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	for _, call := range []string{"", "/approve", "/deny"} {
		method := http.MethodPost
		if call == "" {
			method = http.MethodGet
		}
		ada.Do(method, "/device/"+begun.UserCode+call, nil).WantError(http.StatusNotFound, "not_found")
	}
}

// TestDeviceGetsOneKey asks twice at a time, and again.
func TestDeviceGetsOneKey(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	begun := a.BeginDevice("admin")
	ada.Do(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).Want(http.StatusOK)
	ada.Do(http.MethodPost, "/device/"+begun.UserCode+"/deny", nil).WantError(http.StatusNotFound, "not_found") // it is decided
	var both [2]gatewaytest.DeviceResponse
	var done sync.WaitGroup
	for i := range both {
		done.Go(func() { both[i] = a.PollDevice(begun.DeviceCode) })
	}
	done.Wait()
	if both[0].AccessToken == "" {
		both[0], both[1] = both[1], both[0]
	}
	if both[0].Scope != "read write admin" || both[1].Error != "invalid_grant" {
		t.Errorf("both = %+v", both)
	}
	a.RequestWith(both[0].AccessToken, http.MethodGet, "/keys", nil).Want(http.StatusOK)
	if got := a.PollDevice(begun.DeviceCode); got.Error != "invalid_grant" {
		t.Errorf("%+v", got)
	}
	for _, secret := range []string{begun.DeviceCode, begun.UserCode, both[0].AccessToken} {
		if n := a.QueryInt(`select count(*) from api_keys k where k::text like '%` + secret + `%'`); n != 0 {
			t.Error("a secret is stored")
		}
	}
}

// TestDeviceMayDoWhatItsApproverCanGive looks at what members can when the device asks for its key.
func TestDeviceMayDoWhatItsApproverCanGive(t *testing.T) {
	a := gatewaytest.New(t)
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
			a.Under(t)
			a.Exec(`delete from users`)
			v := a.SignInMember(a.Workspace, tt.role, "ada")
			begun := a.BeginDevice("admin")
			v.Do(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).Want(http.StatusOK)
			if tt.after != "" {
				a.Exec(tt.after)
			}
			if got := a.PollDevice(begun.DeviceCode); got.Scope != tt.scope || got.Error != tt.error {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDeviceIsDenied(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Viewer, "ada")
	begun := a.BeginDevice("read")
	forged := *ada
	forged.CSRFToken = ""
	forged.Do(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).WantError(http.StatusForbidden, "forbidden")
	a.Request(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).WantError(http.StatusForbidden, "forbidden") // a key is nobody
	ada.Do(http.MethodPost, "/device/"+begun.UserCode+"/deny", nil).Want(http.StatusOK)
	if got := a.PollDevice(begun.DeviceCode); got.Error != "access_denied" {
		t.Errorf("%+v", got)
	}
	if got := a.PollDevice(begun.DeviceCode); got.Error != "invalid_grant" {
		t.Errorf("%+v", got)
	}
}

func TestDeviceInTestModeGetsATestKey(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	ada.Do(http.MethodPatch, "/session", `{"test": true}`).Want(http.StatusOK)
	begun := a.BeginDevice("read")
	ada.Do(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).Want(http.StatusOK)
	if got := a.PollDevice(begun.DeviceCode); !strings.HasPrefix(got.AccessToken, "crier_test_") {
		t.Errorf("%+v", got)
	}
}

func TestDeviceCodesCannotBeGuessed(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Viewer, "ada")
	for range people.DeviceLooks {
		ada.Do(http.MethodGet, "/device/BBBB-BBBB", nil).WantError(http.StatusNotFound, "not_found")
	}
	begun := a.BeginDevice("read")
	for _, call := range []string{"/approve", "/deny"} {
		ada.Do(http.MethodPost, "/device/"+begun.UserCode+call, nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	}
	ada.Do(http.MethodGet, "/device/AEIO-UAEI", nil).WantError(http.StatusNotFound, "not_found")
}

func TestDevicesOfANetworkAreBounded(t *testing.T) {
	a := gatewaytest.New(t)
	a.Exec(`insert into request_windows (subject, began_at, used) values ('device from 127.0.0.1/32', now(), $1)`, people.DevicesByAddress)
	if got := a.Device("/device/code", url.Values{"client_id": {"x"}}); got.Status != http.StatusTooManyRequests || got.Error != "slow_down" {
		t.Errorf("%+v", got)
	}
	a.Exec(`delete from request_windows`)
	a.Freeze()
	for range 600 {
		a.RequestWith("", http.MethodGet, "/posts", nil)
	}
	if got := a.PollDevice("x"); got.Status != http.StatusTooManyRequests || got.Error != "slow_down" {
		t.Errorf("%+v", got)
	}
}
