package postgres

import (
	"fmt"
	"testing"

	"crier/schema"
)

func TestStatesHaveTheNumbersOfTheSchema(t *testing.T) {
	for sql, state := range map[[2]string]any{
		{"post", postDraft}: schema.Draft, {"post", postScheduled}: schema.Scheduled, {"post", postProcessing}: schema.Processing,
		{"post", postPosted}: schema.Posted, {"post", postPartiallyFailed}: schema.PartiallyFailed, {"post", postFailed}: schema.Failed,
		{"post", postCancelled}: schema.Cancelled,

		{"target", targetPending}: schema.TargetPending, {"target", targetClaimed}: schema.TargetClaimed,
		{"target", targetPosted}: schema.TargetPosted, {"target", targetFailed}: schema.TargetFailed, {"target", targetCancelled}: schema.TargetCancelled,

		{"comment", commentPending}: schema.CommentPending, {"comment", commentClaimed}: schema.CommentClaimed,
		{"comment", commentPosted}: schema.CommentPosted, {"comment", commentFailed}: schema.CommentFailed, {"comment", commentSkipped}: schema.CommentSkipped,

		{"delivery", deliveryPending}: schema.DeliveryPending, {"delivery", deliveryClaimed}: schema.DeliveryClaimed,
		{"delivery", deliveryDelivered}: schema.DeliveryDelivered, {"delivery", deliveryFailed}: schema.DeliveryFailed,

		{"step", stepPrepare}: schema.StepPrepare, {"step", stepPublish}: schema.StepPublish, {"step", stepFind}: schema.StepFind,

		{"upload", uploadAwaited}: schema.UploadAwaited, {"upload", uploadKept}: schema.UploadKept, {"upload", uploadDeleted}: schema.UploadDeleted,

		{"renewal", renewalIdle}: schema.RenewalIdle, {"renewal", renewalTrade}: schema.RenewalTrade, {"renewal", renewalAgain}: schema.RenewalAgain,

		{"job", jobPost}: schema.JobPost, {"job", jobComment}: schema.JobComment, {"job", jobNotify}: schema.JobNotify, {"job", jobRefresh}: schema.JobRefresh,
	} {
		if want := fmt.Sprintf("%d", state); sql[1] != want {
			t.Errorf("%s %v is %s in SQL, want %s", sql[0], state, sql[1], want)
		}
	}
}
