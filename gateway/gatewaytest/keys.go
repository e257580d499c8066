package gatewaytest

import (
	"net/http"

	"crier/schema"
)

// CreateKey makes a key over the API.
func (a *API) CreateKey(by, body string) (id, secret string) {
	a.Helper()
	key := a.RequestWith(by, http.MethodPost, "/keys", body).Want(http.StatusCreated).At("key")
	return key.At("id").Text(), key.At("secret").Text()
}

// KeyHash is what is stored of a key.
func KeyHash(key string) []byte {
	hash := schema.HashAPIKey(key)
	return hash[:]
}

// RegistrationBody registers a workspace.
const RegistrationBody = `{"name": "Acme", "email": "ada@acme.example"}`
