package clickhousehttp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"crier/compose/embedded/chdb"
)

// Config is what a Handler needs.
type Config struct {
	Connect        func() (*chdb.Conn, error) // opens one more connection to the engine
	Sessions       int                        // statements that run at once
	Spool          string                     // folder for the bodies of inserts, emptied at the start
	User, Password string
}

// Handler serves the interface. SQL can read every file that the process can read, so it must
// never come from a stranger.
type Handler struct {
	sessions       *sessions
	spool          string
	user, password string
}

// New opens the sessions.
func New(c Config) (*Handler, error) {
	if err := os.RemoveAll(c.Spool); err != nil {
		return nil, fmt.Errorf("emptying spool: %w", err)
	}
	if err := os.MkdirAll(c.Spool, 0o700); err != nil {
		return nil, fmt.Errorf("making spool: %w", err)
	}
	s, err := openSessions(c.Connect, c.Sessions)
	if err != nil {
		return nil, err
	}
	return &Handler{s, c.Spool, c.User, c.Password}, nil
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" {
		_, _ = io.WriteString(w, "Ok.\n") // a client that left needs no answer
		return
	}
	if !h.authenticated(r) {
		fail(w, errAuthentication)
		return
	}
	s, err := readStatement(r)
	if err != nil {
		fail(w, err)
		return
	}
	out := newOutput(w, s)
	if err := h.run(r.Context(), s, out); err != nil {
		out.fail(err)
	}
}

func (h *Handler) authenticated(r *http.Request) bool {
	user, password, ok := r.BasicAuth()
	if !ok {
		user, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	}
	sameUser := subtle.ConstantTimeCompare([]byte(user), []byte(h.user))
	samePassword := subtle.ConstantTimeCompare([]byte(password), []byte(h.password))
	return sameUser&samePassword == 1
}

func (h *Handler) run(ctx context.Context, s *statement, out *output) error {
	if s.query == helloQuery {
		block, err := hello(h.sessions.version, s.revision)
		if err != nil {
			return err
		}
		return out.write(block)
	}
	if s.inserts() {
		file, err := h.spoolBody(s.body)
		if err != nil {
			return err
		}
		defer os.Remove(file)
		s.insertFrom(file)
	}
	return h.sessions.run(ctx, s, out.write)
}

// spoolBody writes the body to a file and returns its name.
func (h *Handler) spoolBody(body io.Reader) (string, error) {
	file, err := os.CreateTemp(h.spool, "insert-")
	if err != nil {
		return "", fmt.Errorf("spooling insert: %w", err)
	}
	_, err = io.Copy(file, body)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("spooling insert: %w", err), os.Remove(file.Name()))
	}
	return filepath.Clean(file.Name()), nil
}

// literal writes s as a string of ClickHouse's SQL.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// identifier writes s as a name of ClickHouse's SQL.
func identifier(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}
