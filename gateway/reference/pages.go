package reference

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"
)

// Policy is the Content-Security-Policy of the pages: they need one style sheet, one script and
// one index of this server, and nothing else.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed templates
var files embed.FS

// Config says which API the pages are about.
type Config struct {
	Description []byte // OpenAPI, in YAML
	Problems    Problems
	Server      string                           // where this server's paths begin
	Rights      func(method, path string) string // what an operation asks of its caller, in words
}

// File is a page, or what the pages need.
type File struct {
	Type       string
	Body       []byte
	Compressed []byte // Body by gzip
	ETag       string // weak: of both
}

// Pages are the pages about one API. They are safe for concurrent use.
type Pages struct {
	files func() (map[string]File, error)
}

// The names of files that are no pages, as File has them.
const (
	StyleFile  = "style.css"
	scriptFile = "script.js"
	indexFile  = "search.json"
	// unknownFile is the page for names and codes that do not exist.
	unknownFile = "errors/"
)

// New makes the pages.
func New(config Config) *Pages {
	return &Pages{sync.OnceValues(func() (map[string]File, error) { return render(config) })}
}

// File returns a file by its path below docs, which is empty for the start page; ok is false for one that does
// not exist, in whose place a page lists those that do.
func (p *Pages) File(path string) (file File, ok bool, err error) {
	all, err := p.files()
	if err != nil {
		return File{}, false, err
	}
	file, ok = all[path]
	if !ok || path == unknownFile {
		return all[unknownFile], false, nil
	}
	return file, true, nil
}

func render(config Config) (map[string]File, error) {
	templates, err := template.New("").Funcs(template.FuncMap{"statusText": http.StatusText, "prose": prose}).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parsing templates: %w", err)
	}
	s, err := newSite(config)
	if err != nil {
		return nil, err
	}
	all := make(map[string]File)
	for path, page := range s.pages() {
		var body bytes.Buffer
		if err := templates.ExecuteTemplate(&body, page.template, page); err != nil {
			return nil, fmt.Errorf("rendering %s: %w", page.template, err)
		}
		all[path] = fileOf("text/html; charset=utf-8", body.Bytes())
	}
	sheet, err := style()
	if err != nil {
		return nil, fmt.Errorf("making the style sheet: %w", err)
	}
	script, err := files.ReadFile("templates/script.js")
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	index, err := s.index()
	if err != nil {
		return nil, fmt.Errorf("making the index: %w", err)
	}
	all[StyleFile] = fileOf("text/css; charset=utf-8", sheet)
	all[scriptFile] = fileOf("text/javascript; charset=utf-8", script)
	all[indexFile] = fileOf("application/json", index)
	return all, nil
}

func fileOf(contentType string, body []byte) File {
	sum := sha256.Sum256(body)
	return File{contentType, body, compress(body), `W/"` + hex.EncodeToString(sum[:8]) + `"`}
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // a buffer takes everything
	w.Close()
	return b.Bytes()
}

func parse(description []byte) (object, error) {
	var document yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(description, &document, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	return object(document), nil
}
