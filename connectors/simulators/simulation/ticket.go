package simulation

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// Ticket is what a token says of itself, so that none has to be kept: those of earlier runs
// go on. A token of another form names an account by itself, and does not end.
type Ticket struct {
	Kind    string    `json:"kind"`    // as the platform's simulator calls it
	Account string    `json:"account"` // a credential of the account
	Scope   string    `json:"scope"`   // as the platform writes scopes
	Expires time.Time `json:"expires,omitzero"`
	Number  string    `json:"number"` // makes each another one
}

const ticketPrefix = "ticket."

// Issue returns a new token of the ticket.
func (t Ticket) Issue() string {
	t.Number = rand.Text()
	encoded, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts and a time
	}
	return ticketPrefix + base64.RawURLEncoding.EncodeToString(encoded)
}

// ParseTicket reads a token that Issue has made.
func ParseTicket(token string) (t Ticket, ok bool) {
	encoded, ok := strings.CutPrefix(token, ticketPrefix)
	if !ok {
		return t, false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(encoded)
	return t, err == nil && json.Unmarshal(decoded, &t) == nil
}
