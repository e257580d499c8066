// Package gateway is the REST API: the first step on the way of a post. It puts together
// what every request passes and a package for each resource.
//
//	request → admission   its id, its time limit, whose key it is, how much it may send
//	        → body        strict JSON: every wrong type and unknown field by name
//	        → a resource  posts, queues, accounts, media, webhooks, keys, billing, analytics,
//	                      engagement, feeds, deletions
//	        → store       one transaction; the answer is sent after its commit
//	        → answer      what the API shows; errors leave through Failures.Fail alone
//
// A resource has its routes, its handlers, its views and the small interfaces that it needs
// of a store, and imports no other resource: what two of them need is in directory (accounts
// and brands), calendar (zones and slots), cursor (lists) and cache, or is given to them here. A
// new one is a folder, a line in operations and a line in Store. schema/openapi/openapi.yaml
// describes the routes: a test holds the two together.
//
// The gateway knows neither PostgreSQL nor ClickHouse nor the platforms: Config says what it
// asks of them.
package gateway
