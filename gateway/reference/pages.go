package reference

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/goccy/go-yaml"
)

// Policy is the Content-Security-Policy of the pages: they need one style sheet of this
// server and nothing else.
const Policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed templates
var files embed.FS

// Pages are the pages about one API. They are safe for concurrent use.
type Pages struct {
	problems  []Problem // by status, outcomes last
	style     []byte
	templates *template.Template
	document  func() (object, error)
	reference func() ([]byte, error)
}

// New makes the pages of a description in YAML, of the codes of its errors and of outcomes,
// and of where this server's paths begin.
func New(description []byte, problems, outcomes []Problem, server string) (*Pages, error) {
	templates, err := template.New("").Funcs(template.FuncMap{
		"statusText": http.StatusText, "prose": prose,
	}).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parsing templates: %w", err)
	}
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return nil, fmt.Errorf("reading style sheet: %w", err)
	}
	byStatus := func(a, b Problem) int { return cmp.Compare(a.Status, b.Status) }
	sorted := slices.SortedStableFunc(slices.Values(problems), byStatus)
	p := &Pages{problems: append(sorted, outcomes...), style: style, templates: templates}
	p.document = sync.OnceValues(func() (object, error) { return parse(description) })
	p.reference = sync.OnceValues(func() ([]byte, error) { return p.renderReference(server) })
	return p, nil
}

func parse(description []byte) (object, error) {
	var document yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(description, &document, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	return object(document), nil
}

// Style returns the style sheet of all pages, to be served as docs/style.css.
func (p *Pages) Style() []byte { return p.style }

// Reference returns the page of all operations, to be served as docs.
func (p *Pages) Reference() ([]byte, error) { return p.reference() }

// errorPage is what the page of a code shows.
type errorPage struct {
	Problem
	Title   string
	Example string // of a body, in JSON
	All     []Problem
}

// Error returns the page of a code, to be served as docs/errors/CODE; ok is false for one
// that does not exist, whose page lists those that do.
func (p *Pages) Error(code string) (page []byte, ok bool, err error) {
	at := slices.IndexFunc(p.problems, func(problem Problem) bool { return problem.Code == code })
	if at < 0 {
		page, err = p.render("unknown.html", errorPage{Title: "No such code", All: p.problems})
		return page, false, err
	}
	document, err := p.document()
	if err != nil {
		return nil, false, err
	}
	page, err = p.render("error.html", errorPage{
		Problem: p.problems[at], Title: code, Example: exampleOf(document, code), All: p.problems,
	})
	return page, true, err
}

// exampleOf finds the body of an error among the examples of the shared responses.
func exampleOf(document object, code string) string {
	responses := document.object("components", "responses")
	for _, name := range responses.names() {
		example := responses.object(name, "content", "application/json", "examples", code)
		if example != nil {
			return indented(example.value("value"))
		}
	}
	return ""
}

// codesOf returns the codes that come with a status.
func (p *Pages) codesOf(status string) []Problem {
	var codes []Problem
	for _, problem := range p.problems {
		if strconv.Itoa(problem.Status) == status {
			codes = append(codes, problem)
		}
	}
	return codes
}

func (p *Pages) render(name string, data any) ([]byte, error) {
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name, data); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", name, err)
	}
	return page.Bytes(), nil
}
