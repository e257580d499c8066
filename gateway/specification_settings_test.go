package gateway_test

import (
	"net/http"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const settingsTable = "Platform-specific settings"

// settingRules are the settings of posts by platform.
func settingRules() []rule {
	return []rule{
		{settingsTable, "tiktok: privacy is required", judged(postTo("tiktok").with(`{"platformSettings": {}}`), "platformSettings.tiktok.privacy", "setting_required", "tiktok")},
		{settingsTable, "tiktok: privacy has four values", func(b *bench) {
			for _, value := range []string{"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"} {
				judged(setting("tiktok", `"privacy": "`+value+`"`), "", "")(b)
			}
			judged(setting("tiktok", `"privacy": "FRIENDS"`), "platformSettings.tiktok.privacy", "setting_invalid", "tiktok")(b)
		}},
		{settingsTable, "tiktok: privacy is one that the account enables, or nothing is made", func(b *bench) {
			b.exec(`update accounts set settings = '{"privacy": ["SELF_ONLY", "FOLLOWER_OF_CREATOR"]}' where id = $1`, b.accounts[schema.TikTok])
			judged(setting("tiktok", `"privacy": "FOLLOWER_OF_CREATOR"`), "", "")(b)
			judged(setting("tiktok", `"privacy": "PUBLIC_TO_EVERYONE"`), "platformSettings.tiktok.privacy", "setting_not_enabled", "tiktok")(b)
			path := b.make(setting("tiktok", `"privacy": "SELF_ONLY"`))
			change := `{"platformSettings": {"tiktok": {"privacy": "PUBLIC_TO_EVERYONE"}}}`
			b.named(b.Request(http.MethodPatch, path, change).WantError(http.StatusBadRequest, "validation_error").At("details"), "platformSettings.tiktok.privacy", "setting_not_enabled", "tiktok")
			b.finds("", "x", "x")
		}},
		{settingsTable, "mastodon: visibility has four values", func(b *bench) {
			for _, value := range []string{"public", "unlisted", "private", "direct"} {
				judged(setting("mastodon", `"visibility": "`+value+`"`), "", "")(b)
			}
			judged(setting("mastodon", `"visibility": "loud"`), "platformSettings.mastodon.visibility", "setting_invalid", "mastodon")(b)
		}},
		{settingsTable, "mastodon: spoilerText", all(
			judged(setting("mastodon", `"spoilerText": "spoiler"`), "", ""),
			judged(setting("mastodon", `"spoilerText": 1`), "platformSettings.mastodon.spoilerText", "setting_invalid", "mastodon"))},
		{settingsTable, "mastodon: sensitive is true or false", all(
			judged(setting("mastodon", `"sensitive": true`), "", ""),
			judged(setting("mastodon", `"sensitive": "yes"`), "platformSettings.mastodon.sensitive", "setting_invalid", "mastodon"))},
		{settingsTable, "mastodon: language is an ISO 639-1 code", all(
			judged(setting("mastodon", `"language": "de"`), "", ""),
			judged(setting("mastodon", `"language": "german"`), "platformSettings.mastodon.language", "setting_invalid", "mastodon"))},
		{settingsTable, "mastodon: polls", all(
			judged(setting("mastodon", `"poll": {"options": ["a", "b"], "expiresIn": 3600}`), "", ""),
			judged(setting("mastodon", `"poll": {"options": ["a"], "expiresIn": 3600}`), "platformSettings.mastodon.poll.options", "setting_invalid", "mastodon"),
			judged(setting("mastodon", `"poll": {"options": ["a", "b"], "expiresIn": 3600}`).with(`{"mediaItems": [`+anImage+`]}`), "platformSettings.mastodon.poll", "setting_conflict", "mastodon"))},
		{settingsTable, "instagram: shareToFeed", all(
			judged(setting("instagram", `"shareToFeed": false`), "", ""),
			judged(setting("instagram", `"shareToFeed": 1`), "platformSettings.instagram.shareToFeed", "setting_invalid", "instagram"))},
		{settingsTable, "twitter: replySettings", all(
			judged(setting("twitter", `"replySettings": "following"`), "", ""),
			judged(setting("twitter", `"replySettings": "nobody"`), "platformSettings.twitter.replySettings", "setting_invalid", "twitter"))},
		{settingsTable, "google-business: posts of three types, with a button", func(b *bench) {
			event := `, "event": {"title": "t", "startDate": "2026-01-01", "endDate": "2026-01-02"}`
			for _, more := range []string{`"STANDARD"`, `"EVENT"` + event, `"OFFER"` + event, `"STANDARD", "callToAction": {"actionType": "BOOK", "url": "https://example.com/"}`} {
				judged(setting("google-business", `"topicType": `+more), "", "")(b)
			}
			judged(setting("google-business", `"topicType": "ALERT"`), "platformSettings.google-business.topicType", "setting_invalid", "google-business")(b)
		}},
		{settingsTable, "a content among a platform's settings overrides the post's text there", all(
			judged(newPost(`{"content": "`+gatewaytest.Zeros(501)+`", "platformSettings": {"mastodon": {"content": "short"}}}`), "", ""),
			judged(setting("mastodon", `"content": "`+gatewaytest.Zeros(501)+`"`), "platformSettings.mastodon.content", "text_too_long", "mastodon"))},
		{settingsTable, "settings are keyed by platform: those of others have no effect, and are of the described form", all(
			judged(newPost(`{"platformSettings": {"twitter": {"replySettings": "verified"}, "tiktok": {}, "google-business": {"topicType": "EVENT"}}}`), "", ""),
			judged(newPost(`{"platformSettings": {"twitter": {"replySettings": "nobody"}}}`), "platformSettings.twitter.replySettings", "setting_invalid", "twitter"),
			judged(newPost(`{"platformSettings": {"google-business": {"event": {"title": "t", "startDate": "2026-01-01"}}}}`), "platformSettings.google-business.event.endDate", "setting_required", "google-business"),
			warned(newPost(`{"platformSettings": {"twitter": {"colour": "red"}}}`), "platformSettings.twitter.colour", "setting_unknown", "twitter"))},
		{settingsTable, "no setting is null", all(
			judged(setting("mastodon", `"language": null`), "platformSettings.mastodon.language", "setting_invalid", "mastodon"),
			judged(setting("mastodon", `"poll": null`), "platformSettings.mastodon.poll", "setting_invalid", "mastodon"),
			judged(setting("mastodon", `"poll": {"options": ["a", "b"], "expiresIn": 300, "multiple": null}`), "platformSettings.mastodon.poll.multiple", "setting_invalid", "mastodon"),
			invalid(newPost(`{"platformSettings": {"mastodon": null}}`), "platformSettings.mastodon", "invalid_type"))},
		{settingsTable, "a misspelt setting that says who sees a post is refused", all(
			judged(setting("mastodon", `"visiblity": "private"`), "platformSettings.mastodon.visiblity", "setting_misspelt", "mastodon"),
			judged(setting("mastodon", `"privacy": "private"`), "platformSettings.mastodon.privacy", "setting_misspelt", "mastodon"),
			invalid(newPost(`{"platformSettings": {"mastadon": {"visibility": "private"}}}`), "platformSettings.mastadon", "invalid_value"),
			invalid(newPost(`{"platformSetings": {"mastodon": {"visibility": "private"}}}`), "platformSetings", "unknown_field"),
			invalid(newPost(`{"visibility": "private"}`), "visibility", "unknown_field"),
			invalid(newPost(`{"platforms": [{"platform": "mastodon", "visibility": "private"}]}`), "platforms[0].visibility", "unknown_field"))},
		{settingsTable, "a field is refused where without it the post would go out otherwise than was meant", all(
			invalid(newPost(`{"platforms": [{"platform": "mastodon", "options": {"private": true}}]}`), "platforms[0].options", "unknown_field"),
			invalid(newPost(`{"extra": [{"deep": {"audience": "friends"}}]}`), "extra", "unknown_field"),
			invalid(newPost(`{"x": {"replySettings": "verified"}}`), "x", "unknown_field"),
			invalid(newPost(`{"platformSettings": {"sensitive": true}}`), "platformSettings.sensitive", "unknown_field"),
			invalid(newPost(`{"platformSettings": {"myspace": {"visibility": "private"}}}`), "platformSettings.myspace", "unknown_field"),
			invalid(newPost(`{"sensitive": true}`), "sensitive", "unknown_field"),
			invalid(newPost(`{"accountId": "acc_1"}`), "accountId", "unknown_field"),
			invalid(newPost(`{"platforms": [{"platform": "mastodon", "id": "acc_1"}]}`), "platforms[0].id", "unknown_field"),
			invalid(newPost(`{"images": ["https://media.example/a.png"]}`), "images", "unknown_field"),
			invalid(newPost(`{"mediaItems": [{"type": "image", "url": "https://media.example/a.png", "keepMetaData1": false}]}`), "mediaItems[0].keepMetaData1", "unknown_field"),
			invalid(newPost(`{"draft": true}`), "draft", "unknown_field"),
			invalid(newPost(`{"queueID2": "queue_1"}`), "queueID2", "unknown_field"),
			warned(newPost(`{"dominantColor": "1"}`), "dominantColor", "unknown_field"), // of no platform that the post goes to
			warned(newPost(`{"external_ids": "1"}`), "external_ids", "unknown_field"),
			warned(newPost(`{"platformSettings": {"myspace": {"colour": "red"}}}`), "platformSettings.myspace", "unknown_field"))},
		{settingsTable, "what is no setting is told", all(
			warned(setting("mastodon", `"colour": "red"`), "platformSettings.mastodon.colour", "setting_unknown", "mastodon"),
			warned(setting("bluesky", `"colour": "red"`), "platformSettings.bluesky.colour", "setting_unknown", "bluesky"))},
		{settingsTable, "bluesky: langs are at most three language tags", all(
			judged(setting("bluesky", `"langs": ["en", "pt-BR", "de"]`), "", ""),
			judged(setting("bluesky", `"langs": ["en", "de", "fr", "it"]`), "platformSettings.bluesky.langs", "setting_invalid", "bluesky"),
			judged(setting("bluesky", `"langs": ["en", null]`), "platformSettings.bluesky.langs[1]", "setting_invalid", "bluesky"),
			judged(setting("bluesky", `"langs": ["en", "not a tag"]`), "platformSettings.bluesky.langs[1]", "setting_invalid", "bluesky"))},
	}
}

// setting is the creation of a draft with settings of its platform.
func setting(platform, members string) request {
	return postTo(platform).with(`{"platformSettings": {"` + platform + `": {` + members + `}}}`)
}
