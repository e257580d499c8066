// Package face is how crier's pages look: one stylesheet of colour, space and type, and of the parts that pages
// have in common. The console takes both files when it is built; what is made on the server, such as the pages of
// connecting an account and the walls of the sandbox, has them within.
package face

import (
	"crypto/sha256"
	_ "embed" // the sheets
	"encoding/base64"
	"html/template"
	"strings"
)

// Tokens are colour, space and type alone, for pages that have a stylesheet of their own.
//
//go:embed tokens.css
var Tokens string

//go:embed parts.css
var parts string

//go:embed sign.svg
var sign string

// Style is the style of a page that is made on the server.
type Style struct{ sheet string }

// New returns the style of pages that have a sheet of their own besides what all have; empty: they have none.
func New(own string) Style { return Style{Tokens + parts + own} }

// Source is what style-src of a Content-Security-Policy lets the page's style element be by.
func (s Style) Source() string {
	sum := sha256.Sum256([]byte(s.sheet))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Funcs are what a page's template takes from here: {{style}} for its style element, {{sign}} for crier's own, and
// {{initial NAME}}.
func (s Style) Funcs() template.FuncMap {
	return template.FuncMap{
		"style":   func() template.CSS { return template.CSS(s.sheet) }, // both are crier's own
		"sign":    func() template.HTML { return template.HTML(sign) },
		"initial": initial,
	}
}

// initial is what stands in the place of somebody's picture.
func initial(name string) string {
	for _, letter := range strings.TrimLeft(name, "@") {
		return strings.ToUpper(string(letter))
	}
	return "?"
}
