package wall

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"crier/schema"
)

// macBytes is how much of the MAC an address holds.
const macBytes = 20

// Addresses are the walls of workspaces: each is the workspace's id with a MAC that only who
// has the secret can make.
type Addresses struct{ secret []byte }

// NewAddresses returns the addresses that a secret makes.
func NewAddresses(secret []byte) Addresses { return Addresses{secret} }

// Of returns the address of a workspace's wall.
func (a Addresses) Of(w schema.WorkspaceID) string {
	return base64.RawURLEncoding.EncodeToString(append(w[:], a.mac(w)...))
}

// Workspace returns whose wall an address is; false where it is nobody's. It takes as long for
// each address that is wrong.
func (a Addresses) Workspace(address string) (w schema.WorkspaceID, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(address)
	if err != nil || len(raw) != len(w)+macBytes {
		return w, false
	}
	copy(w[:], raw)
	if !hmac.Equal(raw[len(w):], a.mac(w)) {
		return schema.WorkspaceID{}, false
	}
	return w, true
}

func (a Addresses) mac(w schema.WorkspaceID) []byte {
	mac := hmac.New(sha256.New, a.secret)
	mac.Write([]byte("wall\x00"))
	mac.Write(w[:])
	return mac.Sum(nil)[:macBytes]
}

// These headers carry the address of the wall that a call is for, and what the account is called that makes it, to
// simulators alone.
const (
	header     = "Crier-Wall"
	nameHeader = "Crier-Wall-Name"
)

type key struct{}

// caller is for which wall a call is, and whose.
type caller struct{ address, name string }

// Mark returns a request with the address and the name that its context is for; without one it is the
// request itself.
func Mark(r *http.Request) *http.Request {
	from, ok := r.Context().Value(key{}).(caller)
	if !ok {
		return r
	}
	marked := r.Clone(r.Context())
	marked.Header.Set(header, from.address)
	marked.Header.Set(nameHeader, url.QueryEscape(from.name))
	return marked
}

// WorkspaceOf returns for whom a call of a simulator is; zero where it does not say, or has
// made it up.
func (a Addresses) WorkspaceOf(r *http.Request) schema.WorkspaceID {
	w, _ := a.Workspace(r.Header.Get(header))
	return w
}

// NameOf returns what the account is called that makes a call of a simulator; empty where it does not say.
func (a Addresses) NameOf(r *http.Request) string {
	name, err := url.QueryUnescape(r.Header.Get(nameHeader))
	if err != nil || a.WorkspaceOf(r).IsZero() {
		return ""
	}
	return name
}

func with(ctx context.Context, from caller) context.Context {
	return context.WithValue(ctx, key{}, from)
}
