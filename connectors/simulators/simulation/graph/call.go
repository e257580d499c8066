package graph

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// Versions serves an API whose paths begin with a version: all are alike.
type Versions struct {
	Mux  *http.ServeMux
	Path *regexp.Regexp // of the version, from the first slash to the last
}

// ServeHTTP takes the version out of a path.
func (v Versions) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	v.Mux.ServeHTTP(rw, v.without(r))
}

// Operation is the pattern that serves a request; empty: none does.
func (v Versions) Operation(r *http.Request) string {
	return simulation.Operations(v.Mux)(v.without(r))
}

func (v Versions) without(r *http.Request) *http.Request {
	found := v.Path.FindString(r.URL.Path)
	if found == "" {
		return r
	}
	copied, address := *r, *r.URL
	address.Path, address.RawPath = "/"+r.URL.Path[len(found):], ""
	copied.URL = &address
	return &copied
}

// Call is one of an account.
type Call struct {
	RW      http.ResponseWriter
	R       *http.Request
	Account *simulation.Account
}

// Param is a parameter, which may stand in the address or in the body.
func (c Call) Param(name string) string { return c.R.FormValue(name) }

// Fail answers the call with an error.
func (c Call) Fail(err error) { Fail(c.RW, err) }

// Answer answers the call with JSON.
func (c Call) Answer(body any) { Answer(c.RW, http.StatusOK, body) }

// Publish makes a visible call of a text, and answers with the id of what it adds.
func (c Call) Publish(w *simulation.World, d simulation.Dialect, text string, add func() (simulation.Post, error)) {
	w.Publish(c.RW, c.R, simulation.VisibleCall{Dialect: d, Account: c.Account.ID, Text: text}, func(rw http.ResponseWriter) {
		c.RW = rw
		post, err := add()
		if err != nil {
			c.Fail(err)
			return
		}
		c.Answer(map[string]string{"id": post.ID})
	})
}

// Gate lets calls of instagram and threads in.
type Gate struct {
	Tokens Tokens
	// Stops reports whether an end stops an operation.
	Stops func(end simulation.End, operation string) bool
	// Needs are the permissions that operations need, beyond those that every account is
	// connected with.
	Needs map[string]string
	// Count counts a call and reports whether the limit of calls allows it.
	Count func(Call) bool
}

// maxBody bounds the body of a call: media come by their address.
const maxBody = 1 << 20

// Admit hands on the calls of an operation that have a token, are of its own account and within
// the limit.
func (g Gate) Admit(operation string, handle func(Call)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(rw, r.Body, maxBody)
		if err := readForm(r); err != nil {
			Invalid("the body cannot be read").WriteTo(rw)
			return
		}
		account, refused := g.Tokens.Account(tokenOf(r))
		if refused != nil {
			refused.WriteTo(rw)
			return
		}
		if end := g.Tokens.World.EndOf(account.ID); end != simulation.Alive && g.Stops(end, operation) {
			g.Tokens.Ending.Refuse(rw, end)
			return
		}
		if needed := g.Needs[operation]; needed != "" && !slices.Contains(Granted(account, []string{needed}), needed) {
			g.Tokens.Ending.Refuse(rw, simulation.ScopeWithdrawn)
			return
		}
		if user := r.PathValue("user"); user != "" && user != "me" && user != account.ID {
			NotFound(user).WriteTo(rw)
			return
		}
		call := Call{RW: rw, R: r, Account: account}
		if !g.Count(call) {
			Throttled().WriteTo(rw)
			return
		}
		handle(call)
	}
}

// readForm reads a body of either kind of form, or of none.
func readForm(r *http.Request) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return r.ParseMultipartForm(maxBody)
	}
	return r.ParseForm()
}

// tokenOf returns a call's token: a parameter or a header.
func tokenOf(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return strings.TrimSpace(token)
	}
	return r.FormValue("access_token")
}

// IsAddress reports whether a parameter is the address of a file on the web.
func IsAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
