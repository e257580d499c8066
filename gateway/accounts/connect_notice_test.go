package accounts_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/gateway/gatewaytest"
)

// What TikTok has signed has an account's credentials looked at, in every workspace, once.
func TestAConsentThatWasTakenBackIsLookedAt(t *testing.T) {
	a := gatewaytest.New(t)
	connected := a.Request(http.MethodPost, "/connect/tiktok", map[string]any{"accessToken": "act.ada", "refreshToken": "rft.ada"}).Want(http.StatusCreated)
	a.Request(http.MethodPost, "/connect/tiktok", map[string]any{"accessToken": "act.bob"}).Want(http.StatusCreated)
	body := `{"client_key": "` + simulation.AppID + `", "event": "authorization.removed", "user_openid": "` + connected.At("account", "nativeId").Text() + `"}`
	sign := func(body string) string {
		mac := hmac.New(sha256.New, []byte(simulation.AppSecret))
		mac.Write([]byte("1." + body))
		return "t=1,s=" + hex.EncodeToString(mac.Sum(nil))
	}
	wantChecks := func(want int) {
		t.Helper()
		if got := a.QueryInt(`select count(*) from accounts where renew_asked_at is not null`); got != want {
			t.Errorf("%d accounts are looked at, want %d", got, want)
		}
	}
	const path = "/connect/tiktok/events"
	a.RequestWith("", http.MethodPost, path, body).WantError(http.StatusBadRequest, "validation_error")
	a.RequestWith("", http.MethodPost, path, body, "TikTok-Signature", sign(body+" ")).WantError(http.StatusBadRequest, "validation_error")
	other := strings.Replace(body, "authorization.removed", "post.publish.complete", 1)
	a.RequestWith("", http.MethodPost, path, other, "TikTok-Signature", sign(other)).Want(http.StatusOK)
	wantChecks(0)
	for range 2 {
		a.RequestWith("", http.MethodPost, path, body, "TikTok-Signature", sign(body)).Want(http.StatusOK)
		wantChecks(1)
	}
	if renewed := a.QueryInt(`select count(*) from accounts where renew_asked_at is not null and native_id = '` + connected.At("account", "nativeId").Text() + `'`); renewed != 1 {
		t.Error("another account is looked at")
	}
	a.RequestWith("", http.MethodPost, "/connect/mastodon/events", body).WantError(http.StatusNotFound, "not_found")
	a.RequestWith("", http.MethodPost, "/connect/nothing/events", body).WantError(http.StatusNotFound, "not_found")
}
