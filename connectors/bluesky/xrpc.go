package bluesky

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"

	"crier/connectors"
	"crier/schema"
)

// The methods that are called. Their names are also those of metrics and of faults.
const (
	createSession  = "com.atproto.server.createSession"
	refreshSession = "com.atproto.server.refreshSession"
	getSession     = "com.atproto.server.getSession"
	getServiceAuth = "com.atproto.server.getServiceAuth"
	resolveHandle  = "com.atproto.identity.resolveHandle"
	uploadBlob     = "com.atproto.repo.uploadBlob"
	putRecord      = "com.atproto.repo.putRecord"
	getRecord      = "com.atproto.repo.getRecord"
	getPosts       = "app.bsky.feed.getPosts"
	getProfile     = "app.bsky.actor.getProfile"
	uploadVideo    = "app.bsky.video.uploadVideo"
	getJobStatus   = "app.bsky.video.getJobStatus"

	getPostThread     = "app.bsky.feed.getPostThread"
	listNotifications = "app.bsky.notification.listNotifications"
	searchPosts       = "app.bsky.feed.searchPosts"
)

// The names of errors that mean more than their status does.
const (
	expiredToken   = "ExpiredToken"
	invalidToken   = "InvalidToken"
	invalidSwap    = "InvalidSwap"
	recordNotFound = "RecordNotFound"
	blobNotFound   = "BlobNotFound"
	postNotFound   = "NotFound"
	// secondFactor is what a login with the account's own password meets.
	secondFactor = "AuthFactorTokenRequired"
)

// xrpcError is the name of a refusal (atproto.com/specs/xrpc), which is what logs show
// of it. Its message may repeat what was sent.
type xrpcError string

func (e xrpcError) Error() string { return "refused as " + string(e) }

// namePattern is what names look like; anything else is not kept.
var namePattern = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// refusalOf reads the body of a refusal.
func refusalOf(body []byte) (name xrpcError, message string) {
	var said struct {
		Name    string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil || !namePattern.MatchString(said.Name) {
		return "", ""
	}
	if said.Message == "" {
		return xrpcError(said.Name), said.Name
	}
	return xrpcError(said.Name), said.Message
}

// Classify is the Classify of the platform's connectors.ClientConfig. Tokens that do
// not work are a 400 on a PDS, and so is a record that exists already. Any other
// answer has the default meaning.
func Classify(status int, _ http.Header, body []byte) *schema.Error {
	name, message := refusalOf(body)
	switch {
	case endOf(name, message) != schema.NotEnded:
		return &schema.Error{Kind: schema.TokenDead, End: endOf(name, message), Message: message, Err: name}
	case status == http.StatusUnauthorized && name == secondFactor:
		return &schema.Error{Kind: schema.TokenDead, Message: "the account's own password needs a second factor: use an app password", Err: name}
	case status != http.StatusBadRequest || name == "":
		return nil
	case name == expiredToken || name == invalidToken:
		return &schema.Error{Kind: schema.TokenDead, Message: message, Err: name}
	case name == invalidSwap:
		return &schema.Error{Kind: schema.Duplicate, Message: message, Err: name}
	default:
		return &schema.Error{Kind: schema.Refused, Message: message, Err: name}
	}
}

// endOf returns the end of an account that a refusal names, whatever its status: servers
// have used several for each.
func endOf(name xrpcError, message string) schema.End {
	switch name {
	case "AccountTakedown", "AccountSuspended", "RepoTakendown", "RepoSuspended":
		return schema.EndSuspended
	case "AccountDeactivated", "RepoDeactivated":
		return schema.EndDeactivated
	case "AccountNotFound":
		return schema.EndDeleted
	case "InsufficientScope", "ScopeMissing", "ScopeMissingError":
		return schema.EndScope
	case invalidToken:
		if message == "Bad token scope" {
			return schema.EndScope
		}
	}
	return schema.NotEnded
}

// isNamed reports whether an error is a refusal of one of these names.
func isNamed(err error, names ...xrpcError) bool {
	name, ok := errors.AsType[xrpcError](err)
	return ok && slices.Contains(names, name)
}

// call is a call of a method in the account's name.
func call(d schema.Delivery, verb, server, method, token string) connectors.Call {
	return connectors.Call{
		Operation: method, Method: verb, URL: endpoint(server, method),
		Account: d.Account.ID, Token: token, Secrets: secretsOf(d.Credentials),
	}
}

// secretsOf returns what of credentials no error may show, whoever repeats it.
func secretsOf(c schema.Credentials) []string {
	return []string{c.Password, c.AccessToken, c.RefreshToken}
}

// endpoint returns the address of a method on a server.
func endpoint(server, method string) string { return server + "/xrpc/" + method }
