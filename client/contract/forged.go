package contract

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Secrets of webhooks: Secret is the receiver's, OldSecret was rotated out and signs too.
const (
	Secret    = "whsec_dGhlIHNlY3JldCBvZiB0aGUgcmVjZWl2ZXI="
	OldSecret = "whsec_dGhlIHNlY3JldCBiZWZvcmUgdGhhdCBvbmU="
	stranger  = "whsec_bm9ib2R5IGtub3dzIHRoaXMgb25lIGhlcmU="
)

// Forged is a delivery as somebody sends it, and what a receiver with a secret makes of it.
type Forged struct {
	Name   string
	Header map[string]string
	Body   string
	Secret string // of the receiver
	Now    time.Time

	Want string // the event's name and the id of what it is about; empty: it is refused
	Why  string // it is refused: signature, time or body
}

// signedAt is when all of Deliveries say that they were signed.
var signedAt = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

const (
	published = `{"id": "evt_01k9sr3q5wf2g8m7r4t0v1x2y3", "event": "post.published", "test": false, "createdAt": "2026-12-01T08:00:00Z",` +
		` "data": {"post": {"id": "post_01k9sr3q5wf2g8m7r4t0v1x2y3", "content": "Grüße 👋", "status": "published", "timezone": "UTC", "isApiPost": true,` +
		` "metadata": {}, "platforms": [{"platform": "mastodon", "accountId": "acc_1", "status": "posted", "postId": "9007199254740993123"}]}}}`
	failed = `{"id": "evt_01k9sr3q5wf2g8m7r4t0v1x2y4", "event": "account.error", "test": true, "createdAt": "2026-12-01T08:00:00Z",` +
		` "data": {"account": {"id": "acc_01k9sr3q5wf2g8m7r4t0v1x2y3", "platform": "mastodon", "name": "ann",` +
		` "nativeId": "109", "isConnected": false, "needsReconnect": true},` +
		` "error": {"code": "token_revoked", "message": "the token was revoked", "someday": 1}}}`
	received = `{"id": "evt_01k9sr3q5wf2g8m7r4t0v1x2y5", "event": "comment.received", "test": false, "createdAt": "2026-12-01T08:00:00Z",` +
		` "data": {"item": {"id": "item_01k9sr3q5wf2g8m7r4t0v1x2y3", "kind": "comment", "platform": "mastodon", "accountId": "acc_1", "nativeId": "109", "writtenAt": "2026-12-01T07:59:59Z"}}}`
	unheardOf = `{"id": "evt_01k9sr3q5wf2g8m7r4t0v1x2y6", "event": "poll.ended", "test": false, "createdAt": "2026-12-01T08:00:00Z", "data": {"poll": {"id": "poll_1"}}}`
)

