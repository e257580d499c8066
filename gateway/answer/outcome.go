package answer

import (
	"crier/gateway/reference"
	"crier/schema"
)

// Outcomes are the codes by which what was accepted fails later, or waits, and what their pages say.
var Outcomes = [...]reference.Problem{
	{
		Code:    schema.CodeOf(schema.Refused),
		Meaning: "The platform refused this for good; its reason is in the message. Nothing was published by that call.",
		Remedy:  "Where the post is to blame, create a corrected one. Where the account or its settings are, mend that on the platform, then POST /posts/{id}/retry.",
	},
	{
		Code:    schema.CodeOf(schema.Duplicate),
		Meaning: "The platform says that it has this post already.",
		Remedy:  "Look at the account. If the post is not there, create one that differs.",
	},
	{
		Code:    schema.CodeOf(schema.RateLimited),
		Meaning: "The platform asks to wait, since it counts too many calls. crier waits as long as it says and then continues automatically.",
		Remedy:  "Nothing while it is pending. Spread posts of the account if it happens often.",
	},
	{
		Code:    schema.CodeOf(schema.Retryable),
		Meaning: "The platform failed, or could not be reached. crier tries again with growing waits, and gives up after the last try. Nothing was published by the calls that failed so.",
		Remedy:  "Nothing while it is pending. Once it has failed, POST /posts/{id}/retry when the platform works again.",
	},
	{
		Code:    schema.CodeOutcomeUnknown,
		Meaning: "A call was sent to the platform and its answer was lost, so it may be published. While it is pending, crier looks for it; once it has failed, crier could not find out.",
		Remedy:  "Look at the account. If it is not there, POST /posts/{id}/retry, which looks first; where the platform cannot be asked it needs acceptDuplicate: true.",
	},
	{
		Code:    schema.CodeMissedDeadline,
		Meaning: "It could not go out within the lateness that the operator allows (24 hours by default), so it was not published: a post at a surprising time is worse than none.",
		Remedy:  "POST /posts/{id}/retry if it still should go out. GET /posts/{id}/attempts shows what it waited for.",
	},
	{
		Code:    schema.CodeThreadIncomplete,
		Meaning: "An entry of the thread was not published, so the thread is not whole.",
		Remedy:  "Read the thread's entries to see which. POST /posts/{id}/retry publishes what is missing, and repeats nothing that is there.",
	},
	{
		Code:    schema.CodeNeedsReconnect,
		Meaning: "The platform no longer accepts the account's credentials: they ended, were revoked, or lack a permission.",
		Remedy:  "Connect the account again, at reconnectUrl of the account where it has one, then POST /posts/{id}/retry.",
	},
	{
		Code:    schema.CodeSuspended,
		Meaning: "The platform has suspended the account.",
		Remedy:  "Settle it with the platform. crier checks again automatically; POST /posts/{id}/retry once the account works.",
	},
	{
		Code:    schema.CodeDeactivated,
		Meaning: "The account was deactivated on the platform, is locked, or has still to be confirmed there.",
		Remedy:  "Activate it on the platform. crier checks again automatically; POST /posts/{id}/retry once the account works.",
	},
	{
		Code:    schema.CodeDeleted,
		Meaning: "The account no longer exists on the platform.",
		Remedy:  "Connect another account and create the post for that. If the account comes back, crier notices; then POST /posts/{id}/retry.",
	},
	{
		Code:    schema.CodeDisconnected,
		Meaning: "The account was disconnected from crier before this went out.",
		Remedy:  "Connect it again, then POST /posts/{id}/retry.",
	},
	{
		Code:    schema.AccountPaused.String(),
		Meaning: "The account is paused, by a member of the workspace or by the operator, and what is due waits. held of the target says by whom, since when and why.",
		Remedy:  "POST /accounts/{id}/resume lifts a member's pause; the operator lifts their own. What waits then goes out by itself, the oldest first.",
	},
	{
		Code:    schema.PlatformPaused.String(),
		Meaning: "The operator has paused everything that goes out on the platform, and what is due waits.",
		Remedy:  "Ask the operator. What waits goes out by itself once they resume it; what has waited longer than they allow fails with missed_deadline.",
	},
	{
		Code:    schema.WorkspacePaused.String(),
		Meaning: "The operator has paused the workspace, and what is due waits.",
		Remedy:  "Ask the operator. What waits goes out by itself once they resume it; what has waited longer than they allow fails with missed_deadline.",
	},
	{
		Code:    schema.UnderReview.String(),
		Meaning: "The post waits until the operator says whether it goes out: crier was restored from a backup, and the platform may have the post already.",
		Remedy:  "Look at the account, and tell the operator what you found there.",
	},
	{
		Code:    schema.AccountDeleting.String(),
		Meaning: "The account is being deleted with all that is kept of it, and nothing more goes out on it.",
		Remedy:  "Nothing: the post ends with the account.",
	},
	{
		Code:    schema.WorkspaceDeleting.String(),
		Meaning: "The workspace is being deleted with all that is kept of it, and nothing more goes out.",
		Remedy:  "Nothing: the post ends with the workspace.",
	},
	{
		Code:    schema.CodeCancelled,
		Meaning: "The operator cancelled the first comment after crier was restored from a backup.",
		Remedy:  "Write the comment on the platform if the post lacks it.",
	},
	{
		Code:    schema.CodeCheckFailed,
		Meaning: "The account could not be checked, by a fault of crier's own. It says nothing about the account.",
		Remedy:  "Check it again later. If it does not change, tell the operator.",
	},
}
