package gateway_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/pinterest"
	"crier/gateway/gatewaytest"
)

// publicRoutes need no key: what they show is not a workspace's, or its address cannot be
// guessed. Those below /docs are pages, which know of no workspace.
var publicRoutes = []string{
	"GET /docs",
	"GET /docs/:page",
	"GET /docs/errors/:code",
	"GET /openapi.json",
	"POST /keys/register",
	"POST /session",
	"POST /session/link",
	"POST /session/passkey",
	"POST /session/passkey/challenge",
	"GET /session/providers",
	"POST /session/providers/:provider",
	"GET /session/providers/:provider/callback",
	"POST /session/reset",
	"GET /mail/unsubscribe",
	"POST /mail/unsubscribe",
	"POST /invitations/accept",
	"POST /device/code",
	"POST /device/token",
	"POST /billing/stripe",
	"PUT /uploads/:id/:secret",
	"GET /files/:id/:name",
	"HEAD /files/:id/:name",
	"GET /connect/:platform/callback",
	"POST /connect/:platform/confirm",
	"POST /connect/:platform/choose",
	"GET /connect/:platform/reconnect",
	"POST /connect/:platform/events",
	"POST /connect/:platform/deauthorize",
	"POST /connect/:platform/delete-data",
	"GET /deletions/:id",
	"POST /deletions/:id/confirm",
}

// idsOf is what the parameters of paths name, by the ids of a household; that of a whole route
// with one goes first.
var idsOf = map[string][]string{
	"/posts/:id":                           {"scheduled", "queued", "draft", "failed"},
	"/threads/:id":                         {"thread"},
	"/accounts/:id":                        {"account", "other"},
	"/brands/:id":                          {"brand"},
	"/keys/:id":                            {"key"},
	"/queues/:id":                          {"queue"},
	"/media/:id":                           {"media", "awaited"},
	"/media/:id/parts":                     {"awaited"}, // the other is complete
	"/uploads/:id":                         {"awaited"},
	"/uploads/:id/:secret":                 {"uploadSecret"},
	"/files/:id":                           {"media"},
	"/files/:id/:name":                     {"fileName"},
	"/feeds/keywords/:id":                  {"monitor"},
	"/engagement/replies/:id":              {"reply"},
	"/webhooks/:id":                        {"webhook"},
	"/webhooks/:id/deliveries/:deliveryId": {"delivery"},
}

// platformsOf are those that routes are tried with which are not of every platform.
var platformsOf = map[string]string{"/connect/:platform/entities": "facebook", "/connect/:platform/select": "facebook", "/platforms/:platform": "mastodon"}

// namingsOf are those of a route. Accounts are connected by a token where nothing else is said.
func namingsOf(route string) []string {
	if all, ok := namings[route]; ok || !strings.HasPrefix(route, "POST /connect/") || strings.Contains(route, ":") || strings.HasSuffix(route, "/redirects") {
		return all
	}
	return []string{`{"accessToken": "token", "brandId": "$brand$"}`}
}

