package client

import "crier/client/internal/api"

// What the API says and takes. Fields that are zero are left out of what is sent, but in
// changes (PostUpdate and its like), where a pointer that is nil and a list that is nil are.
type (
	// Post is what is asked for, and what became of it: to create one, leave what the server
	// says (its id, times and outcomes) empty.
	Post = api.Post
	// PostUpdate changes a post that is not published: what is nil stays as it is, lists and
	// objects replace what was there, empty ones clear it.
	PostUpdate = api.PostUpdate
	// PostRetry says what of a post that failed is to be tried again; the zero value: all of it.
	PostRetry = api.PostRetry
	// Target is a post bound for one account, and what became of it there.
	Target = api.PlatformEntry
	// MediaItem is a file of a post, by its url or the id of an upload.
	MediaItem = api.MediaItem
	// FirstComment is a comment that follows an entry of a post.
	FirstComment = api.FirstComment
	// CommentRecord is what became of a first comment.
	CommentRecord = api.CommentRecord
	// Held is why nothing of a target goes out at present.
	Held = api.Held
	// Cause is why something failed.
	Cause = api.Cause
	// Attempt is one line of a post's timeline.
	Attempt = api.Attempt
	// Validation is what a creation would find.
	Validation = api.ValidationAnswer_Validation
	// Validity is what a creation would find on one platform.
	Validity = api.Validity
	// Bulk is up to 25 posts to be made by one request.
	Bulk = api.BulkCreate
	// BulkAnswer is what became of each post of a bulk, in its order.
	BulkAnswer = api.BulkAnswer
	// BulkResult is what became of one post of a bulk.
	BulkResult = api.BulkResult

	// Thread is a post of several entries, and what became of it.
	Thread = api.Thread
	// ThreadCreate is a thread that is asked for.
	ThreadCreate = api.ThreadCreate
	// ThreadEntryInput is one entry of a thread that is asked for.
	ThreadEntryInput = api.ThreadEntryInput
	// ThreadEntry is one entry of a thread, and what became of it.
	ThreadEntry = api.ThreadEntry
	// ThreadUpdate changes a thread that is not published: what is nil stays as it is.
	ThreadUpdate = api.ThreadUpdate
	// ThreadConfig says how a thread goes on after a failure.
	ThreadConfig = api.ThreadConfig

	// Account is a connected account.
	Account = api.Account
	// AccountUpdate changes an account: what is nil stays as it is; a BrandID of "" takes it out
	// of its brand.
	AccountUpdate = api.AccountUpdate
	// AccountHealth is whether an account works, as its platform says.
	AccountHealth = api.AccountHealth
	// AccountProblem is what is wrong with an account.
	AccountProblem = api.AccountProblem
	// ConnectWay is how accounts of a platform are connected.
	ConnectWay = api.ConnectWay
	// Consent is the page on which a person consents, and until when.
	Consent = api.ConnectBegunAnswer
	// Entity is a page, board or the like that a person may choose to connect.
	Entity = api.Entity
	// EntitiesSelection is what a person has chosen.
	EntitiesSelection = api.EntitiesSelection

	// Media is an upload.
	Media = api.Media

	// Webhook is a receiver of events.
	Webhook = api.Webhook
	// WebhookUpdate changes a webhook: what is nil stays as it is.
	WebhookUpdate = api.WebhookUpdate
	// Delivery is one event sent to a webhook, with its tries.
	Delivery = api.DeliveryRecord
	// DeliveryStatus is how far a delivery is: delivered, failed, or pending where a retry follows.
	DeliveryStatus = api.DeliveryRecordStatus
	// DeliveryDetail is a delivery with what was sent.
	DeliveryDetail = api.DeliveryDetailAnswer_Delivery
	// WebhookTest is what a receiver answered to a test.
	WebhookTest = api.TestAnswer_Test

	// Queue is weekly slots that posts are placed in; to create one, leave its id and times empty.
	Queue = api.Queue
	// QueueUpdate changes a queue: what is nil stays as it is.
	QueueUpdate = api.QueueUpdate
	// WeekSlot is one slot of a queue.
	WeekSlot = api.WeekSlot
	// Brand is a group of accounts.
	Brand = api.Brand
	// Key is an API key; its Secret is there only when it is made.
	Key = api.Key
	// Permission is what a key may do: read, write or admin.
	Permission = api.KeyCreatePermissions
	// UsageReport is what is used of a plan.
	UsageReport = api.Usage
	// Plan is what a workspace may use.
	Plan = api.Plan

	// InboxItem is a comment or a mention.
	InboxItem = api.InboxItem
	// Author is who wrote it, as far as the platform tells.
	Author = api.InboxItem_Author
	// UnreadCount is how much of an account nobody has read.
	UnreadCount = api.InboxAnswer_Unread
	// Reply is an answer to a comment or a mention, and what became of it.
	Reply = api.Reply
	// Transcript is what is spoken in a video.
	Transcript = api.TranscriptAnswer_Transcript

	// Monitor has crier look for keywords; to create one, leave its id and times empty.
	Monitor = api.Monitor
	// MonitorUpdate changes a monitor: what is nil stays as it is; a Language of "" is any.
	MonitorUpdate = api.MonitorUpdate
	// FeedItem is a public post.
	FeedItem = api.FeedItem
	// FeedAuthor is who wrote it, as far as the platform tells.
	FeedAuthor = api.FeedItem_Author
	// Profile is what a platform shows of somebody to everybody.
	Profile = api.PublicProfileAnswer_Profile

	// PostReport is how many posts reached platforms, and how they do.
	PostReport = api.PostCountsAnswer
	// PostCount is how many posts of a day reached a platform.
	PostCount = api.PostCountsAnswer_Counts
	// PostFigures are the metrics of posts together.
	PostFigures = api.PostFigures
	// TopPost is a post that does well.
	TopPost = api.PostCountsAnswer_Metrics_Top
	// Metrics are those of a post, or of posts together; nil where they are not known.
	Metrics = api.Metrics
	// FollowersReport is how accounts gain followers.
	FollowersReport = api.FollowersAnswer
	// AccountFollowers is who follows an account.
	AccountFollowers = api.FollowersAnswer_Accounts
	// RetentionReport is how long videos are watched.
	RetentionReport = api.RetentionAnswer
	// VideoRetention is how long a video is watched.
	VideoRetention = api.RetentionAnswer_Videos
	// BestTimes are the hours of the week in which posts do best.
	BestTimes = api.BestTimesAnswer
	// BestTime is one such hour, of a weekday.
	BestTime = api.BestTimesAnswer_Times
	// Confidence is how far something can be trusted.
	Confidence = api.Confidence

	// PlatformLimits are what posts are held to on a platform.
	PlatformLimits = api.PlatformLimits

	// Detail is one thing that is wrong with a request, or worth a warning.
	Detail = api.Detail
	// ErrorCode names a kind of error.
	ErrorCode = api.ErrorCode
	// PostStatus is how far a post is.
	PostStatus = api.PostStatus
	// PostUpdateStatus is the status that a change may ask for: UpdateScheduled makes a draft go out.
	PostUpdateStatus = api.PostUpdateStatus
	// TargetStatus is how far a post is on one platform.
	TargetStatus = api.PlatformEntryStatus
	// MediaType is what a media item is.
	MediaType = api.MediaItemType
	// MediaFit is what happens to a picture that a platform does not accept: cover or contain.
	MediaFit = api.MediaItemFit
)

