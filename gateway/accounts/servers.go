package accounts

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/body"
	"crier/schema"
)

// readServer returns the base address of the server a request names: https and public, or one
// that is configured. It is empty for the platform's own, which mastodon has not.
func (s *connections) readServer(c *gin.Context, f *body.Form, platform schema.Platform) string {
	named, ok := f.Pasted("server", body.MaxURL)
	switch {
	case !ok && platform == schema.Mastodon && s.BaseURLs[platform] == "" && !admission.RequestOf(c).Key.Sandbox:
		f.Require("server")
		return ""
	case !ok || f.Report.About("server"):
		return ""
	}
	server, problem := s.serverOf(c.Request.Context(), named, platform)
	if problem != "" {
		f.Fail("server", body.CodeInvalidURL, problem)
	}
	return server
}

// serverOf returns the address of a server that a caller names, or what is wrong with it.
func (s *connections) serverOf(ctx context.Context, named string, platform schema.Platform) (server, problem string) {
	server, err := schema.ParseServer(named)
	switch {
	case err != nil:
		return "", err.Error()
	case server == strings.TrimRight(s.BaseURLs[platform], "/"):
		return server, ""
	case !strings.HasPrefix(server, "https://") && !s.AllowPrivate:
		return "", "must be an https address: credentials do not go out in the clear"
	case s.AllowPrivate:
		return server, ""
	}
	if why := s.Refuses(ctx, server); why != "" {
		return "", "must be publicly reachable: " + why
	}
	return server, ""
}
