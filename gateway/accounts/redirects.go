package accounts

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// maxRedirects is how many addresses a workspace may allow.
const maxRedirects = 50

// redirectStore keeps where people of a workspace may be sent.
type redirectStore interface {
	Redirects(ctx context.Context, workspace schema.WorkspaceID) ([]string, error)
	PutRedirects(ctx context.Context, workspace schema.WorkspaceID, allowed []string) error
}

// redirects is the list of addresses that people of a workspace may be sent to after they
// have connected an account. One that is on no list could be a stranger's.
type redirects struct{ Config }

func (r *redirects) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/connect/redirects", schema.Admin, r.list),
		admission.Handle(http.MethodPut, "/connect/redirects", schema.Admin, body.WithForm(r.replace)),
	}
}

func (r *redirects) list(c *gin.Context) error {
	allowed, err := r.Store.Redirects(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "redirects", append([]string{}, allowed...), nil)
}

func (r *redirects) replace(c *gin.Context, f *body.Form) error {
	values, given := f.List("redirects", maxRedirects)
	if !given && !f.Report.About("redirects") {
		f.Require("redirects")
	}
	allowed := []string{}
	for i, v := range values {
		field := body.Indexed("redirects", i)
		if v.Kind != body.Text {
			f.Fail(field, body.CodeInvalidType, "must be an address")
			continue
		}
		if problem := r.problemOf(v.Text); problem != "" {
			f.Fail(field, body.CodeInvalidURL, problem)
			continue
		}
		allowed = append(allowed, v.Text)
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if err := r.Store.PutRedirects(c.Request.Context(), admission.RequestOf(c).Key.Workspace, allowed); err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "redirects", allowed, f.Report.Warnings)
}

// problemOf says what is wrong with an address to send people to. A selection token goes
// there with them.
func (r *redirects) problemOf(address string) string {
	u, err := url.Parse(address)
	switch {
	case len(address) > body.MaxURL:
		return fmt.Sprintf("must be at most %d bytes long", body.MaxURL)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be an absolute https address"
	case u.Scheme == "http" && !r.AllowPrivate && !isLoopback(u.Hostname()):
		return "must be an https address; http is allowed for this machine alone"
	case u.User != nil || u.Fragment != "":
		return "must have no user and no fragment"
	}
	return ""
}

// isLoopback tells the hosts that a native app listens on (RFC 8252, 7.3).
func isLoopback(host string) bool {
	return host == "127.0.0.1" || host == "::1" || host == "localhost"
}

// queryRedirect takes the address of a request at which a consent is to end, if the workspace
// allows it.
func (s *authorizations) queryRedirect(ctx context.Context, q *body.Query, consent *schema.Consent) error {
	address, given := q.Word("redirect")
	if !given {
		return nil
	}
	allowed, err := s.Store.Redirects(ctx, consent.Workspace)
	if err != nil {
		return err
	}
	if !slices.Contains(allowed, address) {
		q.Report.Fail("redirect", "redirect_not_allowed", "is not among the workspace's redirects: see PUT /connect/redirects")
		return nil
	}
	consent.Redirect = address
	return nil
}
