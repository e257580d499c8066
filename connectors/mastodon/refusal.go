package mastodon

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// What Mastodon says of an account that it serves no more
// (app/controllers/api/base_controller.rb). These texts are not translated.
const (
	saysDisabled    = "Your login is currently disabled" // suspended, frozen, or a memorial
	saysUnconfirmed = "Your login is missing a confirmed e-mail address"
	saysPending     = "Your login is currently pending approval"
	saysNoUser      = "This method requires an authenticated user"
	saysScopes      = "This action is outside the authorized scopes"
	saysNotFound    = "Record not found"
)

// saidBy returns the message of a refusal; empty where it is none of Mastodon's.
func saidBy(body []byte) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	return refusal.Error
}

// Classify is the Classify of the platform's connectors.ClientConfig. Any other answer has
// the default meaning, so that a 401 is a token that no longer works.
func Classify(status int, _ http.Header, body []byte) *schema.Error {
	said := saidBy(body)
	ended := func(end schema.End) *schema.Error {
		return &schema.Error{Kind: schema.TokenDead, End: end, Message: said}
	}
	switch {
	case said == "":
		return nil
	case status == http.StatusForbidden && strings.HasPrefix(said, saysDisabled):
		return ended(schema.EndSuspended)
	case status == http.StatusForbidden && (strings.HasPrefix(said, saysUnconfirmed) || strings.HasPrefix(said, saysPending)):
		return ended(schema.EndDeactivated)
	case status == http.StatusForbidden && strings.HasPrefix(said, saysScopes):
		return ended(schema.EndScope)
	case status == http.StatusUnprocessableEntity && strings.HasPrefix(said, saysNoUser): // a 401 since 4.3
		return ended(schema.NotEnded)
	case status == http.StatusGone:
		return ended(schema.EndDeleted)
	default:
		return nil
	}
}

// ofOwnAccount judges the refusal of a call that is about nothing but the caller's account:
// what was not found is the account.
func ofOwnAccount(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status != http.StatusNotFound || saidBy(response.Body) != saysNotFound {
		return err
	}
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeleted, Message: "the server has no such account", Err: refused}
}

// withoutEnd judges the refusal of an upload: a token that may not upload may still
// publish what has no media.
func withoutEnd(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.End == schema.EndScope {
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	return err
}
