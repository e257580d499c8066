package googlebusiness

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"crier/connectors/google"
	"crier/schema"
)

// Classify is the Classify of the platform's connectors.ClientConfig. That somebody may not do
// something is of the location: its owners have taken the person off it, or the token is not
// theirs. It does not say which, so that the account is checked.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	judged := google.Classify(status, header, body)
	if e, ok := errors.AsType[google.Error](judgedCause(judged)); ok && status == http.StatusBadRequest && isPhotoPassing(e) {
		judged.Kind = schema.Retryable
		return judged
	}
	if judged == nil || judged.Kind != schema.Refused {
		return judged
	}
	if e, ok := errors.AsType[google.Error](judged.Err); ok && e.Status == "PERMISSION_DENIED" {
		judged.Kind = schema.TokenDead
	}
	return judged
}

func judgedCause(e *schema.Error) error {
	if e == nil {
		return nil
	}
	return e.Err
}

// isPhotoPassing reports whether Google could not fetch or take over the photo from its address for the
// moment (my-business/reference/rest/Shared.Types/ErrorCode: PHOTO_FETCH_FAILED, PHOTO_UPLOAD_FAILED; photos
// have 1000 to 1099). The address worked when the post was prepared.
func isPhotoPassing(e google.Error) bool {
	return slices.ContainsFunc(e.Reasons, func(code string) bool {
		number, err := strconv.Atoi(code)
		return code == "PHOTO_FETCH_FAILED" || code == "PHOTO_UPLOAD_FAILED" || err == nil && number >= 1000 && number <= 1099
	})
}

// ofLocation judges the refusal of a call that names nothing but the location.
func ofLocation(err error) error {
	if !isNotFound(err) {
		return err
	}
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeleted, Message: e.Message, Err: err}
}

// errTakenDown is what becomes of a post that was live.
func errTakenDown() *schema.Error {
	return refuse("Google has taken the post down after it was shown, for its content, and says no more about it")
}

// errRejected is what becomes of a post that Google does not show. It gives no reason.
func errRejected() *schema.Error {
	return refuse("Google has rejected the post for its content, and says no more about it " +
		"(phone numbers in the text are a usual reason)")
}
