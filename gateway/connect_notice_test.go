package gateway_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
)

// What TikTok has signed has an account's credentials looked at, in every workspace, once.
func TestAConsentThatWasTakenBackIsLookedAt(t *testing.T) {
	a := newAPI(t)
	connected := a.call(http.MethodPost, "/connect/tiktok", map[string]any{"accessToken": "act.ada", "refreshToken": "rft.ada"}).want(http.StatusCreated)
	a.call(http.MethodPost, "/connect/tiktok", map[string]any{"accessToken": "act.bob"}).want(http.StatusCreated)
	body := `{"client_key": "` + simulation.AppID + `", "event": "authorization.removed", "user_openid": "` + connected.at("account", "nativeId").text() + `"}`
	sign := func(body string) string {
		mac := hmac.New(sha256.New, []byte(simulation.AppSecret))
		mac.Write([]byte("1." + body))
		return "t=1,s=" + hex.EncodeToString(mac.Sum(nil))
	}
	asked := func(want int) {
		t.Helper()
		if got := a.number(`select count(*) from accounts where renew_asked_at is not null`); got != want {
			t.Errorf("%d accounts are looked at, want %d", got, want)
		}
	}
	const path = "/connect/tiktok/events"
	a.callWith("", http.MethodPost, path, body).fails(http.StatusBadRequest, "validation_error")
	a.callWith("", http.MethodPost, path, body, "TikTok-Signature", sign(body+" ")).fails(http.StatusBadRequest, "validation_error")
	other := strings.Replace(body, "authorization.removed", "post.publish.complete", 1)
	a.callWith("", http.MethodPost, path, other, "TikTok-Signature", sign(other)).want(http.StatusOK)
	asked(0)
	for range 2 {
		a.callWith("", http.MethodPost, path, body, "TikTok-Signature", sign(body)).want(http.StatusOK)
		asked(1)
	}
	if renewed := a.number(`select count(*) from accounts where renew_asked_at is not null and native_id = '` + connected.at("account", "nativeId").text() + `'`); renewed != 1 {
		t.Error("another account is looked at")
	}
	a.callWith("", http.MethodPost, "/connect/mastodon/events", body).fails(http.StatusNotFound, "not_found")
	a.callWith("", http.MethodPost, "/connect/nothing/events", body).fails(http.StatusNotFound, "not_found")
}
