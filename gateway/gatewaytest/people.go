package gatewaytest

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"

	"crier/identity/password"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// People is the store by which a test makes users.
func (a *API) People() *postgres.People { return postgres.NewPeople(a.Store) }

// SignInMember makes a user who is a member of a workspace, with the password of these tests, and signs them in.
func (a *API) SignInMember(workspace schema.WorkspaceID, role people.Role, name string) *Session {
	a.Helper()
	a.AddUser(name, people.Membership{Workspace: workspace, Role: role})
	return a.SignIn(name)
}

// AddUser makes a user of that name at example.com, with the password of these tests.
func (a *API) AddUser(name string, m people.Membership) people.User {
	a.Helper()
	u, err := a.People().AddUser(a.Context(), people.User{
		ID: schema.NewID[schema.UserID](a.Store.Now()), Email: name + "@example.com", Name: name, CreatedAt: a.Store.Now(),
	}, m)
	if err != nil {
		a.Fatal(err)
	}
	a.Exec(`update users set password = $2 where id = $1`, u.ID.Bytes(), storedPassword())
	return u
}

// CreateLink makes a link that signs a user in, or makes the first owner, and returns its token.
func (a *API) CreateLink(user schema.UserID) string {
	a.Helper()
	token, err := people.NewToken(rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	hash, _ := people.HashToken(token)
	if err := a.People().CreateLink(a.Context(), people.Link{Hash: hash, User: user, ExpiresAt: a.Store.Now().Add(people.LinkLife)}); err != nil {
		a.Fatal(err)
	}
	return token
}

// storedPassword is what is stored of the password of these tests.
var storedPassword = sync.OnceValue(func() string {
	hasher, err := password.New(rand.Reader)
	if err != nil {
		panic(err)
	}
	stored, err := hasher.Hash(context.Background(), Password)
	if err != nil {
		panic(err)
	}
	return stored
})

// SignIn opens a session of a user by the name and the password of these tests.
func (a *API) SignIn(name string) *Session {
	a.Helper()
	s := &Session{API: a}
	s.Do(http.MethodPost, "/session", `{"email": "`+name+`@example.com", "password": "`+Password+`"}`).Want(http.StatusCreated)
	return s
}

// UserID is the id of a user by the name of these tests.
func (a *API) UserID(name string) string {
	a.Helper()
	u, err := a.People().UserOf(a.Context(), name+"@example.com")
	if err != nil {
		a.Fatal(err)
	}
	return u.ID.String()
}

// IsPeopleRoute reports whether a path is for people who are signed in, and for no key.
func IsPeopleRoute(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains([]string{"session", "sessions", "me", "members", "invitations", "device"}, first)
}
