package gatewaytest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// DeviceGrant is the grant type by which a device gets its key (RFC 8628).
const DeviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// DeviceResponse is the response to a device.
type DeviceResponse struct {
	Status                                          int
	DeviceCode, UserCode, Error, AccessToken, Scope string
	Description                                     string
}

// Device makes a request as a device does: with a form.
func (a *API) Device(path string, form url.Values) DeviceResponse {
	a.Helper()
	got := a.Send(http.MethodPost, a.URL+"/api/v1"+path, strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
	a.Description.CheckResponse(a, http.MethodPost, path, got)
	if got.Header.Get("Cache-Control") != "no-store" && got.Status < 429 {
		a.Errorf("%s may be kept", got.Body)
	}
	var v struct {
		DeviceCode  string `json:"device_code"`
		UserCode    string `json:"user_code"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
		AccessToken string `json:"access_token"`
		Scope       string `json:"scope"`
	}
	if err := json.Unmarshal(got.Body, &v); err != nil {
		a.Fatalf("%s: %v", got.Body, err)
	}
	return DeviceResponse{got.Status, v.DeviceCode, v.UserCode, v.Error, v.AccessToken, v.Scope, v.Description}
}

// BeginDevice asks for a code to show to a person.
func (a *API) BeginDevice(scope string) DeviceResponse {
	a.Helper()
	got := a.Device("/device/code", url.Values{"client_id": {"terminal"}, "scope": {scope}})
	if got.Status != http.StatusOK {
		a.Fatalf("%+v", got)
	}
	return got
}

// PollDevice asks whether the person has approved.
func (a *API) PollDevice(code string) DeviceResponse {
	a.Helper()
	return a.Device("/device/token", url.Values{"client_id": {"terminal"}, "grant_type": {DeviceGrant}, "device_code": {code}})
}
