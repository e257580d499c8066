package gateway_test

// sentence is one that no row covers.
type sentence struct{ section, says, why string }

const (
	permits    = "it permits or explains, it demands nothing"
	otherIssue = "the part it is about has an issue of its own"
	notShown   = "the specification does not show it; the design settles it, with tests beside its code"
	selected   = "an account is the page, organisation, channel, board or location; without one there is no post, which has a row"
)

// uncovered is what the specification says without a row, and why.
func uncovered() []sentence {
	return []sentence{
		{service, "answers may carry more fields than are listed", permits},
		{service, "the tags Engagement and Feeds", otherIssue},
		{service, "mastodon accounts are connected on the dashboard, not over the API", "crier takes a token over the API as well: more than is asked"},
		{service, "only locations selected in the dashboard can be posted to", selected},
		{service, "google-business is absent from analytics", "TestFiguresOfPostsAndAccounts"},
		{postResource, "the full schema is not shown", notShown},
		{threadResource, "on twitter and bluesky only the first entry tells its id", "crier tells every id it knows (design 8), which has a row"},
		{accountsSection, "dashboard accounts are listed, and left out where a brand is named", "there are none before the console has its issue"},
		{accountsSection, "other fields of Account and AccountHealth", notShown},
		{accountsSection, "a health check tries to refresh the token", "it is the refresh stage's: TestTokensAreRenewed"},
		{settingsTable, "field names of google-business's settings", notShown},
		{limitsTable, "connection methods by platform: OAuth 2.0", "TestWaysToConnect, TestAPersonConnectsAnAccount"},
		{limitsTable, "entity selection: pages, organizations, channels, boards, business locations", selected},
		{limitsTable, "facebook: posts go to a selected page", selected},
		{limitsTable, "pinterest: a board must be selected", selected},
		{limitsTable, "telegram: a bot without a registered channel cannot post", selected},
		{limitsTable, "tiktok: 35 photos, JPEG and WebP", "it contradicts that a video is required; the stricter sentence has a row (design 8)"},
		{limitsTable, "pinterest: 20 media items", "Pinterest takes 5 in a pin; the stricter limit has a row (design 8)"},
		{limitsTable, "mastodon: an instance may allow more", "crier does not know what an instance allows; the default has a row"},
		{limitsTable, "google-business: posts expire after about 7 days, or with their event", "the platform does that"},
		{states, "what comes after processing", notShown},
		{threading, "a retried job may post earlier entries again", "crier never does (promise 2): TestAThreadThatFailsGoesOnWhereItEnded"},
		{threading, "the machine-readable list of platforms names three", "the reference pages name four, which have a row"},
		{mediaSection, "videos come through the dashboard, a presigned upload or a url", "TestUploadByAnAddressOfItsOwn, TestMediaOfAURLIsFetchedAndKept"},
		{mediaSection, "the dashboard takes up to 500 MB", "an address of its own takes what the largest platform does: TestAnUploadIsAsLargeAsTheInstallationTakes"},
		{webhooksSection, "delivery records and their fields", "TestAWebhookShowsItsDeliveries, TestDeliveriesAreSearched: they come of the notify stage"},
		{eventsSection, "only post.published and post.failed are sent by themselves", "crier sends all thirteen (design 8), which have rows"},
		{eventsSection, "receivers compare in constant time", "a duty of receivers"},
		{eventsSection, "three retries after 2, 4 and 8 seconds, failed at last, disabled after ten failures in a row", "they are the notify stage's: TestAFailedDeliveryIsTriedAgainAfter2And4And8Seconds, TestAWebhookIsDisabledAfterTenFailedDeliveries, TestOnly2xxIsADelivery"},
		{knownByName, "analytics", "TestFiguresOfPostsAndAccounts, TestBestTimesFindTheOptimumAndSayWhenTheyCannot"},
		{knownByName, "engagement, feeds", otherIssue},
		{knownByName, "connect with its entities and select", "TestAPersonConnectsAnAccount, TestPagesAreChosenOverTheAPI"},
		{knownByName, "checkout", "nothing is sold without a key of Stripe; TestPlansAreSoldByStripe has a stand-in for it"},
		{authentication, "keys come by a device flow", otherIssue},
		{authentication, "OAuth connects accounts", "TestAPersonConnectsAnAccount"},
		{authentication, "endpoints without a key, such as the registration of keys, are limited by address", "TestAnybodyCanRegisterWhereItIsAllowed, TestANetworkRegistersThreeTimesAnHour, TestPagesOfConnectingAreLimitedByAddress"},
		{errorsSection, "some bodies of 429 show the error alone", permits},
		{errorsSection, "the complete list of codes is not shown", "each code has a page: TestPages"},
		{rates, "repeated disregard may lead to a suspension", "TestAKeyThatDisregards429IsSuspended"},
		{dailyLimits, "the names of two platforms with 100 posts a day are not shown", "the design names instagram and facebook, which have a row"},
		{versioning, "what changes within a version, what does not, and that 90 days are given", "it is about changes to come"},
		{versioning, "profileId was renamed brandId", "its 90 days are over: it is an unknown field"},
		{versioning, "the changelog up to 1.9.1", permits},
	}
}
