package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// needed is the permission of a route by its method, except for those named here: whoever
// adds a route gets the strictest rule that its method may have, or decides here.
func needed(method, path string) schema.Permission {
	switch method + " " + path {
	case "POST /session", "POST /session/link", "POST /session/reset", "GET /mail/unsubscribe", "POST /mail/unsubscribe", "POST /device/code", "POST /device/token", "POST /invitations/accept":
		return 0
	case "GET /session/providers", "POST /session/providers/:provider", "GET /session/providers/:provider/callback",
		"POST /session/passkey", "POST /session/passkey/challenge":
		return 0
	case "GET /openapi.json", "POST /keys/register", "POST /billing/stripe", "GET /files/:id/:name", "HEAD /files/:id/:name", "PUT /uploads/:id/:secret":
		return 0
	case "GET /connect/:platform/callback", "POST /connect/:platform/confirm", "POST /connect/:platform/choose", "GET /connect/:platform/reconnect",
		"POST /connect/:platform/events":
		return 0
	case "POST /connect/:platform/deauthorize", "POST /connect/:platform/delete-data", "GET /deletions/:id", "POST /deletions/:id/confirm":
		return 0
	case "POST /posts/validate", "POST /posts/lookup":
		return schema.Read
	case "GET /media/:id/parts": // whoever knows the addresses can send
		return schema.Write
	case "DELETE /accounts/:id", "POST /accounts/:id/pause", "POST /accounts/:id/resume", "POST /billing/checkout", "POST /deletions":
		return schema.Admin
	}
	switch {
	case path == "/audit/installation": // for the operator
		return schema.Admin + 1
	case strings.HasPrefix(path, "/audit"):
		return schema.Admin
	case gatewaytest.IsPeopleRoute(path):
		return schema.Admin + 1
	case strings.HasPrefix(path, "/keys"), strings.HasPrefix(path, "/connect/"):
		return schema.Admin
	case method == http.MethodGet:
		return schema.Read
	default:
		return schema.Write
	}
}

func TestEveryRouteNeedsItsPermission(t *testing.T) {
	a := gatewaytest.New(t)
	keys := map[schema.Permission]string{
		schema.Read:  a.NewKey(a.Workspace, schema.Read),
		schema.Write: a.NewKey(a.Workspace, schema.Write),
		schema.Admin: a.Key,
	}
	routes := a.Gateway.Handler().(*gin.Engine).Routes()
	if len(routes) < 50 {
		t.Fatalf("%d routes", len(routes))
	}
	for _, route := range routes {
		path, ok := strings.CutPrefix(route.Path, "/api/v1")
		if !ok {
			continue // a page, which needs no key
		}
		t.Run(route.Method+path, func(t *testing.T) {
			a.Under(t)
			holdsPermission(a, route.Method, path, keys)
		})
	}
}

// holdsPermission calls a route with a key of each permission, and with none.
func holdsPermission(a *gatewaytest.API, method, path string, keys map[schema.Permission]string) {
	a.Helper()
	need := needed(method, path)
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s == ":platform" {
			segments[i] = "mastodon"
		} else if strings.HasPrefix(s, ":") {
			segments[i] = "x"
		}
	}
	address := strings.Join(segments, "/")
	var body any
	if method != http.MethodGet {
		body = `{}`
	}
	if got := a.RequestWith("", method, address, body); (got.Status == http.StatusUnauthorized) != (need != 0) {
		a.Errorf("without a key: %d %s", got.Status, got.Body)
	}
	for permission, key := range keys {
		got := a.RequestWith(key, method, address, body)
		if refused := got.Status == http.StatusForbidden; refused != (permission < need) {
			a.Errorf("with permission %v: %d %s", permission.Names(), got.Status, got.Body)
		}
	}
}