// namings are the bodies and queries, by route, in which another's ids can stand. A path
// leads to the caller's own.
var namings = map[string][]string{
	"GET /feeds/search": {"?platform=bluesky&q=coffee&accountId=$other$"},
	"POST /posts": {
		`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$account$"}], "publishNow": true}`,
		`{"content": "x", "platforms": ["mastodon"], "status": "draft", "brandId": "$brand$"}`,
		`{"content": "x", "platforms": ["mastodon"], "status": "draft", "mediaItems": [{"mediaId": "$media$"}]}`,
		`{"content": "x", "platforms": ["mastodon"], "status": "draft", "mediaItems": [{"type": "image", "url": "$mediaURL$"}]}`,
		`{"content": "x", "platforms": ["mastodon"], "status": "draft", "platformSettings": {"youtube": {"thumbnailUrl": "$mediaURL$"}}}`,
		`{"content": "x", "platforms": ["mastodon"], "queueId": "$queue$"}`,
		`{"content": "x", "platforms": ["telegram"], "publishNow": true}`,
	},
	"POST /posts/bulk": {
		`{"posts": [{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$account$"}], "publishNow": true}]}`,
		`{"posts": [{"content": "x", "platforms": ["mastodon"], "status": "draft", "brandId": "$brand$"}]}`,
		`{"posts": [{"content": "x", "platforms": ["mastodon"], "status": "draft", "mediaItems": [{"mediaId": "$media$"}]}]}`,
		`{"posts": [{"content": "x", "platforms": ["mastodon"], "queueId": "$queue$"}]}`,
		`{"posts": [{"content": "x", "platforms": ["telegram"], "status": "draft"}]}`,
	},
	"POST /posts/validate": {
		`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$account$"}], "publishNow": true}`,
		`{"content": "x", "platforms": ["mastodon"], "brandId": "$brand$"}`,
		`{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"mediaId": "$media$"}]}`,
	},
	"POST /posts/lookup": {`{"ids": ["$scheduled$", "$draft$"]}`, `{"externalIds": ["$scheduled$"]}`},
	"PATCH /posts/:id": {
		`{"platforms": [{"platform": "mastodon", "accountId": "$account$"}]}`,
		`{"brandId": "$brand$"}`,
		`{"mediaItems": [{"mediaId": "$media$"}]}`,
		`{"mediaItems": [{"type": "image", "url": "$mediaURL$"}]}`,
		`{"platforms": ["telegram"]}`,
		`{"queueId": "$queue$"}`,
	},
	"PATCH /threads/:id": {`{"queueId": "$queue$"}`},
	"POST /threads": {
		`{"posts": [{"content": "1"}, {"content": "2"}], "platforms": [{"platform": "mastodon", "accountId": "$account$"}], "publishNow": true}`,
		`{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"], "publishNow": true, "brandId": "$brand$"}`,
		`{"posts": [{"content": "1", "mediaItems": [{"mediaId": "$media$"}]}, {"content": "2"}], "platforms": ["mastodon"], "publishNow": true}`,
		`{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"], "queueId": "$queue$"}`,
	},
	"POST /connect/bluesky":           {`{"identifier": "x.example.com", "password": "abcd-efgh-ijkl-mnop", "brandId": "$brand$"}`},
	"POST /connect/linkedin":          {`{"accessToken": "token", "entityId": "` + linkedin.Organizations("token")[0] + `", "brandId": "$brand$"}`},
	"POST /connect/google-business":   {`{"accessToken": "token", "entityId": "` + googlebusiness.Locations("token")[0] + `", "brandId": "$brand$"}`},
	"POST /connect/pinterest":         {`{"accessToken": "token", "entityId": "` + pinterest.Boards("token")[0] + `", "brandId": "$brand$"}`},
	"POST /connect/telegram/channels": {`{"botToken": "1:token", "chatId": "@some_channel", "brandId": "$brand$"}`},
	"GET /connect/:platform":          {"?brandId=$brand$"},
	"GET /connect/:platform/entities": {"?selectionToken=$selection$"},
	"POST /connect/:platform/select":  {`{"selectionToken": "$selection$", "entityIds": ["$page$"], "brandId": "$brand$"}`},
	"POST /queues":                    {`{"name": "x", "timezone": "UTC", "slots": [{"day": "monday", "time": "09:00"}], "brandId": "$brand$"}`},
	"POST /deletions":                 {`{"accountId": "$account$"}`},
	"PATCH /accounts/:id":             {`{"brandId": "$brand$"}`},
	"GET /posts":                      {"?brandId=$brand$"},
	"GET /accounts":                   {"?brandId=$brand$"},
	"GET /accounts/health":            {"?brandId=$brand$"},
	"GET /platforms/:platform":        {"?accountId=$account$"},
	"GET /analytics/posts":            {"?accountId=$account$", "?brandId=$brand$", "?postId=$scheduled$"},
	"GET /analytics/followers":        {"?accountId=$account$", "?brandId=$brand$"},
	"GET /analytics/retention":        {"?accountId=$account$", "?brandId=$brand$", "?postId=$scheduled$"},
	"GET /analytics/best-times":       {"?accountId=$account$", "?brandId=$brand$"},
	"GET /events":                     {"?after=$event$"},
	"GET /engagement/comments":        {"?accountId=$account$", "?postId=$scheduled$"},
	"GET /engagement/mentions":        {"?accountId=$account$"},
	"POST /engagement/read":           {`{"itemIds": ["$item$"]}`},
	"POST /engagement/replies":        {`{"itemId": "$item$", "text": "x"}`},
	"GET /engagement/transcript":      {"?accountId=$account$&videoId=x"},
	"GET /webhooks/:id/deliveries":    {"?eventId=$event$"},
}

