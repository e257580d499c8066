// Package demo is what `crier serve --demo` plays once crier is ready: a client of the API
// like any other, with the Go client, publishes one post to the simulators and shows what
// came of it, as it comes.
//
//	POST /webhooks ─▶ POST /posts ─▶ GET /posts/{id} until it is posted
//	                                 receiver: post.published, its signature verified
//	                                 GET /analytics/posts until ClickHouse has counted it
//	                                 GET /posts/{id} until the first comments are there
package demo
