package bluesky

import (
	"errors"
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
	listRecords    = "com.atproto.repo.listRecords"
	getPosts       = "app.bsky.feed.getPosts"
	getProfile     = "app.bsky.actor.getProfile"
	uploadVideo    = "app.bsky.video.uploadVideo"
	getJobStatus   = "app.bsky.video.getJobStatus"
	uploadLimits   = "app.bsky.video.getUploadLimits"
	searchPosts    = "app.bsky.feed.searchPosts"

	getPostThread     = "app.bsky.feed.getPostThread"
	listNotifications = "app.bsky.notification.listNotifications"
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
