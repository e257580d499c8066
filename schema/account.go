package schema

import (
	"encoding/json"
	"log/slog"
	"time"
)

// Account is a connected profile, page, channel or location.
type Account struct {
	ID        AccountID
	Workspace WorkspaceID
	Brand     BrandID // zero: none
	BrandName string  // only where accounts are listed
	Platform  Platform
	NativeID  string // id on the platform
	Name      string // handle or title, to show
	Server    string // base address; only mastodon, bluesky and telegram accounts have their own
	Sandbox   bool
	Sealed    []byte // sealed Credentials; nothing once it is disconnected
	// Settings is what the platform enables for this account: by the name of a setting of
	// posts the values it may have, such as {"privacy": ["SELF_ONLY"]}. One that is not
	// there may have any.
	Settings       json.RawMessage
	NeedsReconnect bool   // it has ended, and connecting it again helps
	End            End    // why its platform lets crier act for it no more
	EndMessage     string // the platform's words for it
	CreatedAt      time.Time

	Revision     int32     // of the credentials: raised by each that are stored
	Disconnected bool      // by its owner
	ExpiresAt    time.Time // of the access token; zero: not known, or never
	Renewable    bool      // crier can renew the credentials by itself
	Renewing     bool      // the platform refused the access token, and what to do is being found out
	CheckedAt    time.Time // when the platform last took the credentials; zero: not known
}

// Credentials is what a platform needs to act for an account. They are sealed
// wherever they are stored, with workspace, account and platform as associated data.
type Credentials struct {
	AccessToken  string    `json:"accessToken,omitempty"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"`
	Identifier   string    `json:"identifier,omitempty"` // bluesky: handle or DID
	Password     string    `json:"password,omitempty"`   // bluesky: app password
	BotToken     string    `json:"botToken,omitempty"`   // telegram
	ChatID       string    `json:"chatId,omitempty"`     // telegram: @channel or numeric id
}

// Refreshable tells whether there is something to trade for new credentials. A password
// opens a session whenever one is needed, so nothing has to be kept fresh.
func (c Credentials) Refreshable() bool { return c.RefreshToken != "" && c.Password == "" }

// String hides the credentials from whatever prints them.
func (Credentials) String() string { return "[credentials]" }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return "[credentials]" }

// LogValue hides the credentials from logs.
func (Credentials) LogValue() slog.Value { return slog.StringValue("[credentials]") }

// Brand is a group of a workspace's accounts; an account is in one at most.
type Brand struct {
	ID        BrandID
	Workspace WorkspaceID
	Name      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Connection is an account to be connected, or connected again.
type Connection struct {
	Account   Account // without ID and Sealed
	ExpiresAt time.Time
	Renewable bool
	// Seal seals the new credentials for the id the account is stored under. It is given
	// what is stored of an account that was connected before, and tells whether the
	// credentials differ from those.
	Seal func(stored Account) (sealed []byte, differ bool, err error)
}

// Connected is what a Connection came to.
type Connected struct {
	Account Account
	New     bool // it was not connected
}

// AccountData is the `data` of the events about an account.
type AccountData struct {
	Account   AccountSummary  `json:"account"`
	Error     *AccountProblem `json:"error,omitempty"`     // of account.error
	ExpiresAt *time.Time      `json:"expiresAt,omitempty"` // of account.token_expiring
}

// AccountSummary is an account as webhooks show it.
type AccountSummary struct {
	ID             AccountID `json:"id"`
	Platform       Platform  `json:"platform"`
	Name           string    `json:"name"`
	NativeID       string    `json:"nativeId"`
	Server         string    `json:"server,omitempty"`
	BrandID        BrandID   `json:"brandId,omitzero"`
	IsConnected    bool      `json:"isConnected"`
	NeedsReconnect bool      `json:"needsReconnect"`
}

// Summary is the account as webhooks show it.
func (a Account) Summary() AccountSummary {
	return AccountSummary{
		ID: a.ID, Platform: a.Platform, Name: a.Name, NativeID: a.NativeID, Server: a.Server, BrandID: a.Brand,
		IsConnected: a.Problem() == nil && !a.Disconnected, NeedsReconnect: a.NeedsReconnect,
	}
}
