package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// Granted is what the token endpoint answers with (RFC 6749, 5.1), by all names that platforms have
// for it. Times are in seconds.
type Granted struct {
	Access  string  `json:"access_token"`
	Expires int64   `json:"expires_in"` // 0: that is not known, or never
	Refresh string  `json:"refresh_token"`
	Scope   *string `json:"scope"` // nil: it does not say

	RefreshExpires       int64 `json:"refresh_token_expires_in"`
	RefreshExpiresTikTok int64 `json:"refresh_expires_in"`

	// Of Meta's: what was granted, and whose the token is; none where the answer does not say. Instagram's
	// stands in Data by its documents; what it sends stands by itself.
	Permissions list      `json:"permissions"`
	Person      ID        `json:"user_id"`
	Data        []Granted `json:"data"`

	refusal // that came with 200
}

func (g Granted) refreshExpires() int64 { return cmp.Or(g.RefreshExpires, g.RefreshExpiresTikTok) }

// refusal is how the endpoints refuse (RFC 6749, 5.2).
type refusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// Trade asks for tokens in the name of crier's app; secrets are what is given for them.
func (f Flow) Trade(ctx context.Context, a schema.Account, form url.Values, secrets ...string) (Granted, error) {
	if err := f.lacksApp(); err != nil {
		return Granted{}, err
	}
	call := f.call(a, f.tokens, f.dialect.OpTokens, form)
	call.Visible, call.Secrets = f.dialect.Once, append(call.Secrets, secrets...)
	if f.dialect.InAddress {
		call.Method, call.Query, call.Form = http.MethodGet, call.Form, nil
	}
	var granted Granted
	response, err := f.client.Do(ctx, call, &granted)
	if err == nil && granted.Access == "" && len(granted.Data) > 0 {
		granted = granted.Data[0]
	}
	switch {
	case err != nil:
		return Granted{}, f.refused(response, err)
	case granted.Error != "":
		return Granted{}, f.meaning(granted.Error, f.withoutSecrets(cmp.Or(granted.Description, granted.Error), secrets))
	case granted.Access == "" && f.dialect.Once:
		return Granted{}, &schema.Error{Kind: schema.Unknown, Message: f.dialect.Name + "'s answer has no token"}
	case granted.Access == "":
		return Granted{}, f.strange("has no token")
	}
	return granted, nil
}

// EndToken has a token work no more (RFC 7009). kind is its token_type_hint; empty: the platform takes
// none.
func (f Flow) EndToken(ctx context.Context, a schema.Account, kind, token string) error {
	form := url.Values{"token": {token}}
	connectors.SetField(form, "token_type_hint", kind)
	call := f.call(a, f.revocation, f.dialect.OpRevocation, form)
	call.Secrets = append(call.Secrets, token)
	response, err := f.client.Do(ctx, call, nil)
	if err != nil {
		return fmt.Errorf("revoking the %s: %w", cmp.Or(kind, "token"), err)
	}
	var body refusal
	if json.Unmarshal(response.Body, &body) == nil && body.Error != "" {
		return f.meaning(body.Error, f.withoutSecrets(cmp.Or(body.Description, body.Error), []string{token}))
	}
	return nil
}

// call is one that crier makes in its own name.
func (f Flow) call(a schema.Account, endpoint, operation string, form url.Values) connectors.Call {
	call := connectors.Call{Operation: operation, Method: http.MethodPost, URL: endpoint, Form: form, Account: a.ID}
	if f.dialect.Unlimited {
		call.Account = schema.AccountID{}
	}
	if f.App.Secret == "" || !f.dialect.Basic {
		form.Set(f.clientID(), f.App.ID)
	}
	switch {
	case f.App.Secret == "":
	case f.dialect.Basic:
		proof := base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(f.App.ID) + ":" + url.QueryEscape(f.App.Secret)))
		call.Header = http.Header{"Authorization": {"Basic " + proof}}
		call.Secrets = []string{proof, f.App.Secret}
	default:
		form.Set("client_secret", f.App.Secret)
		call.Secrets = []string{f.App.Secret}
	}
	return call
}

// refused judges a refusal by the token endpoint.
func (f Flow) refused(response *connectors.Response, err error) error {
	failure, ok := errors.AsType[*schema.Error](err)
	if f.dialect.Refusals == nil || !ok || response == nil || response.Status/100 != 4 || failure.Kind == schema.RateLimited {
		return err
	}
	code := codeOf
	if f.dialect.Code != nil {
		code = f.dialect.Code
	}
	meant := f.meaning(code(response), failure.Message)
	meant.Err = err
	return meant
}

func codeOf(response *connectors.Response) string {
	var body refusal
	if json.Unmarshal(response.Body, &body) != nil {
		return ""
	}
	return body.Error
}

// meaning tells a refusal of what was given for tokens from one of crier's own app.
func (f Flow) meaning(code, message string) *schema.Error {
	if kind, ok := f.dialect.Refusals[code]; ok {
		return &schema.Error{Kind: kind, Message: message}
	}
	return &schema.Error{Kind: schema.Retryable, Message: f.dialect.Name + " refused crier's own app: " + message}
}

// withoutSecrets takes them out of what an answer of 200 says, as the client does of all others.
func (f Flow) withoutSecrets(text string, secrets []string) string {
	for _, secret := range append([]string{f.App.Secret}, secrets...) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	return text
}

// list is a list, or a text with commas or spaces between its parts.
type list []string

// UnmarshalJSON reads either.
func (l *list) UnmarshalJSON(content []byte) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		*l = connectors.SplitScopes(text)
		return nil
	}
	return json.Unmarshal(content, (*[]string)(l))
}

// ID is an id that is written as a text or as a number.
type ID string

// UnmarshalJSON reads either, without the rounding of a double.
func (i *ID) UnmarshalJSON(content []byte) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		*i = ID(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(content, &number); err != nil {
		return err
	}
	*i = ID(number.String())
	return nil
}
