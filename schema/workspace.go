package schema

import (
	"encoding/json"
	"log/slog"
	"time"
)

// Workspace is the tenant: everything belongs to one, and every query names it. A
// live workspace has a sandbox twin, a workspace of its own whose accounts resolve
// to simulators only and to which its test keys belong.
type Workspace struct {
	ID      WorkspaceID
	Name    string
	Plan    string
	Sandbox bool
}

// Plan is what a workspace may do; the operator can change the table.
type Plan struct {
	Name              string
	RequestsPerMinute int // per key
	PostsPerMonth     int // 0: no limit
	Accounts          int // 0: no limit
}

// Permission is what a key may do; each includes those before it.
type Permission int16

// The permissions of a key.
const (
	Read Permission = iota + 1
	Write
	Admin
)

// Key is an API key as the gateway knows it once it is authenticated.
type Key struct {
	ID                KeyID
	Lineage           KeyID // the first key of a chain of rotations; idempotency is scoped to it
	Workspace         WorkspaceID
	Sandbox           bool
	Permission        Permission
	RequestsPerMinute int
}

// Account is a connected profile, page, channel or location.
type Account struct {
	ID             AccountID
	Workspace      WorkspaceID
	Brand          BrandID // zero: none
	Platform       Platform
	NativeID       string // id on the platform
	Name           string // handle or title, to show
	Server         string // base address; only mastodon, bluesky and telegram accounts have their own
	Sandbox        bool
	Sealed         []byte // sealed Credentials
	Settings       json.RawMessage
	NeedsReconnect bool
	CreatedAt      time.Time
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

// String hides the credentials from whatever prints them.
func (Credentials) String() string { return "[credentials]" }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return "[credentials]" }

// LogValue hides the credentials from logs.
func (Credentials) LogValue() slog.Value { return slog.StringValue("[credentials]") }
