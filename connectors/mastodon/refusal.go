package mastodon

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"crier/connectors"
	"crier/schema"
)

// saysNotFound is what Mastodon says of what is not there, and of what the caller may not see.
const saysNotFound = "Record not found"

// messageOf returns the message of a refusal; empty where it is none of Mastodon's.
func messageOf(body []byte) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	return refusal.Error
}

// notValid is the code of what Pixelfed refuses of a form, with the status of an outage.
const notValid = "form"

// answers is what Mastodon's refusals mean beyond their status. Its texts about accounts are not
// translated (app/controllers/api/base_controller.rb).
func answers() connectors.Answers {
	const source = "mastodon/mastodon app/controllers/api/base_controller.rb"
	return connectors.Answers{Read: readRefusal, Table: []connectors.Answer{
		{ // suspended, frozen, or a memorial
			Status: []int{http.StatusForbidden}, Says: "Your login is currently disabled",
			Means: connectors.EndsAccount, End: schema.EndSuspended,
			Source: source, Example: `{"error":"Your login is currently disabled"}`,
		},
		{
			Status: []int{http.StatusForbidden}, Says: "Your login is missing a confirmed e-mail address",
			Means: connectors.EndsAccount, End: schema.EndDeactivated,
			Source: source, Example: `{"error":"Your login is missing a confirmed e-mail address"}`,
		},
		{
			Status: []int{http.StatusForbidden}, Says: "Your login is currently pending approval",
			Means: connectors.EndsAccount, End: schema.EndDeactivated,
			Source: source, Example: `{"error":"Your login is currently pending approval"}`,
		},
		{
			Status: []int{http.StatusForbidden}, Says: "This action is outside the authorized scopes",
			Means: connectors.EndsAccount, End: schema.EndScope,
			Source: "docs.joinmastodon.org/api/oauth-scopes", Example: `{"error":"This action is outside the authorized scopes"}`,
		},
		{ // a 401 since 4.3
			Status: []int{http.StatusUnprocessableEntity}, Says: "This method requires an authenticated user",
			Means: connectors.ChecksAccount, Source: source, Example: `{"error":"This method requires an authenticated user"}`,
		},
		{
			Status: []int{http.StatusInternalServerError}, Says: "Unauthenticated.", Means: connectors.ChecksAccount,
			Source: "pixelfed/pixelfed app/Exceptions/Handler.php", Example: `{"error":"Unauthenticated."}`,
		},
		{
			Status: []int{http.StatusInternalServerError}, Codes: []string{notValid}, Means: connectors.IsRefused,
			Source:  "pixelfed/pixelfed app/Exceptions/Handler.php",
			Example: `{"message":"The selected visibility is invalid.","errors":{"visibility":["The selected visibility is invalid."]}}`,
		},
		{
			Status: []int{http.StatusForbidden}, Says: "Empty statuses are not allowed", Means: connectors.IsRefused,
			Message: "this server takes no post without a picture or a video",
			Source:  "pixelfed/pixelfed app/Http/Controllers/Api/ApiV1Controller.php", Example: `{"error":"Empty statuses are not allowed"}`,
		},
		{
			Status: []int{http.StatusGone}, Own: true, Means: connectors.EndsAccount, End: schema.EndDeleted,
			Source: "docs.joinmastodon.org/entities/Error", Example: `{"error":"Gone"}`,
		},
	}}
}

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	var beside struct {
		Description string                     `json:"error_description"` // RFC 6749, 5.2: the error is a code then
		Message     string                     `json:"message"`
		Fields      map[string]json.RawMessage `json:"errors"` // of a form
	}
	message := messageOf(response.Body)
	isRead := json.Unmarshal(response.Body, &beside) == nil
	switch {
	case message != "":
		return connectors.Refusal{Message: cmp.Or(beside.Description, message)}, true
	case isRead && beside.Message != "" && len(beside.Fields) > 0:
		return connectors.Refusal{Codes: []string{notValid}, Message: beside.Message}, true
	default:
		return connectors.Refusal{}, false
	}
}

// ofOwnAccount judges the refusal of a call that is about nothing but the caller's account:
// what was not found is the account.
func ofOwnAccount(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status != http.StatusNotFound || messageOf(response.Body) != saysNotFound {
		return err
	}
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeleted, Message: "the server has no such account", Err: refused}
}
