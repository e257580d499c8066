package graph

import (
	"encoding/json"
	"fmt"
)

// Error is the error object of an answer
// (developers.facebook.com/docs/graph-api/guides/error-handling).
type Error struct {
	Status      int    `json:"-"` // of the answer
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"`
	Subcode     int    `json:"error_subcode"`
	Transient   bool   `json:"is_transient"`
	UserMessage string `json:"error_user_msg"` // for people, in their language; often not there
	Trace       string `json:"fbtrace_id"`     // by which Meta finds the call
}

// Error says it for logs.
func (r Error) Error() string {
	return fmt.Sprintf("status %d: code %d, subcode %d, %s (fbtrace_id %s)", r.Status, r.Code, r.Subcode, r.Type, r.Trace)
}

// Has reports whether it is of a code and a subcode.
func (r Error) Has(code, subcode int) bool { return r.Code == code && r.Subcode == subcode }

// lacksPermission reports whether a code is of a missing permission.
func (r Error) lacksPermission() bool { return r.Code == 10 || r.Code >= 200 && r.Code <= 299 }

// Read returns the refusal that an answer is; ok is false where it is none, as a proxy's
// page is none. The pages of consent and the redemption of codes have a form of their own.
func Read(status int, body []byte) (r Error, ok bool) {
	var envelope struct {
		Error   *Error `json:"error"`
		Type    string `json:"error_type"`
		Message string `json:"error_message"`
	}
	switch err := json.Unmarshal(body, &envelope); {
	case err == nil && envelope.Error != nil && (envelope.Error.Code != 0 || envelope.Error.Message != ""):
		r = *envelope.Error
	case err == nil && envelope.Type != "" && envelope.Message != "":
		r = Error{Type: envelope.Type, Message: envelope.Message}
	default:
		return Error{}, false
	}
	r.Status = status
	return r, true
}

// codeUnknown is of an error that Meta has no code for.
const codeUnknown = 1
