package conformance_test

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/conformance"
)

const pinterestDocument = `{"openapi": "3.0.3",
	"paths": {
		"/boards/{id}/pins": {"get": {"parameters": [{"name": "page_size", "in": "query", "schema": {"type": "integer", "maximum": 250}}],
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/List"}}}}, "default": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}}}},
		"/oauth/token": {"post": {"responses": {"default": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}}}}},
	"components": {"schemas": {
		"Error": {"type": "object", "required": ["code", "message"], "properties": {"code": {"type": "integer"}, "message": {"type": "string"}}},
		"List": {"type": "object", "required": ["items"], "properties": {"items": {"type": "array"}, "bookmark": {"type": "string", "nullable": true}}},
		"OauthAccessTokenRequestRefresh": {"type": "object", "required": ["grant_type"], "properties": {"grant_type": {"type": "string"}},
			"allOf": [{"type": "object", "required": ["refresh_token"], "properties": {"refresh_token": {"type": "string"}}}]},
		"OauthAccessTokenResponseRefresh": {"type": "object", "required": ["access_token"], "properties": {"access_token": {"type": "string"}}}}}}`

func TestPinterest(t *testing.T) {
	describe(t, "pinterest/openapi.json", pinterestDocument)
	c := conformance.Pinterest(t)
	const pins, token, list, refused = "/v5/boards/7/pins", "/v5/oauth/token", `{"items": [], "bookmark": null}`, `{"code": 40, "message": "Board not found."}`
	const refresh = "grant_type=refresh_token&refresh_token=x"
	for name, tt := range map[string]struct {
		method, address, proof, request string
		status                          int
		answer, want                    string
	}{
		"as described":                {"GET", pins + "?page_size=250", "Bearer x", "", 200, list, ""},
		"more than there may be":      {"GET", pins + "?page_size=251", "Bearer x", "", 200, list, "page_size is not as described"},
		"without a token":             {"GET", pins, "", "", 200, list, "no bearer token"},
		"of another version":          {"POST", "/v6/pins", "Bearer x", "", 200, list, "the storage is told a token"},
		"an unknown path":             {"GET", "/v5/pins", "Bearer x", "", 200, list, "the path is not described"},
		"a refusal":                   {"GET", pins, "Bearer x", "", 404, refused, ""},
		"a refusal without a code":    {"GET", pins, "Bearer x", "", 404, `{"message": "no"}`, "the answer is not as described"},
		"tokens":                      {"POST", token, "Basic eDp5", refresh, 200, `{"access_token": "x"}`, ""},
		"tokens of nobody":            {"POST", token, "", refresh, 200, `{"access_token": "x"}`, "does not prove who it is"},
		"tokens for an unknown field": {"POST", token, "Basic eDp5", refresh + "&client_id=x", 200, `{"access_token": "x"}`, "client_id of the request is not described"},
		"tokens for nothing":          {"POST", token, "Basic eDp5", "grant_type=refresh_token", 200, `{"access_token": "x"}`, "the request is not as described"},
		"no tokens":                   {"POST", token, "Basic eDp5", refresh, 200, `{}`, "the answer is not as described"},
		"no tokens for an app":        {"POST", token, "Basic eDp5", "grant_type=password", 200, `{}`, "not one of people"},
		"tokens that are refused":     {"POST", token, "Basic eDp5", refresh, 400, refused, ""},
		"a page":                      {"GET", "/pin/7/", "", "", 200, "<html>", ""},
		"a form without its fields":   {"POST", "/media-uploads/7", "", "a=b", 204, "", "field policy is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			e := exchange(t, tt.method, tt.address, tt.request, tt.status, tt.answer)
			e.RequestHeader = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
			if tt.proof != "" {
				e.RequestHeader.Set("Authorization", tt.proof)
			}
			wantReport(t, c, e, tt.want)
		})
	}
}
