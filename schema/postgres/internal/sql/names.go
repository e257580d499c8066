package sql

import (
	"fmt"
	"strings"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// names are what numbers and constants are called in statements. The sets are for use with "in".
var names = map[string]string{
	"no_id":   `'00000000-0000-0000-0000-000000000000'::uuid`, // reads as the zero id, which is how schema says "none"
	"max_id":  `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`,
	"no_time": `'0001-01-01Z'::timestamptz`, // reads as the zero time

	"post_draft":            number(schema.Draft),
	"post_scheduled":        number(schema.Scheduled),
	"post_processing":       number(schema.Processing),
	"post_posted":           number(schema.Posted),
	"post_partially_failed": number(schema.PartiallyFailed),
	"post_failed":           number(schema.Failed),
	"post_cancelled":        number(schema.Cancelled),
	"open_posts":            set(schema.Scheduled, schema.Processing),
	"unfinished_posts":      set(schema.Draft, schema.Scheduled, schema.Processing),
	"ended_posts":           set(schema.Posted, schema.PartiallyFailed, schema.Failed, schema.Cancelled),

	"target_pending": number(schema.TargetPending),
	"target_claimed": number(schema.TargetClaimed),
	"target_posted":  number(schema.TargetPosted),
	"target_failed":  number(schema.TargetFailed),
	"open_targets":   set(schema.TargetPending, schema.TargetClaimed),
	"ended_targets":  set(schema.TargetPosted, schema.TargetFailed), // other than by a cancel

	"comment_pending": number(schema.CommentPending),
	"comment_claimed": number(schema.CommentClaimed),
	"comment_failed":  number(schema.CommentFailed),
	"comment_skipped": number(schema.CommentSkipped),
	"open_comments":   set(schema.CommentPending, schema.CommentClaimed),

	"delivery_pending":   number(schema.DeliveryPending),
	"delivery_claimed":   number(schema.DeliveryClaimed),
	"delivery_delivered": number(schema.DeliveryDelivered),
	"delivery_failed":    number(schema.DeliveryFailed),
	"open_deliveries":    set(schema.DeliveryPending, schema.DeliveryClaimed),
	"ended_deliveries":   set(schema.DeliveryDelivered, schema.DeliveryFailed),

	"step_prepare":   number(schema.StepPrepare),
	"step_publish":   number(schema.StepPublish),
	"step_find":      number(schema.StepFind),
	"call_repeating": number(schema.CallRepeating), // of the column looked

	"job_post":    number(schema.JobPost),
	"job_comment": number(schema.JobComment),
	"job_notify":  number(schema.JobNotify),

	"upload_kept":     number(schema.UploadStored),
	"present_uploads": set(schema.UploadAwaited, schema.UploadStored),

	"renewal_idle":  number(schema.RenewalIdle),
	"renewal_trade": number(schema.RenewalTrade),
	"renewal_again": number(schema.RenewalAgain),
	"renewal_check": number(schema.RenewalCheck),

	"collect_metrics":  number(schema.CollectMetrics),
	"collect_comments": number(schema.CollectComments),

	"deletion_asked":    number(schema.DeletionAsked),
	"deletion_stopping": number(schema.DeletionStopping),
	"deletion_removing": number(schema.DeletionRemoving),
	"deletion_done":     number(schema.DeletionDone),

	"attempt_deferred": number(schema.AttemptDeferred),
	"attempt_failed":   number(schema.AttemptFailed),

	"workspace_paused": number(schema.WorkspacePaused),
	"account_paused":   number(schema.AccountPaused),
	"platform_paused":  number(schema.PlatformPaused),
	"pauses":           set(schema.WorkspacePaused, schema.AccountPaused, schema.PlatformPaused, schema.AccountPausedByMember),
	"account_pauses":   set(schema.AccountPaused, schema.AccountPausedByMember),
	"paused_by_member": number(schema.AccountPausedByMember),

	"mail_invitation": number(people.MailInvitation),
	"awaited_mails":   set(people.AwaitedMails()...),
}

// state is a number of schema's that is stored.
type state interface {
	~int8 | ~int16 | ~int | ~uint8
}

func number[S state](s S) string { return fmt.Sprintf("%d", s) }

func set[S state](states ...S) string {
	numbers := lists.Map(states, number[S])
	return "(" + strings.Join(numbers, ", ") + ")"
}
