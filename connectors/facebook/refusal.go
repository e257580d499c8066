package facebook

import (
	"time"

	"crier/connectors"
	"crier/connectors/graph"
)

// fastWait is when a page is tried again that has posted too fast. Facebook names no time.
const fastWait = 15 * time.Minute

// answers is what Facebook's refusals mean beyond those of all Graph APIs.
func answers() connectors.Answers {
	return graph.Answers([]connectors.Answer{
		graph.NotGranted("developers.facebook.com/docs/graph-api/reference/insights; pages-api comments", opNode, opComments),
		graph.Dispensable("developers.facebook.com/docs/pages-api/comments-mentions", opComment),
		{
			Codes: []string{"368/1390008"}, Means: connectors.IsAwaited, Wait: fastWait, Source: "gitroomhq/postiz-app facebook.provider.ts",
			Example: `{"error":{"message":"You are posting too fast","type":"OAuthException","code":368,"error_subcode":1390008}}`,
		},
		{ // the same photos
			Codes: []string{"/1366051"}, Means: connectors.IsDuplicate, Source: "gitroomhq/postiz-app facebook.provider.ts",
			Example: `{"error":{"message":"These photos were already posted.","type":"OAuthException","code":100,"error_subcode":1366051}}`,
		},
		{
			Codes: []string{"/1363047", "/1609010"}, Means: connectors.IsUnknown, Source: "gitroomhq/postiz-app facebook.provider.ts",
			Example: `{"error":{"message":"Service temporarily unavailable","type":"OAuthException","code":100,"error_subcode":1363047}}`,
		},
	}, opPage)
}
