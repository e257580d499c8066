// Package conformance holds what a connector and a simulator say to each other against
// the platform's own description. Both are ours: without it they could agree with each
// other and be wrong together.
//
//	connector ──▶ Watch ──▶ simulator
//	                │ Exchange
//	                ▼
//	           Checker.Check ◀── the description: OpenAPI, lexicons, the Bot API's tables
//
// The descriptions are other people's work and no part of the repository: the environment
// variable CRIER_PLATFORM_DOCS names the folder that holds mastodon/openapi.json,
// twitter/openapi.json, bluesky/lexicons, telegram/bot-api.json, threads/postman_collection.json,
// pinterest/openapi.json, meta/Page.json with its neighbours, google-business with discovery
// documents, linkedin, of whose documentation there are samples of requests alone, and
// tiktok/FACTS.md, which retells documentation without a description. Tests that need it have the
// build tag conformance.
package conformance
