package tiktok

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/schema"
)

const (
	signatureHeader = "TikTok-Signature"
	removed         = "authorization.removed"
)

// Withdrawn reads a webhook (developers.tiktok.com/doc/webhooks-overview, -verification). Of its
// events, which come at least once and for three days until they are answered, the one of a
// consent that was taken back counts: how a video stands is asked for.
func (c *Connector) Withdrawn(header http.Header, body []byte) (nativeID string, err error) {
	if c.App.ID == "" || c.App.Secret == "" {
		return "", connectors.NoAppCalled(schema.TikTok)
	}
	var event struct {
		ClientKey string `json:"client_key"`
		Event     string `json:"event"`
		OpenID    string `json:"user_openid"`
	}
	if !c.signed(header.Get(signatureHeader), body) || json.Unmarshal(body, &event) != nil || event.ClientKey != c.App.ID {
		return "", &schema.Error{Kind: schema.Invalid, Message: "this is no event that TikTok has signed for the app of this server"}
	}
	if event.Event != removed {
		return "", nil
	}
	return event.OpenID, nil
}

// signed reports whether a signature, t=TIME,s=SIGNATURE, is of the app's secret over the time, a
// period and the body.
func (c *Connector) signed(signature string, body []byte) bool {
	fields := map[string]string{}
	for _, field := range strings.Split(signature, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	given, err := hex.DecodeString(fields["s"])
	if err != nil || fields["t"] == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(c.App.Secret))
	mac.Write([]byte(fields["t"] + "."))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), given)
}
