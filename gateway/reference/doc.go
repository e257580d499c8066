// Package reference renders the pages that explain the REST API to people, at the server
// itself: a start page, a page a resource, and a page for each code of its errors, its outcomes
// and its details.
//
//	schema/openapi/openapi.yaml ─▶ document ─▶ reader ─┐
//	gateway's tables of codes and rights ──────────────┼─▶ site ─▶ /docs, /docs/posts, …, /docs/errors/CODE
//	samples/, which a test runs ───────────────────────┘      └──▶ /docs/search.json, which script.js reads
//
// The pages are HTML with one style sheet and one script of this server, and nothing of another
// host: their Content-Security-Policy forbids it, and they work without an internet connection.
// Without the script all but search works. They are rendered when one is first asked for.
package reference
