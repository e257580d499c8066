package twitter

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// forcedWait is how long a forced rate limit asks to wait; a real window is 15 minutes.
const forcedWait = 2 * time.Second

// problem is a refusal (RFC 9457). X's own types are addresses under its API.
type problem struct {
	Type         string    `json:"type"`
	Title        string    `json:"title"`
	Status       int       `json:"status"`
	Detail       string    `json:"detail"`
	ResourceType string    `json:"resource_type,omitempty"`
	ResourceID   string    `json:"resource_id,omitempty"`
	Errors       []invalid `json:"errors,omitempty"`
}

// invalid is one thing that is wrong with a request.
type invalid struct {
	Parameters object `json:"parameters"`
	Message    string `json:"message"`
}

func (p *problem) Error() string { return p.Detail }

const problems = "https://api.x.com/2/problems/"

// plain is a problem that has no type of its own; without a detail it says its status.
func plain(status int, detail string) *problem {
	title := http.StatusText(status)
	if detail == "" {
		detail = title
	}
	return &problem{Type: "about:blank", Title: title, Status: status, Detail: detail}
}

func forbidden(detail string) error { return plain(http.StatusForbidden, detail) }

// invalidRequest says what is wrong in its errors; the detail is the same for all.
func invalidRequest(message string) error {
	return &problem{
		Type: problems + "invalid-request", Title: "Invalid Request", Status: http.StatusBadRequest,
		Detail: "One or more parameters to your request was invalid.",
		Errors: []invalid{{Parameters: object{}, Message: message}},
	}
}

func notFound(kind, id string) error {
	return &problem{
		Type: problems + "resource-not-found", Title: "Not Found Error", Status: http.StatusNotFound,
		Detail: "Could not find " + kind + " with id: [" + id + "].", ResourceType: kind, ResourceID: id,
	}
}

func (p *problem) answer(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/problem+json")
	rw.WriteHeader(p.Status)
	json.NewEncoder(rw).Encode(p) // fails only when the client is gone
}

// fail answers a call with an error; one that is no problem is the journal's.
func (v visit) fail(err error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = &problem{
			Type: problems + "internal-error", Title: "Internal Error", Status: http.StatusInternalServerError,
			Detail: "Something is broken.",
		}
	}
	p.answer(v.rw)
}

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	usual, detail := http.StatusForbidden, "You are not permitted to perform this action."
	switch o {
	case simulation.RateLimit:
		usual, detail = http.StatusTooManyRequests, ""
		s.forceWait(rw.Header(), status != 0)
	case simulation.ExpiredToken:
		usual, detail = http.StatusUnauthorized, ""
	case simulation.Outage:
		usual, detail = http.StatusServiceUnavailable, ""
	}
	if status == 0 {
		status = usual
	}
	plain(status, detail).answer(rw)
}

// forceWait names the end of a wait. A fault may have named one, which holds; a marker has
// not, and what stands there then is the account's own window.
func (s *simulator) forceWait(header http.Header, isFault bool) {
	if isFault && header.Get("X-Rate-Limit-Reset") != "" {
		return
	}
	describe(header, userWindow, limit{max: 100}, 0, s.world.Now().Add(forcedWait))
}

// ending is how X refuses accounts that have ended. What it says to one that is locked is
// from the API's first version; that of one that is suspended is as reported in
// github.com/akrherz/iembot, issue 156.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Suspended:   {Says: "is suspended", End: schema.EndSuspended},
			simulation.Deactivated: {Says: "temporarily locked", End: schema.EndDeactivated},
			simulation.Revoked:     {Says: "Unauthorized", End: schema.NotEnded},
		},
		Refuse: refuseEnded,
	}
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.Suspended:
		p := plain(http.StatusForbidden, "The user used for authentication is suspended")
		p.Type = "https://api.twitter.com/2/problems/user-suspended"
		p.answer(rw)
	case simulation.Deactivated:
		plain(http.StatusForbidden, "To protect our users from spam and other malicious activity, this account is temporarily locked. "+
			"Please log in to https://x.com to unlock your account.").answer(rw)
	default:
		plain(http.StatusUnauthorized, "").answer(rw)
	}
}

// ceilSeconds writes a time so that it is over by then.
func ceilSeconds(at time.Time) string {
	return strconv.FormatInt(at.Add(time.Second-time.Nanosecond).Unix(), 10)
}
