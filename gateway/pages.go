package gateway

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/reference"
	"crier/schema/openapi"
	"crier/schema/people"
)

// pagesPath is where the pages for people begin; errors link to those of their codes.
const pagesPath = "/docs"

// pages are the pages about the API, for anybody.
type pages struct{ rendered *reference.Pages }

// newPages makes those of operations, which are described by their paths below basePath.
func newPages(publicURL string, routes []admission.Route) *pages {
	rights := make(map[string]string)
	for _, r := range routes {
		rights[r.Method+" "+described(r.Path)] = rightsInWords(r.Rights())
	}
	return &pages{reference.New(reference.Config{
		Description: openapi.Description(), Server: publicURL + basePath,
		Problems: reference.Problems{Errors: answer.Problems[:], Outcomes: answer.Outcomes[:], Details: slices.Concat(answer.Details[:], answer.MediaDetails[:])},
		Rights:   func(method, path string) string { return rights[method+" "+path] },
	})}
}

// described is the path of a route as the description has it.
func described(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, isParameter := strings.CutPrefix(part, ":"); isParameter {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// rightsInWords is what an operation asks of its caller.
func rightsInWords(r admission.Rights) string {
	switch {
	case r.Public:
		return "no key"
	case r.Operator:
		return "session of an operator"
	case r.Permission == 0 && r.Role == people.Anyone:
		return "session"
	case r.Permission == 0:
		return "session of a member who is " + r.Role.String() + " or more"
	default:
		names := r.Permission.Names()
		return "key with the permission " + names[len(names)-1] + ", or session of a member who is " + r.Role.String() + " or more"
	}
}

func (p *pages) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, pagesPath, admission.Public, p.show(func(*gin.Context) string { return "" })),
		admission.Handle(http.MethodGet, pagesPath+"/:page", admission.Public, p.show(func(c *gin.Context) string { return c.Param("page") })),
		admission.Handle(http.MethodGet, pagesPath+"/errors/:code", admission.Public, p.show(func(c *gin.Context) string { return "errors/" + c.Param("code") })),
	}
}

// show serves the file of a path below pagesPath.
func (p *pages) show(path func(*gin.Context) string) func(*gin.Context) error {
	return func(c *gin.Context) error {
		file, found, err := p.rendered.File(path(c))
		if err != nil {
			return err
		}
		c.Header("Content-Security-Policy", reference.Policy)
		c.Header("X-Content-Type-Options", "nosniff")
		c.Header("Referrer-Policy", "no-referrer")
		if !found {
			c.Data(http.StatusNotFound, file.Type, file.Body)
			return nil
		}
		c.Header("Cache-Control", "public, max-age=300") // a new version shows within minutes
		c.Header("ETag", file.ETag)
		c.Header("Content-Type", file.Type)
		c.Header("Vary", "Accept-Encoding")
		content := file.Body
		if answer.PrefersGzip(c.Request.Header) {
			c.Header("Content-Encoding", "gzip")
			content = file.Compressed
		}
		http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(content))
		return nil
	}
}
