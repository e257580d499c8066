package postgres

// The numbers by which states are stored, as schema's constants have them, under names for
// SQL. The sets are for use with "in".
const (
	postDraft           = "1"
	postScheduled       = "2"
	postProcessing      = "3"
	postPosted          = "4"
	postPartiallyFailed = "5"
	postFailed          = "6"
	postCancelled       = "7"
	openPosts           = "(" + postScheduled + ", " + postProcessing + ")"
	unfinishedPosts     = "(" + postDraft + ", " + postScheduled + ", " + postProcessing + ")"

	targetPending   = "0"
	targetClaimed   = "1"
	targetPosted    = "2"
	targetFailed    = "3"
	targetCancelled = "4"
	openTargets     = "(" + targetPending + ", " + targetClaimed + ")"
	endedTargets    = "(" + targetPosted + ", " + targetFailed + ")" // not by a cancel

	commentPending = "0"
	commentClaimed = "1"
	commentPosted  = "2"
	commentFailed  = "3"
	commentSkipped = "4"
	openComments   = "(" + commentPending + ", " + commentClaimed + ")"

	deliveryPending   = "0"
	deliveryClaimed   = "1"
	deliveryDelivered = "2"
	deliveryFailed    = "3"
	openDeliveries    = "(" + deliveryPending + ", " + deliveryClaimed + ")"
	endedDeliveries   = "(" + deliveryDelivered + ", " + deliveryFailed + ")"

	stepPrepare = "0"
	stepPublish = "1"
	stepFind    = "2"

	jobPost    = "1"
	jobComment = "2"
	jobNotify  = "3"
	jobRefresh = "4"

	uploadAwaited  = "0"
	uploadKept     = "1"
	uploadDeleted  = "2"
	presentUploads = "(" + uploadAwaited + ", " + uploadKept + ")"

	renewalIdle  = "0"
	renewalTrade = "1"
	renewalAgain = "2"
	tradeSteps   = "(" + renewalIdle + ", " + renewalAgain + ")"
)

// claimable tells whether a target, a first comment or a delivery may be claimed: it is
// pending and due, or its claim has ended. row is the alias of its table.
func claimable(row string) string {
	return `((` + row + `.state = ` + targetPending + ` and coalesce(` + row + `.next_at, now()) <= now() + interval '` + earlyBy + `')
		or (` + row + `.state = ` + targetClaimed + ` and ` + claimEnded(row+`.lease_until`, row+`.token`) + `))`
}

// claimEnded tells whether the claim with that lease and token is nobody's any more: its
// lease is over for @settle, by the server's clock and by @latest (see leaseClock), or the
// same claimant takes it up again without having heard of it, as u.again and u.token say.
func claimEnded(lease, token string) string {
	return `(` + lease + ` + @settle::interval < least(now(), @latest::timestamptz) or (u.again and ` + token + ` = u.token))`
}
