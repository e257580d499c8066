package mastodon

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What Pixelfed does otherwise than Mastodon (pixelfed/pixelfed 8aae92d: app/Http/Controllers/Api/ApiV1Controller.php,
// app/Exceptions/Handler.php, app/Providers/AuthServiceProvider.php).
const (
	// pixelfedScopes are all that it knows, and grants to every app.
	pixelfedScopes = "read write follow push"
	// pixelfedLife is of its tokens. It does not say what they are for.
	pixelfedLife = 356 * 24 * time.Hour

	burntKeys = "keys that were used"
)

// burn uses up the key of a call, whatever becomes of that.
func (v visit) burn() error {
	key := v.r.Header.Get("Idempotency-Key")
	if key == "" {
		return nil
	}
	if _, isUsed := v.account.Data.LoadOrStore(burntKeys+key, true); isUsed {
		return &refusal{http.StatusBadRequest, "Duplicate idempotency key."}
	}
	return nil
}

// checkAsPixelfed refuses a status without a picture that answers no other.
func checkAsPixelfed(input newStatus) error {
	if len(input.MediaIDs) == 0 && input.InReplyToID == "" {
		return &refusal{http.StatusForbidden, "Empty statuses are not allowed"}
	}
	return nil
}

// maxPixelfedWarning is the longest content warning that it takes, in characters.
const maxPixelfedWarning = 140

// refuseForm refuses what Pixelfed finds wrong with a form, before anything else; false: nothing is.
func refuseForm(rw http.ResponseWriter, input newStatus) bool {
	var field, message string
	switch {
	case !slices.Contains([]string{"", defaultVisibility, "unlisted", "private"}, input.Visibility):
		field, message = "visibility", "The selected visibility is invalid."
	case utf8.RuneCountInString(input.SpoilerText) > maxPixelfedWarning:
		field, message = "spoiler_text", "The spoiler text must not be greater than 140 characters."
	default:
		return false
	}
	answer(rw, http.StatusInternalServerError, object{"message": message, "errors": object{field: []string{message}}})
	return true
}

// refuseLogin turns away who has no token that works: whoever does not ask for JSON is sent to the page of login.
func (s *simulator) refuseLogin(rw http.ResponseWriter, r *http.Request) {
	switch {
	case softwareOf(r) != pixelfed:
		refuse(rw, http.StatusUnauthorized, errToken)
	case strings.Contains(r.Header.Get("Accept"), "/json"):
		refuse(rw, http.StatusInternalServerError, "Unauthenticated.")
	default:
		http.Redirect(rw, r, s.world.BaseURL()+Pixelfed+"/login", http.StatusFound)
	}
}

func showLogin(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write([]byte("<!DOCTYPE html><title>Login</title>")) // fails only when the client is gone
}
