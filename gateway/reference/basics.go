package reference

// basic is what holds for many operations, on the start page.
type basic struct {
	ID, Title, Text string
	See             []entry  // with the page in Path
	Samples         []sample // of its id
}

// basicsOf are in the order of their reading. Texts are as descriptions are.
var basicsOf = []basic{
	{ID: "authentication", Title: "Authentication and keys", Text: "Every request but those marked `no key` carries an API key: `Authorization: Bearer crier_live_…`. " +
		"A key has the permission read, write or admin, each of which includes the ones before it. " +
		"People who are signed in send the cookie of their session instead; what is marked `session` is for them alone.",
		See: []entry{{Name: "Create a key", Path: "keys", ID: "createKey"}, {Name: "unauthorized", Path: "errors/unauthorized"}}},
	{ID: "sandbox", Title: "Test mode: the sandbox", Text: "A key that begins with `crier_test_` sees the workspace's sandbox, which has accounts on all platforms. Posts there go to simulators, and nothing reaches a platform; all else is as with a live key.",
		See: []entry{{Name: "Create a key", Path: "keys", ID: "createKey"}}},
	{ID: "createPost", Title: "Schedule a post", Text: "A post names its platforms, and one of `scheduledFor`, `publishNow`, `queue` and the status draft. " +
		"The response is 201 once it is stored; from then on crier does not lose it, and publishes it once.",
		See: []entry{{Name: "Create a post", Path: "posts", ID: "createPost"}, {Name: "What became of it", Path: "posts", ID: "getPost"}, {Name: "Limits by platform", Path: "platforms", ID: "getPlatform"}}},
	{ID: "listPostAttempts", Title: "Why a post was not published", Text: "A post tells of each platform how far it is, and of one that failed the `error`. Its attempts are the whole story: every try and every wait, with its reason. " +
		"What failed is set going again by a retry; what is published is never repeated.",
		See: []entry{{Name: "What happened to a post", Path: "posts", ID: "listPostAttempts"}, {Name: "Retry", Path: "posts", ID: "retryPost"}, {Name: "Codes", Path: errorsPage, ID: "outcomes"}}},
	{ID: "getPlatform", Title: "Limits of platforms", Text: "How long a text may be, such as a tweet or a caption, how many hashtags it may have, and which pictures and videos twitter, instagram and the others take: crier checks it when a post is created, " +
		"and says of each field what is wrong. An account may have other limits than its platform.",
		See: []entry{{Name: "Limits by platform", Path: "platforms", ID: "getPlatform"}, {Name: "Check a post without creating it", Path: "posts", ID: "validatePost"}}},
	{ID: "idempotency", Title: "Safe retries: Idempotency-Key", Text: "Send an `Idempotency-Key` of your own with every creation. The same request with the same key gets the same response for 24 hours, with `Idempotency-Replayed: true`, " +
		"and makes nothing twice, so it is safe to retry after a timeout. The same key with another body is a conflict.",
		See: []entry{{Name: "idempotency_conflict", Path: "errors/idempotency_conflict"}}},
	{ID: "listPosts", Title: "Lists and pagination", Text: "A list is read on with `cursor`, which takes the `nextCursor` of the response before; where there is none, the list has ended. " +
		"`limit` is how many a page has. Lists that have `page` in place of it count pages from 1.",
		See: []entry{{Name: "List posts", Path: "posts", ID: "listPosts"}}},
	{ID: "rate-limits", Title: "Rate limits", Text: "A plan allows a key so many requests a minute. `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` are on every response; " +
		"429 says in `Retry-After` how many seconds to wait. Besides, an account takes so many posts a day.",
		See: []entry{{Name: "rate_limit_exceeded", Path: "errors/rate_limit_exceeded"}, {Name: "daily_limit_reached", Path: "errors/daily_limit_reached"}, {Name: "Usage", Path: "usage", ID: "getUsage"}}},
	{ID: "error", Title: "What is wrong with a request", Text: "Every error has one shape: a `code`, a `message` for people, `documentation` with the address of the page that explains the code, " +
		"and `details`, one for each thing that is wrong, with its field. `X-Request-Id` is on every response: name it to the operator.",
		See: []entry{{Name: "All codes", Path: errorsPage, ID: "codes"}}},
	{ID: "times", Title: "Times and time zones", Text: "Times are ISO 8601. A time without an offset is wall time in `timezone`, an IANA name such as Europe/Berlin. Answers have UTC.",
		See: []entry{{Name: "time_invalid", Path: "errors/time_invalid"}}},
	{ID: "webhooks", Title: "Webhooks: verify a signature", Text: "An address of yours gets events as they happen. Verify each delivery, over the body's bytes as they arrived: `X-Webhook-Signature` is `t=<Unix time>,v1=<hex>`, " +
		"the HMAC-SHA256 of `<Unix time>.<body>` by the webhook's secret; the headers of Standard Webhooks are sent too. Refuse what was signed more than 5 minutes ago. The clients do it.",
		See: []entry{{Name: "Create a webhook", Path: "webhooks", ID: "createWebhook"}, {Name: "Events", Path: eventsPage, ID: "events"}}},
	{ID: "uploadMedia", Title: "Upload a file", Text: "A picture, video or PDF of yours is uploaded first, and named by its `mediaId`. The clients send large files in parts, and a part again that was interrupted; " +
		"what is public already is named by its `url`.",
		See: []entry{{Name: "Media", Path: "media"}}},
	{ID: "versions", Title: "Versions and deprecation", Text: "What a client relies on stays. Objects may get new fields, and lists of values new ones. An operation that ends is marked here at least 90 days before: " +
		"its responses carry `Deprecation`, and `Sunset` with the day on which it ends."},
}
