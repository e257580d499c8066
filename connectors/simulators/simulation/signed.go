package simulation

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// SignedRequest is what Meta sends to an app of a person who has removed it, or wants their data
// deleted. The person is the name of a Consent; it is signed with the app's secret
// (developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback).
func (w *World) SignedRequest(person string) string {
	document, _ := json.Marshal(map[string]any{ // cannot fail
		"algorithm": "HMAC-SHA256", "issued_at": w.Now().Unix(), "user_id": w.Account(Consent{Name: person}.Token()).ID,
	})
	text := base64.RawURLEncoding.EncodeToString(document)
	mac := hmac.New(sha256.New, []byte(AppSecret))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + text
}

// CallFor sends the signed request of a person to an app's callback, as the platform does.
func (w *World) CallFor(ctx context.Context, person, callback string) (*http.Response, error) {
	form := url.Values{"signed_request": {w.SignedRequest(person)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, callback, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.http.Do(request)
}
