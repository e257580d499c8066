package gateway

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/reference"
	"crier/schema/openapi"
)

// pagesPath is where the pages for people begin; errors link to those of their codes.
const pagesPath = "/docs"

const (
	htmlType = "text/html; charset=utf-8"
	cssType  = "text/css; charset=utf-8"
)

// pages are the pages about the API, for anybody.
type pages struct{ rendered *reference.Pages }

func newPages(publicURL string) (*pages, error) {
	rendered, err := reference.New(openapi.Description(), answer.Problems[:], answer.Outcomes[:], publicURL+basePath)
	if err != nil {
		return nil, fmt.Errorf("making the pages: %w", err)
	}
	return &pages{rendered}, nil
}

func (p *pages) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, pagesPath, admission.Public, p.reference),
		admission.Handle(http.MethodGet, pagesPath+"/style.css", admission.Public, p.style),
		admission.Handle(http.MethodGet, pagesPath+"/errors/:code", admission.Public, p.problem),
	}
}

func (p *pages) reference(c *gin.Context) error {
	page, err := p.rendered.Reference()
	if err != nil {
		return err
	}
	show(c, http.StatusOK, htmlType, page)
	return nil
}

func (p *pages) style(c *gin.Context) error {
	show(c, http.StatusOK, cssType, p.rendered.Style())
	return nil
}

func (p *pages) problem(c *gin.Context) error {
	page, found, err := p.rendered.Error(c.Param("code"))
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !found {
		status = http.StatusNotFound
	}
	show(c, status, htmlType, page)
	return nil
}

func show(c *gin.Context, status int, contentType string, body []byte) {
	c.Header("Content-Security-Policy", reference.Policy)
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "no-referrer")
	c.Header("Cache-Control", "public, max-age=300") // a new version shows within minutes
	c.Data(status, contentType, body)
}