// Deliveries are signed rightly, wrongly, too long ago, and by two secrets.
func Deliveries() []Forged {
	const post = "post.published post_01k9sr3q5wf2g8m7r4t0v1x2y3"
	own, standard := ownHeaders(published, Secret), standardHeaders(published, Secret)
	both := merged(own, standard)
	old := merged(own, map[string]string{"X-Webhook-Signature": "t=1,v1=" + ownSignature(published, Secret)})
	rotated := map[string]string{"X-Webhook-Signature": own["X-Webhook-Signature"] + ",v1=" + ownSignature(published, OldSecret)}
	rotatedStandard := merged(standard, map[string]string{"Webhook-Signature": standard["Webhook-Signature"] + " " + standardHeaders(published, OldSecret)["Webhook-Signature"]})
	forged := []Forged{
		{Name: "both ways", Header: both, Want: post},
		{Name: "by X-Webhook-Signature", Header: own, Want: post},
		{Name: "by Standard Webhooks", Header: standard, Want: post},
		{Name: "two secrets, the receiver's is first", Header: rotated, Want: post},
		{Name: "two secrets, the receiver's is second", Header: rotated, Secret: OldSecret, Want: post},
		{Name: "two secrets by Standard Webhooks, second", Header: rotatedStandard, Secret: OldSecret, Want: post},
		{Name: "a version of signatures to come beside it", Header: merged(standard, map[string]string{"Webhook-Signature": "v9,AAAA " + standard["Webhook-Signature"]}), Want: post},
		{Name: "just inside five minutes", Header: both, Now: signedAt.Add(299 * time.Second), Want: post},
		{Name: "another event", Header: ownHeaders(failed, Secret), Body: failed, Want: "account.error acc_01k9sr3q5wf2g8m7r4t0v1x2y3"},
		{Name: "an event of the inbox", Header: standardHeaders(received, Secret), Body: received, Want: "comment.received item_01k9sr3q5wf2g8m7r4t0v1x2y3"},
		{Name: "an event of a kind to come", Header: ownHeaders(unheardOf, Secret), Body: unheardOf, Want: "poll.ended unknown"},

		{Name: "another secret", Header: ownHeaders(published, stranger), Why: "signature"},
		{Name: "another secret, by Standard Webhooks", Header: standardHeaders(published, stranger), Why: "signature"},
		{Name: "own wrong, standard right", Header: merged(standard, ownHeaders(published, stranger)), Why: "signature"},
		{Name: "no signature", Header: map[string]string{}, Why: "signature"},
		{Name: "a signature that is empty", Header: map[string]string{"X-Webhook-Signature": "t=" + unix() + ",v1="}, Why: "signature"},
		{Name: "a signature that is no hex", Header: map[string]string{"X-Webhook-Signature": "t=" + unix() + ",v1=zz" + ownSignature(published, Secret)[2:]}, Why: "signature"},
		{Name: "half a signature", Header: map[string]string{"X-Webhook-Signature": "t=" + unix() + ",v1=" + ownSignature(published, Secret)[:32]}, Why: "signature"},
		{Name: "another body", Header: both, Body: published + " ", Why: "signature"},
		{Name: "another id, by Standard Webhooks", Header: merged(standard, map[string]string{"Webhook-Id": "evt_other"}), Why: "signature"},
		{Name: "another time than was signed", Header: old, Why: "signature"},
		{Name: "a receiver without a secret", Header: ownHeaders(published, ""), Secret: "none", Why: "signature"},
		{Name: "signed five minutes ago", Header: both, Now: signedAt.Add(301 * time.Second), Why: "time"},
		{Name: "signed in five minutes", Header: both, Now: signedAt.Add(-301 * time.Second), Why: "time"},
		{Name: "signed by the secret, and no JSON", Header: ownHeaders("{", Secret), Body: "{", Why: "body"},
		{Name: "signed by the secret, and no event", Header: ownHeaders("[]", Secret), Body: "[]", Why: "body"},
	}
	for i := range forged {
		f := &forged[i]
		f.Body = cmp.Or(f.Body, published)
		switch f.Secret {
		case "":
			f.Secret = Secret
		case "none":
			f.Secret = ""
		}
		if f.Now.IsZero() {
			f.Now = signedAt.Add(time.Second)
		}
	}
	return forged
}

// ownHeaders signs a body as X-Webhook-Signature has it.
func ownHeaders(body, secret string) map[string]string {
	return map[string]string{"X-Webhook-Signature": "t=" + unix() + ",v1=" + ownSignature(body, secret)}
}

func ownSignature(body, secret string) string {
	return hex.EncodeToString(sum([]byte(secret), unix()+"."+body))
}

// standardHeaders signs a body as Standard Webhooks has it.
func standardHeaders(body, secret string) map[string]string {
	const id = "evt_01k9sr3q5wf2g8m7r4t0v1x2y3"
	key, err := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	if err != nil {
		panic(fmt.Sprintf("the secret %s is no base64", secret))
	}
	signature := base64.StdEncoding.EncodeToString(sum(key, id+"."+unix()+"."+body))
	return map[string]string{"Webhook-Id": id, "Webhook-Timestamp": unix(), "Webhook-Signature": "v1," + signature}
}

func sum(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func unix() string { return strconv.FormatInt(signedAt.Unix(), 10) }

func merged(first, second map[string]string) map[string]string {
	all := maps.Clone(first)
	maps.Copy(all, second)
	return all
}
