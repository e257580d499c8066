package answer

import (
	"net/http"

	"crier/gateway/reference"
	"crier/schema"
)

// Problems holds, by kind of error, its status and code in the API and what its page
// says. A kind without a code is a fault of crier's own.
var Problems = [...]reference.Problem{
	schema.Internal: {
		Status: http.StatusInternalServerError, Code: "internal_error",
		Meaning: "Something went wrong in crier. Nothing of your request is to blame, and what it was about is logged.",
		Remedy:  "Send the same request again, one that creates with its Idempotency-Key. If it keeps failing, give the operator the X-Request-Id of the answer.",
		Retry:   reference.RetryLater,
	},
	schema.Invalid: {
		Status: http.StatusBadRequest, Code: "validation_error",
		Meaning: "The request says something that cannot be done: a field is missing, of a wrong type or outside its bounds, or a platform would refuse the post. error.details names every field that is wrong, all at once, and the platform where only one of them objects.",
		Remedy:  "Correct what error.details names. POST /posts/validate finds the same errors without creating anything.",
		Retry:   reference.RetryNever,
	},
	schema.AccountAmbiguous: {
		Status: http.StatusBadRequest, Code: "account_ambiguous",
		Meaning: "The workspace has several accounts on a platform, and the request does not say which of them is meant. error.details lists the accounts to choose from.",
		Remedy:  "Name one in platforms[].accountId. To publish on several, list the platform once for each account.",
		Retry:   reference.RetryNever,
	},
	schema.InvalidState: {
		Status: http.StatusBadRequest, Code: "invalid_state",
		Meaning: "What the request is about is in a state that does not allow it: a post that is being published cannot be edited, one that was posted cannot be retried, media that a post uses cannot be deleted.",
		Remedy:  "Read the resource to see its state. A failed post is set going by POST /posts/{id}/retry, which needs acceptDuplicate: true where nobody can find out whether a lost call has published it (outcome_unknown on telegram); a disabled webhook by PATCH with isActive.",
		Retry:   reference.RetryNever,
	},
	schema.Unauthorized: {
		Status: http.StatusUnauthorized, Code: "unauthorized",
		Meaning: "The request has no API key, or one that is not valid: mistyped, revoked, or of another server; or its session has ended; or what was to begin a session is not right.",
		Remedy:  "Send the header Authorization: Bearer followed by the whole key, which begins with crier_live_ or crier_test_. People sign in with POST /session. Requests without a valid key count against their address, 600 a minute.",
		Retry:   reference.RetryNever,
	},
	schema.Forbidden: {
		Status: http.StatusForbidden, Code: "forbidden",
		Meaning: "The API key is valid, but has not the permission that this request needs: read, write or admin, each of which includes the ones before it; or the member who is signed in has not the role, or sent no X-CSRF-Token; or a page of another site sent the request.",
		Remedy:  "Use a key with the permission: read for what only reads, admin for keys, billing, and connecting, pausing and disconnecting accounts, write for all else.",
		Retry:   reference.RetryNever,
	},
	schema.KeyUnconfirmed: {
		Status: http.StatusForbidden, Code: "key_unconfirmed",
		Meaning: "The server was restored from a backup that has this API key. It may have been revoked after the backup was made, so it does nothing until the server's operator confirms it.",
		Remedy:  "Ask the operator to run crier keys confirm for your workspace, or use a key that was made after the restore. Then send the same request again, one that creates with its Idempotency-Key.",
		Retry:   reference.RetryLater,
	},
	schema.PlanLimitReached: {
		Status: http.StatusForbidden, Code: "plan_limit_reached",
		Meaning: "The workspace's plan allows no more of this: posts in this month, or connected accounts.",
		Remedy:  "Wait for the next month, disconnect an account that is not needed, or change the plan.",
		Retry:   reference.RetryNever,
	},
	schema.NotFound: {
		Status: http.StatusNotFound, Code: "not_found",
		Meaning: "There is no such endpoint, or nothing of that id in the key's workspace. A test key sees its sandbox only, a live key never does.",
		Remedy:  "Check the path and the id, which begins with the name of its type, and that the key is of the right workspace.",
		Retry:   reference.RetryNever,
	},
	schema.MethodNotAllowed: {
		Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Meaning: "The path is right, but not the method. The header Allow lists those it accepts.",
		Remedy:  "Use one of the methods in Allow.",
		Retry:   reference.RetryNever,
	},
	schema.IdempotencyConflict: {
		Status: http.StatusConflict, Code: "idempotency_conflict",
		Meaning: "The Idempotency-Key was used in the last 24 hours for a request with another body or path. Nothing was done.",
		Remedy:  "Make a new key for each thing to be created, and send it again only with the same request.",
		Retry:   reference.RetryNever,
	},
	schema.PausedByOperator: {
		Status: http.StatusConflict, Code: "paused_by_operator",
		Meaning: "The operator of the server has paused the account, and nobody else resumes it. Nothing was changed: a pause of yours stays too. paused.reason of the account says why, where the operator gave a reason.",
		Remedy:  "Ask the operator. A pause of yours is resumed once the operator's has ended.",
		Retry:   reference.RetryNever,
	},
	schema.RateLimitExceeded: {
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded",
		Meaning: "There were more requests in this minute than the plan allows the key, or an address without a valid key. X-RateLimit-Limit, -Remaining and -Reset are on every answer.",
		Remedy:  "Wait for the seconds in Retry-After. POST /posts/bulk creates 25 posts with one request.",
		Retry:   reference.RetryAfter,
	},
	schema.DailyLimitReached: {
		Status: http.StatusTooManyRequests, Code: "daily_limit_reached",
		Meaning: "The account has as many posts on the day they are scheduled for, in UTC, as crier sends to its platform: 20 on twitter, 100 on instagram and facebook, 250 on threads, 50 elsewhere. Each detail names the platform, its limit and the next day with room.",
		Remedy:  "Schedule the post for error.details[].nextFreeDay or later, or cancel another of that day.",
		Retry:   reference.RetryAfter,
	},
	schema.PayloadTooLarge: {
		Status: http.StatusRequestEntityTooLarge, Code: "payload_too_large",
		Meaning: "The body is larger than the operation accepts: 1 MiB of JSON, 5 MiB with an image in it, 32 MiB for a file in a form, at an upload address what the installation accepts: 4 GiB, unless it is set lower.",
		Remedy:  "Send a large file to an address from POST /media/upload-url, or a calendar in several bulk requests.",
		Retry:   reference.RetryNever,
	},
	schema.Unavailable: {
		Status: http.StatusServiceUnavailable, Code: "unavailable",
		Meaning: "A part that the answer needs does not answer at the moment, or too many requests are in progress. What was accepted before is safe, and goes out as soon as it can.",
		Remedy:  "Send the same request again after the seconds in Retry-After, one that creates with its Idempotency-Key.",
		Retry:   reference.RetryAfter,
	},
}

func problemOf(kind schema.ErrorKind) reference.Problem {
	if kind < 0 || int(kind) >= len(Problems) || Problems[kind].Code == "" {
		return Problems[schema.Internal]
	}
	return Problems[kind]
}
