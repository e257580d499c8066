package tables

// The numbers of states, as in schema's constants, under names for SQL. The sets are for
// use with "in".
const (
	PostDraft           = "1"
	PostScheduled       = "2"
	PostProcessing      = "3"
	PostPosted          = "4"
	PostPartiallyFailed = "5"
	PostFailed          = "6"
	postCancelled       = "7"
	OpenPosts           = "(" + PostScheduled + ", " + PostProcessing + ")"
	unfinishedPosts     = "(" + PostDraft + ", " + PostScheduled + ", " + PostProcessing + ")"
	endedPosts          = PostPosted + ", " + PostPartiallyFailed + ", " + PostFailed + ", " + postCancelled
	EndedPosts          = "(" + endedPosts + ")"
	AllEndedPosts       = "array[" + endedPosts + "]::int2[]"

	TargetPending   = "0"
	TargetClaimed   = "1"
	TargetPosted    = "2"
	TargetFailed    = "3"
	targetCancelled = "4"
	OpenTargets     = "(" + TargetPending + ", " + TargetClaimed + ")"
	EndedTargets    = "(" + TargetPosted + ", " + TargetFailed + ")" // other than by a cancel

	CommentPending = "0"
	CommentClaimed = "1"
	commentPosted  = "2"
	CommentFailed  = "3"
	CommentSkipped = "4"
	OpenComments   = "(" + CommentPending + ", " + CommentClaimed + ")"

	DeliveryPending   = "0"
	DeliveryClaimed   = "1"
	DeliveryDelivered = "2"
	DeliveryFailed    = "3"
	OpenDeliveries    = "(" + DeliveryPending + ", " + DeliveryClaimed + ")"
	EndedDeliveries   = "(" + DeliveryDelivered + ", " + DeliveryFailed + ")"

	StepPrepare = "0"
	StepPublish = "1"
	StepFind    = "2"

	LooksRepeating = "-1" // of the column looked

	JobPost    = "1"
	JobComment = "2"
	JobNotify  = "3"
	jobRefresh = "4"
	jobCollect = "5"

	uploadAwaited  = "0"
	UploadKept     = "1"
	uploadDeleted  = "2"
	PresentUploads = "(" + uploadAwaited + ", " + UploadKept + ")"

	RenewalIdle  = "0"
	RenewalTrade = "1"
	RenewalAgain = "2"
	RenewalCheck = "3"
)

// Claimable is true if a target, a first comment or a delivery may be claimed: it is
// pending and due, or its claim has ended. row is the alias of its table; ClaimEnded says what
// else the statement has to have.
func Claimable(row string) string {
	return `((` + row + `.state = ` + TargetPending + ` and ` + IsDue(row) + `)
		or (` + row + `.state = ` + TargetClaimed + ` and ` + ClaimEnded(row+`.lease_until`, row+`.token`) + `))`
}

// IsDue is true of what does not wait for a time of its own, by the server's clock and by @due (see
// clock.Due).
func IsDue(row string) string {
	return `(` + row + `.next_at is null or ` + row + `.next_at <= least(now(), @due::timestamptz) + interval '` + EarlyBy + `')`
}

// ClaimEnded is true if the claim with that lease and token has ended: its lease has been
// over for @settle, by the server's clock and by @latest (see clock.Lease), or its own
// claimant takes it over because the answer was lost. It needs rows u of what is claimed: each with
// the claim's token, and with takeover where the token is that of a lost one.
func ClaimEnded(lease, token string) string {
	return `(` + lease + ` + @settle::interval < least(now(), @latest::timestamptz) or (u.takeover and ` + token + ` = u.token))`
}