// namesOfOthers are fields called an id that name nothing of a workspace: the caller's own
// names, and those of a platform, which looks at the owner itself.
var namesOfOthers = []string{"externalId", "chatId", "chatIds", "boardId", "boardSectionId", "quoteTweetId", "communityId", "taggedUserIds", "quotePostId", "locationId",
	"categoryId", "playlistIds"}

var isID = regexp.MustCompile(`Ids?$`)

// example is a body that a route takes, of openapi.yaml; empty where it takes none.
func (x *trespass) example(route string) string {
	method, path, _ := strings.Cut(route, " ")
	_, operation := x.Description.Operation(method, path)
	request, _ := operation["requestBody"].(map[string]any)
	content, _ := request["content"].(map[string]any)
	examples, _ := gatewaytest.JSON{Value: content}.At("application/json", "examples").Value.(map[string]any)
	if len(examples) == 0 {
		return ""
	}
	first := slices.Min(slices.Collect(maps.Keys(examples)))
	encoded, err := json.Marshal(examples[first].(map[string]any)["value"])
	if err != nil {
		x.Fatal(err)
	}
	return string(encoded)
}

// wantNamed fails the test for a field of a request that is called an id and that no
// naming tries.
func (x *trespass) wantNamed(route string) {
	x.Helper()
	method, path, _ := strings.Cut(route, " ")
	_, operation := x.Description.Operation(method, path)
	if operation == nil {
		x.Fatalf("%s is not described", route)
	}
	fields := map[string]bool{}
	fieldsOf(x.Description, operation["requestBody"], fields, nil)
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		if p = resolveRef(x.Description, p); (gatewaytest.JSON{Value: p}).At("in").Text() == "query" {
			fields[(gatewaytest.JSON{Value: p}).At("name").Text()] = true
		}
	}
	tried := strings.Join(namingsOf(route), "\n")
	for field := range fields {
		if isID.MatchString(field) && !slices.Contains(namesOfOthers, field) && !strings.Contains(tried, field) {
			x.Errorf("%s takes %s: add a naming of another's to namings", route, field)
		}
	}
}

// fieldsOf collects the names of properties below a part of the description.
func fieldsOf(d *gatewaytest.Description, part any, found map[string]bool, seen []string) {
	if ref, ok := (gatewaytest.JSON{Value: part}).At("$ref").Value.(string); ok {
		if slices.Contains(seen, ref) {
			return
		}
		seen = append(seen, ref)
		part = resolveRef(d, part)
	}
	switch part := part.(type) {
	case map[string]any:
		if properties, ok := part["properties"].(map[string]any); ok {
			for name := range properties {
				found[name] = true
			}
		}
		for key, value := range part {
			if key != "example" && key != "examples" {
				fieldsOf(d, value, found, seen)
			}
		}
	case []any:
		for _, value := range part {
			fieldsOf(d, value, found, seen)
		}
	}
}

// resolveRef follows a reference.
func resolveRef(d *gatewaytest.Description, part any) any {
	ref, ok := (gatewaytest.JSON{Value: part}).At("$ref").Value.(string)
	if !ok {
		return part
	}
	found := gatewaytest.JSON{Value: d.Document}
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		found = found.At(step)
	}
	return found.Value
}
