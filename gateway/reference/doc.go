// Package reference renders the pages that explain the REST API to people, at the server
// itself: a page for each code of its errors and outcomes, and the reference.
//
//	schema/openapi/openapi.yaml ──▶ document ─┬─▶ /docs               the reference
//	gateway's tables of codes ────────┴─▶ /docs/errors/CODE   one page a code
//
// The pages are HTML and one style sheet, without scripts, fonts or anything of another
// host, so that their Content-Security-Policy forbids all of it and they work without an
// internet connection. They are rendered when they are first asked for.
package reference
