// Package gateway is the REST API: the first step on the way of a post.
//
//	request → observe   its id, its time limit, metrics, log, a panic becomes a 500
//	        → admit     whose key it is (a second's cache), X-RateLimit headers, 429
//	        → route     permission
//	        → form      strict JSON: every wrong type and unknown field by name
//	        → build     accounts, time, media addresses, the platforms' constraints
//	        → store     one transaction; the answer is sent after its commit
//	        → view      what the API shows; errors leave through failures.fail alone
//
// Each resource has its files: posts_create.go, posts_read.go and so on make requests
// into calls of a store and post_view.go makes posts into answers. A resource lists its
// routes, and schema/openapi.yaml describes them: a test holds the two together.
//
// A request whose Idempotency-Key was seen before is answered with the first answer, by
// the store, under the lock that makes it happen once. Before a request is refused as
// invalid its key is looked up, since what was valid then may not be now.
//
// The gateway knows neither PostgreSQL nor ClickHouse nor the platforms: it declares in
// stores.go what it asks of them.
package gateway
