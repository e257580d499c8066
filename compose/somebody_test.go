package compose_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"crier/compose"
	"crier/schema/people"
)

const words = "a few words of mine"

// somebody is a browser: it keeps its cookie, and sends the token that goes with it.
type somebody struct {
	*world
	listen       string // address of the process that it asks
	cookie, csrf string
}

// somebody is a browser of nobody yet.
func (w *world) somebody() *somebody { return &somebody{world: w, listen: w.config.Listen} }

// at is the same browser at another process.
func (v somebody) at(c childConfig) *somebody {
	v.listen = c.Listen
	return &v
}

// ask sends a request, and returns the status of the answer, which is read into answer where that is not nil.
func (v *somebody) ask(method, path string, body, answer any) int {
	v.Helper()
	document, err := json.Marshal(body)
	if err != nil {
		v.Fatal(err)
	}
	request, err := http.NewRequestWithContext(v.Context(), method, "http://"+v.listen+"/api/v1"+path, bytes.NewReader(document))
	if err != nil {
		v.Fatal(err)
	}
	if method == http.MethodGet {
		request.Body, request.ContentLength = nil, 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Cookie", v.cookie)
	request.Header.Set("X-CSRF-Token", v.csrf)
	response, err := (&http.Client{Timeout: v.client.Timeout}).Do(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	if document, err = io.ReadAll(response.Body); err != nil {
		v.Fatal(err)
	}
	if set := response.Header.Get("Set-Cookie"); set != "" {
		v.cookie, _, _ = strings.Cut(set, ";")
	}
	var session struct {
		CSRFToken string
		Session   struct{ CSRFToken string }
	}
	if json.Unmarshal(document, &session) == nil {
		v.csrf = cmp.Or(session.CSRFToken, session.Session.CSRFToken, v.csrf)
	}
	if answer != nil {
		if err := json.Unmarshal(document, answer); err != nil {
			v.Fatalf("%s %s: %d %s", method, path, response.StatusCode, document)
		}
	}
	return response.StatusCode
}

// want is ask with the status that is wanted.
func (v *somebody) want(status int, method, path string, body, answer any) {
	v.Helper()
	if got := v.ask(method, path, body, answer); got != status {
		v.Fatalf("%s %s: %d, want %d", method, path, got, status)
	}
}

// member makes a user who is a member of the world's workspace, and signs them in.
func (w *world) member(name string, role people.Role) *somebody {
	w.Helper()
	token, err := compose.AddUser(w.Context(), w.operator(), compose.NewUser{Email: name + "@example.com", Name: name, Workspace: w.workspace, Role: role})
	if err != nil {
		w.Fatal(err)
	}
	v := w.somebody()
	v.want(http.StatusCreated, http.MethodPost, "/session/link", map[string]any{"token": token, "password": words}, nil)
	return v
}

// signIn begins another session of a user.
func (w *world) signIn(name string) *somebody {
	w.Helper()
	v := w.somebody()
	v.want(http.StatusCreated, http.MethodPost, "/session", map[string]any{"email": name + "@example.com", "password": words}, nil)
	return v
}

// endSessions holds that a session that ends by one process is refused by another at once.
func (f *fleet) endSessions() {
	f.Helper()
	first, second := f.crew[0].config, f.crew[1].config
	refused := func(v *somebody, after string) {
		f.Helper()
		for _, c := range []childConfig{second, first} {
			if got := v.at(c).ask(http.MethodGet, "/posts", nil, nil); got != http.StatusUnauthorized {
				f.Errorf("after %s %s answers %d", after, c.Listen, got)
			}
		}
	}
	works := func(v *somebody) {
		f.Helper()
		for _, c := range []childConfig{first, second} {
			v.at(c).want(http.StatusOK, http.MethodGet, "/posts", nil, nil)
		}
	}
	owner, bob := f.member("ada", people.Owner), f.member("bob", people.Editor)
	leaves := *bob
	works(&leaves)
	bob.want(http.StatusOK, http.MethodDelete, "/session", nil, nil)
	refused(&leaves, "signing out")

	stays, other := f.signIn("bob"), f.signIn("bob")
	before := *stays
	works(other)
	stays.want(http.StatusOK, http.MethodPatch, "/me/password", map[string]any{"currentPassword": words, "newPassword": words + "!"}, nil)
	refused(other, "a change of the password")
	refused(&before, "a change of the password, by the cookie before")
	works(stays)

	var all struct {
		Members []struct{ UserID, Email string }
	}
	owner.want(http.StatusOK, http.MethodGet, "/members", nil, &all)
	for _, m := range all.Members {
		if m.Email == "bob@example.com" {
			owner.at(second).want(http.StatusOK, http.MethodDelete, "/members/"+m.UserID, nil, nil)
		}
	}
	refused(stays, "the end of the membership")
}
