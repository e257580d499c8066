package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"crier/gateway/answer"
)

//go:embed dist
var dist embed.FS

// policy lets a page run, show and call what comes from this server alone. Attributes may hold styles, as
// elements that are placed by script have them; style elements may not be there. Pictures are shown before
// they are sent, so blob: and data: are taken for them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// assetsPath is where files are whose names change with their content.
const assetsPath = "/assets/"

// forever is what a browser keeps such a file for.
const forever = "public, max-age=31536000, immutable"

// others are the first parts of paths that are never the console's.
var others = []string{"/api/", "/docs/", "/wall/"}

// Console serves the files of the console.
type Console struct {
	files  fs.FS
	absent string // the page of the binary that is shown where there are none
}

// New returns the console of the binary, or the one in a folder as npm makes it, which may be made anew while
// it is served; empty means the binary's.
func New(folder string) (*Console, error) {
	if folder != "" {
		return &Console{os.DirFS(folder), "dist/being-built.html"}, nil
	}
	files, err := fs.Sub(dist, "dist/app")
	return &Console{files, "dist/not-built.html"}, err
}

// Over returns a handler that answers what browsers ask for as a page, and the console's files; everything
// else is next's.
func (c *Console) Over(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead, isOthers(r.URL.Path):
			next.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, assetsPath), r.URL.Path == "/icon.svg":
			c.serveFile(w, r, next)
		case strings.Contains(r.Header.Get("Accept"), "text/html"):
			c.servePage(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func isOthers(requested string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(requested+"/", other) })
}

// servePage serves the one page that the console has: which view it shows is its address's.
func (c *Console) servePage(w http.ResponseWriter, r *http.Request) {
	page, err := fs.ReadFile(c.files, "index.html")
	if err != nil {
		page, err = dist.ReadFile(c.absent)
	}
	if err != nil {
		panic("the page is not in the binary: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer") // the address of a sign-in is nobody else's
	h.Set("Cache-Control", "no-cache")
	sum := sha256.Sum256(page)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	serve(w, r, "index.html", page)
}

func (c *Console) serveFile(w http.ResponseWriter, r *http.Request, next http.Handler) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	content, err := fs.ReadFile(c.files, name) // which takes no name with .. in it
	if err != nil {
		next.ServeHTTP(w, r) // which says that there is no such thing
		return
	}
	w.Header().Set("Vary", "Accept-Encoding")
	if compressed, err := fs.ReadFile(c.files, name+".gz"); err == nil && answer.PrefersGzip(r.Header) {
		w.Header().Set("Content-Encoding", "gzip")
		content = compressed
	}
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(r.URL.Path, assetsPath) {
		w.Header().Set("Cache-Control", forever)
	}
	serve(w, r, name, content)
}

func serve(w http.ResponseWriter, r *http.Request, name string, content []byte) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
