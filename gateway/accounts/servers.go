package accounts

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/body"
	"crier/schema"
)

// readServer returns the base address of the server a request names: https and public, or one
// that is configured. It is empty for the platform's own, which mastodon has not.
func (s *connections) readServer(c *gin.Context, f *body.Form, platform schema.Platform) string {
	named, ok := f.Text("server", body.MaxURL)
	switch {
	case !ok && platform == schema.Mastodon && s.BaseURLs[platform] == "" && !admission.RequestOf(c).Key.Sandbox:
		f.Require("server")
		return ""
	case !ok || f.Report.About("server"):
		return ""
	}
	server, err := normalServer(named)
	if err != nil {
		f.Fail("server", body.CodeInvalidURL, err.Error())
		return ""
	}
	if server == strings.TrimRight(s.BaseURLs[platform], "/") {
		return server
	}
	if !strings.HasPrefix(server, "https://") && !s.AllowPrivate {
		f.Fail("server", body.CodeInvalidURL, "must be an https address: credentials do not go out in the clear")
		return ""
	}
	if s.AllowPrivate {
		return server
	}
	if why := s.Refuses(c.Request.Context(), server); why != "" {
		f.Fail("server", body.CodeInvalidURL, "must be publicly reachable: "+why)
		return ""
	}
	return server
}

// normalServer returns the one form of a server's address, in which it is stored. People
// write a bare host.
func normalServer(named string) (string, error) {
	if !strings.Contains(named, "://") {
		named = "https://" + named
	}
	u, err := url.Parse(strings.TrimSpace(named))
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", errors.New("must be the address of a server, such as https://mastodon.example")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must be the address of a server alone, without a user, parameters or a fragment")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/"), nil
}
