package tables

import (
	"fmt"
	"testing"

	"crier/schema"
)

func TestStatesHaveTheNumbersOfTheSchema(t *testing.T) {
	for sql, state := range map[[2]string]any{
		{"post", PostDraft}: schema.Draft, {"post", PostScheduled}: schema.Scheduled, {"post", PostProcessing}: schema.Processing,
		{"post", PostPosted}: schema.Posted, {"post", PostPartiallyFailed}: schema.PartiallyFailed, {"post", PostFailed}: schema.Failed,
		{"post", postCancelled}: schema.Cancelled,

		{"target", TargetPending}: schema.TargetPending, {"target", TargetClaimed}: schema.TargetClaimed,
		{"target", TargetPosted}: schema.TargetPosted, {"target", TargetFailed}: schema.TargetFailed, {"target", targetCancelled}: schema.TargetCancelled,

		{"comment", CommentPending}: schema.CommentPending, {"comment", CommentClaimed}: schema.CommentClaimed,
		{"comment", commentPosted}: schema.CommentPosted, {"comment", CommentFailed}: schema.CommentFailed, {"comment", CommentSkipped}: schema.CommentSkipped,

		{"delivery", DeliveryPending}: schema.DeliveryPending, {"delivery", DeliveryClaimed}: schema.DeliveryClaimed,
		{"delivery", DeliveryDelivered}: schema.DeliveryDelivered, {"delivery", DeliveryFailed}: schema.DeliveryFailed,

		{"step", StepPrepare}: schema.StepPrepare, {"step", StepPublish}: schema.StepPublish, {"step", StepFind}: schema.StepFind,

		{"looked", LooksRepeating}: schema.LooksRepeating,

		{"upload", uploadAwaited}: schema.UploadAwaited, {"upload", UploadKept}: schema.UploadKept, {"upload", uploadDeleted}: schema.UploadDeleted,

		{"renewal", RenewalIdle}: schema.RenewalIdle, {"renewal", RenewalTrade}: schema.RenewalTrade, {"renewal", RenewalAgain}: schema.RenewalAgain, {"renewal", RenewalCheck}: schema.RenewalCheck,

		{"job", JobPost}: schema.JobPost, {"job", JobComment}: schema.JobComment, {"job", JobNotify}: schema.JobNotify, {"job", jobRefresh}: schema.JobRefresh,
		{"job", jobCollect}: schema.JobCollect,

		{"collected", CollectMetrics}: schema.CollectMetrics, {"collected", CollectFollowers}: schema.CollectFollowers, {"collected", CollectComments}: schema.CollectComments,
	} {
		if want := fmt.Sprintf("%d", state); sql[1] != want {
			t.Errorf("%s %v is %s in SQL, want %s", sql[0], state, sql[1], want)
		}
	}
}
