// Package gatewaytest runs a gateway for tests: on a database of its own, with the platforms'
// simulators, called over HTTP as clients do. Every response is held against openapi.yaml.
//
//	a := gatewaytest.New(t)
//	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
//	post := a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post")
//	a.Request(http.MethodGet, "/posts/x", nil).WantError(http.StatusNotFound, "not_found")
//
// A Session makes requests as a user who is signed in, a Person connects accounts in a Browser.
// What needs one resource alone stays in the tests of its package.
package gatewaytest
