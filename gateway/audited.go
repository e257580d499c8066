package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"crier/gateway/admission"
	"crier/schema/people"
)

// actions are what the audit log calls operations that change something, by method and path. One that may
// change something and stands neither here nor in untold is refused at the start.
var actions = map[string]string{
	"POST /brands": "brand.create", "PATCH /brands/:id": "brand.rename", "DELETE /brands/:id": "brand.delete",
	"PATCH /accounts/:id": "account.update", "DELETE /accounts/:id": "account.disconnect",
	"POST /accounts/:id/pause": "account.pause", "POST /accounts/:id/resume": "account.resume",
	"GET /connect/:platform/callback": "account.connect", "PUT /connect/redirects": "workspace.redirects",
	"POST /queues": "queue.create", "PATCH /queues/:id": "queue.update", "DELETE /queues/:id": "queue.delete",
	"POST /feeds/keywords": "monitor.create", "PATCH /feeds/keywords/:id": "monitor.update", "DELETE /feeds/keywords/:id": "monitor.delete",
	"POST /webhooks": "webhook.create", "PATCH /webhooks/:id": "webhook.update", "DELETE /webhooks/:id": "webhook.delete",
	"POST /webhooks/:id/rotate-secret": "webhook.rotate_secret", "POST /webhooks/:id/redeliver": "webhook.redeliver",
	"POST /webhooks/:id/deliveries/:deliveryId/redeliver": "webhook.redeliver",
	"POST /keys": "key.create", "POST /keys/:id/rotate": "key.rotate", "DELETE /keys/:id": "key.revoke", "POST /keys/:id/unsuspend": "key.unsuspend", "POST /keys/register": "workspace.register",
	"POST /engagement/replies": "reply.create",
	"POST /deletions":          "deletion.ask", "POST /deletions/:id/confirm": "deletion.confirm",
	"POST /session": "session.begin", "POST /session/link": "session.begin", "DELETE /session": "session.end", "DELETE /sessions/:id": "session.end",
	"POST /session/passkey": "session.begin", "GET /session/providers/:provider/callback": "session.begin",
	"PATCH /me/password": "password.change", "POST /me/email/confirm": "email.change",
	"POST /me/passkeys": "passkey.add", "PATCH /me/passkeys/:id": "passkey.rename", "DELETE /me/passkeys/:id": "passkey.remove",
	"DELETE /me/identities/:id": "identity.unlink",
	"POST /invitations":         "invitation.create", "DELETE /invitations/:id": "invitation.withdraw", "POST /invitations/accept": "member.join",
	"PATCH /members/:id": "member.change", "DELETE /members/:id": "member.remove",
	"POST /device/:userCode/approve": "device.approve", "POST /device/:userCode/deny": "device.deny", "POST /device/token": "key.create",
}

// ofPeople are the actions on what has a history of its own where a key does it: posts and media.
var ofPeople = map[string]string{
	"POST /posts": "post.create", "POST /posts/bulk": "post.create", "PATCH /posts/:id": "post.update", "DELETE /posts/:id": "post.delete",
	"POST /posts/:id/retry": "post.retry",
	"POST /threads":         "post.create", "PATCH /threads/:id": "post.update", "DELETE /threads/:id": "post.delete",
	"POST /media": "media.create", "POST /media/from-url": "media.create", "POST /media/upload-url": "media.create",
	"PATCH /media/:id": "media.update", "DELETE /media/:id": "media.delete",
}

// untold are the operations that change nothing which the audit log tells of, and why.
var untold = map[string]string{
	"POST /posts/validate": "it reads", "POST /posts/lookup": "it reads",
	"POST /media/:id/complete": "it is a part of media.create", "PUT /uploads/:id/:secret": "it is a part of media.create",
	"POST /webhooks/:id/test": "it sends a test", "POST /engagement/read": "it marks what was read",
	"PATCH /session":                      "it says what the session shows",
	"POST /session/passkey/challenge":     "it begins a sign-in",
	"POST /session/proof":                 "what it allows is told by itself",
	"POST /session/providers/:provider":   "it begins a sign-in",
	"POST /me/passkeys/challenge":         "it asks; passkey.add tells of it",
	"POST /me/identities":                 "it asks; identity.link tells of it",
	"POST /session/reset":                 "it asks for a link; session.begin tells of its use",
	"POST /me/email":                      "it asks for a link; email.change tells of its use",
	"PATCH /me/mail":                      "it says what one gets of mail",
	"POST /mail/unsubscribe":              "it says what one gets of mail",
	"POST /device/code":                   "it asks; device.approve tells of it",
	"POST /billing/checkout":              "it begins a purchase at Stripe",
	"POST /billing/stripe":                "Stripe tells of a subscription, which keeps its own history",
	"POST /connect/:platform/events":      "a platform tells of an event",
	"POST /connect/:platform/deauthorize": "a platform tells of a person, of whom nothing is kept",
	"POST /connect/:platform/delete-data": "a platform tells of a person, of whom nothing is kept",
}

// audited returns an operation as one of its action in the audit log.
func audited(r admission.Route) (admission.Route, error) {
	route := r.Method + " " + r.Path
	if action := actions[route] + ofPeople[route]; action != "" && !people.IsAction(action) {
		return r, fmt.Errorf("%s has the action %q, which the audit log does not know: list it with the others", route, action)
	}
	if action, ok := actions[route]; ok {
		return r.Audited(action), nil
	}
	if action, ok := ofPeople[route]; ok {
		return r.AuditedOfPeople(action), nil
	}
	isSafe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if _, ok := untold[route]; ok || isSafe {
		return r, nil
	}
	if strings.HasPrefix(r.Path, "/connect/") { // of each platform, and of the pages of consents
		return r.Audited("account.connect"), nil
	}
	return r, fmt.Errorf("%s has no action in the audit log: name one, or say why not", route)
}
