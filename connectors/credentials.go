package connectors

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"crier/schema"
)

// Checker is a connector that can ask its platform whether credentials work.
type Checker interface {
	// Check returns whose credentials these are. TokenDead means that the platform no
	// longer accepts them, Refused that they do not give what publishing needs (a bot
	// that may not post in its chat); any other error says nothing about them.
	Check(ctx context.Context, a schema.Account, c schema.Credentials) (Profile, error)
}

// Refresher is a connector whose platform trades a refresh token for new credentials.
type Refresher interface {
	// Refresh makes the one call that trades the refresh token, and returns the
	// credentials to store; a part that the platform left out stays as it was. The old
	// refresh token may be void as soon as the call is made, so a lost answer is Unknown,
	// and the call is not repeated before the old credentials were checked. TokenDead
	// means that the platform will never take the refresh token again.
	Refresh(ctx context.Context, a schema.Account, c schema.Credentials) (schema.Credentials, error)
}

// Revoker is a connector that can end credentials on their platform.
type Revoker interface {
	// Revoke ends the credentials, so that nobody who has kept them can use them.
	Revoke(ctx context.Context, a schema.Account, c schema.Credentials) error
}

// Notifier is a connector whose platform tells crier of accounts by calls of its own.
type Notifier interface {
	// Withdrawn reads such a call, and returns the native id of the account whose owner has
	// taken the consent back; empty: it is about something else. Invalid: the platform has not
	// signed it. It may come late, and more than once.
	Withdrawn(header http.Header, body []byte) (nativeID string, err error)
}

// Reviewer is a connector whose platform goes on to judge what it shows, and may take it down.
type Reviewer interface {
	// TakenDown returns why the platform has taken an entry down that it had published; nil: it
	// shows it, or somebody has removed it. An error says nothing of the entry.
	TakenDown(ctx context.Context, a schema.Account, c schema.Credentials, nativeID string) (why *schema.Error, err error)
}

// Profile identifies an account on its platform.
type Profile struct {
	NativeID  string
	Name      string    // handle or title, to show
	Server    string    // base address it lives at; empty: the platform's own
	ExpiresAt time.Time // of the access token; zero: not known, or never
	// Settings is what the platform allows the account: see schema.Account.Settings; empty:
	// nothing is known.
	Settings json.RawMessage
}

// Expiry returns when credentials expire: as the platform says, else as it was when they
// were issued.
func (p Profile) Expiry(c schema.Credentials) time.Time {
	if p.ExpiresAt.IsZero() {
		return c.ExpiresAt
	}
	return p.ExpiresAt
}

// App is what crier is registered as with a platform: its OAuth client. All is empty where
// the operator has configured none.
type App struct {
	ID, Secret string
	// Scope is what people are asked for, with spaces, where that is not all that the
	// connector makes use of: an app may not be given it; empty: all. Of an app that crier has
	// registered itself it is what that was registered with.
	Scope string `json:",omitempty"`
	// Uploads and Units are what it may use of a day where its platform gives it more than
	// usual; 0: as usual.
	Uploads int `json:",omitempty"`
	Units   int `json:",omitempty"`
}

// longestLife is what a token lives at most; beyond it a platform means that it does not end.
const longestLife = 100 * 365 * 24 * time.Hour

// EndOf returns when a token ends that lives so many seconds from now; zero where none are named,
// or it lives for ever.
func EndOf(seconds int64, now time.Time) time.Time {
	if seconds <= 0 || seconds > int64(longestLife/time.Second) {
		return time.Time{}
	}
	return now.UTC().Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}