// Options of a post by platform.
type (
	PlatformSettings       = api.PlatformSettings
	TwitterSettings        = api.TwitterSettings
	InstagramSettings      = api.InstagramSettings
	FacebookSettings       = api.FacebookSettings
	LinkedInSettings       = api.LinkedInSettings
	TikTokSettings         = api.TiktokSettings
	ThreadsSettings        = api.ThreadsSettings
	BlueskySettings        = api.BlueskySettings
	YouTubeSettings        = api.YoutubeSettings
	PinterestSettings      = api.PinterestSettings
	TelegramSettings       = api.TelegramSettings
	MastodonSettings       = api.MastodonSettings
	GoogleBusinessSettings = api.GoogleBusinessSettings
)

// Platform names a platform.
type Platform = api.PlatformName

// Platforms.
const (
	Twitter        = api.PlatformNameTwitter
	Instagram      = api.PlatformNameInstagram
	Facebook       = api.PlatformNameFacebook
	LinkedIn       = api.PlatformNameLinkedin
	TikTok         = api.PlatformNameTiktok
	Threads        = api.PlatformNameThreads
	Bluesky        = api.PlatformNameBluesky
	YouTube        = api.PlatformNameYoutube
	Pinterest      = api.PlatformNamePinterest
	Telegram       = api.PlatformNameTelegram
	Mastodon       = api.PlatformNameMastodon
	GoogleBusiness = api.PlatformNameGoogleBusiness
)

// What a change may make of a draft.
const (
	UpdateDraft     = api.PostUpdateStatusDraft
	UpdateScheduled = api.PostUpdateStatusScheduled
)

// How far a post is.
const (
	PostDraft           = api.PostStatusDraft
	PostScheduled       = api.PostStatusScheduled
	PostProcessing      = api.PostStatusProcessing
	PostPosted          = api.PostStatusPosted
	PostPartiallyFailed = api.PostStatusPartiallyFailed
	PostFailed          = api.PostStatusFailed
	PostCancelled       = api.PostStatusCancelled
)

// How far a post is on one platform.
const (
	TargetPending   = api.PlatformEntryStatusPending
	TargetPosted    = api.PlatformEntryStatusPosted
	TargetFailed    = api.PlatformEntryStatusFailed
	TargetCancelled = api.PlatformEntryStatusCancelled
)

// How far a first comment is; before its time there is no record of it.
const (
	CommentPosted  = api.CommentRecordStatusPosted
	CommentFailed  = api.CommentRecordStatusFailed
	CommentSkipped = api.CommentRecordStatusSkipped
)

// How far a reply is.
const (
	ReplyPending = api.ReplyStatusPending
	ReplyPosted  = api.ReplyStatusPosted
	ReplyFailed  = api.ReplyStatusFailed
)

// What an item of the inbox is.
const (
	InboxComment = api.InboxItemKindComment
	InboxMention = api.InboxItemKindMention
)

// What is counted.
const (
	CountPosted = api.PostCountsAnswerCountsStatusPosted
	CountFailed = api.PostCountsAnswerCountsStatusFailed
)

// What a media item is.
const (
	Image = api.MediaItemTypeImage
	Video = api.MediaItemTypeVideo
	PDF   = api.MediaItemTypePdf
)

// What a key may do; each includes those before it.
const (
	Read  = api.KeyCreatePermissionsRead
	Write = api.KeyCreatePermissionsWrite
	Admin = api.KeyCreatePermissionsAdmin
)

// To returns targets on platforms of which exactly one account is connected. Any other account
// is named: Target{Platform: Mastodon, AccountID: "acc_…"}.
func To(platforms ...Platform) []Target {
	targets := make([]Target, len(platforms))
	for i, p := range platforms {
		targets[i].Platform = p
	}
	return targets
}
