package schema

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/schema/lists"
)

// Account is a connected profile, page, channel or location.
type Account struct {
	ID        AccountID
	Workspace WorkspaceID
	Brand     BrandID // zero: none
	BrandName string  // only where accounts are listed
	// FromDashboard says that a member connected it, in their session; only where accounts are listed.
	FromDashboard bool
	Pause         *Hold // nil: it is not paused; only where accounts are listed
	Platform      Platform
	NativeID      string // id on the platform
	Name          string // handle or title, to show
	Server        string // base address; only mastodon, bluesky and telegram accounts have their own
	Sandbox       bool
	Limits        LimitSet // of its workspace
	Sealed        []byte   // sealed Credentials; nil once it is disconnected
	// Settings is what the platform enables for this account: the allowed values by the
	// name of a setting of posts, such as {"privacy": ["SELF_ONLY"]}. A setting that is
	// not listed may have any value.
	Settings       json.RawMessage
	NeedsReconnect bool   // it has ended, and connecting it again helps
	End            End    // why its platform no longer lets crier act for it
	EndMessage     string // the platform's words for it
	CreatedAt      time.Time

	Revision     int32     // of the credentials: raised each time new ones are stored
	Disconnected bool      // by its owner
	ExpiresAt    time.Time // of the access token; zero: not known, or never
	Renewable    bool      // crier can renew the credentials by itself
	Renewing     bool      // the platform refused the access token, and the renewal is finding out why
	CheckedAt    time.Time // when the platform last accepted the credentials; zero: not known
}

// Host is where the calls for an account go.
type Host struct {
	Platform Platform
	Server   string // as of Account; empty: the platform's own
}

// Credentials are what crier needs to act for an account on its platform. They are stored
// only sealed, with workspace, account and platform as associated data.
type Credentials struct {
	AccessToken      string    `json:"accessToken,omitempty"`
	RefreshToken     string    `json:"refreshToken,omitempty"`
	ExpiresAt        time.Time `json:"expiresAt,omitzero"`        // of the access token
	RefreshExpiresAt time.Time `json:"refreshExpiresAt,omitzero"` // of the refresh token
	Scope            string    `json:"scope,omitempty"`           // what was consented to, as the platform writes it
	// SelfRenewing: the access token is traded for a new one without a refresh token, as
	// on instagram and threads.
	SelfRenewing bool   `json:"selfRenewing,omitempty"`
	EntityID     string `json:"entityId,omitempty"`   // the organization or page to act as, where the token is a person's
	PersonID     string `json:"personId,omitempty"`   // who has consented, where the platform calls for persons; empty: not known
	AppID        string `json:"appId,omitempty"`      // of the app that the tokens were given to; empty: not known
	AppSecret    string `json:"appSecret,omitempty"`  // of that app, where each server has its own
	Identifier   string `json:"identifier,omitempty"` // bluesky: handle or DID
	Password     string `json:"password,omitempty"`   // bluesky: app password
	BotToken     string `json:"botToken,omitempty"`   // telegram
	ChatID       string `json:"chatId,omitempty"`     // telegram: @channel or numeric id
}

// Refreshable reports whether the credentials can be traded for new ones before they
// expire. A password opens a session whenever one is needed, so it need not be.
func (c Credentials) Refreshable() bool {
	return (c.RefreshToken != "" || c.SelfRenewing) && c.Password == ""
}

// String hides the credentials from whatever prints them.
func (Credentials) String() string { return "[credentials]" }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return "[credentials]" }

// LogValue hides the credentials from logs.
func (Credentials) LogValue() slog.Value { return slog.StringValue("[credentials]") }

// SealingKey names a key of the keyset, which seals credentials and other secrets. Whatever is
// sealed begins with that of its key, as Tink writes it.
type SealingKey uint32

const sealedPrefix, sealedByTink = 5, 1 // bytes: the first, and then the key

// SealedBy returns the key that sealed something; not ok where nothing of ours did.
func SealedBy(sealed []byte) (key SealingKey, ok bool) {
	if len(sealed) < sealedPrefix || sealed[0] != sealedByTink {
		return 0, false
	}
	return SealingKey(binary.BigEndian.Uint32(sealed[1:])), true
}

// Prefix returns what all that the key seals begins with.
func (k SealingKey) Prefix() []byte {
	return binary.BigEndian.AppendUint32([]byte{sealedByTink}, uint32(k))
}

// String returns the key's id as keyset files have it.
func (k SealingKey) String() string { return strconv.FormatUint(uint64(k), 10) }

// ErrKeyDropped refuses what was sealed with a key that a rotation has dropped meanwhile.
var ErrKeyDropped = errors.New("it is sealed with a key that was dropped")

// ErrKeyMissing is that of what is sealed with a key that this process does not have. Nothing is
// wrong with it: it opens where the key is.
var ErrKeyMissing = errors.New("it is sealed with a key that the keyset does not hold")

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
	Person    string  // who has consented, by the platform's id; empty: not known
	ExpiresAt time.Time
	Renewable bool
	// LinkUser and LinkKey are who made the link by which a person connects it; zero: there is none.
	LinkUser UserID
	LinkKey  KeyID
	// IfNew leaves an account as it is that was ever connected, one that was disconnected too.
	IfNew bool
	// Seal seals the new credentials for the id the account is stored under. stored is
	// the account if it was connected before; differ is whether the credentials are other
	// than its own.
	Seal func(stored Account) (sealed []byte, differ bool, err error)
}

// Connected is what a Connection came to.
type Connected struct {
	Account Account
	New     bool // it was not connected
}

// HasOwnLimits reports whether the account's platform, or its server, sets limits by account and changes
// them without telling. X is paid for each reading, which is of use with the platform's limits alone.
func (a Account) HasOwnLimits() bool {
	switch a.Platform {
	case Mastodon, Bluesky, Instagram, TikTok, YouTube:
		return true
	case Twitter:
		return a.Limits == PlatformLimits
	default:
		return false
	}
}

// End is why a platform no longer lets crier act for an account. Its number is stored: it
// never changes.
//
//	a call is refused ─┬─ and says why (End) ─▶ the account is ended at once
//	                   └─ and does not ─▶ the account is checked (Renewal) ─▶ ended, or not
//
// From then on its posts fail with the reason, and the event account.error is sent once.
// A reconnect undoes every end. An end that may pass without one is checked again by the
// renewal, and whenever somebody asks for the account's health.
type End int16

// The ends of an account.
const (
	NotEnded       End = iota
	EndRevoked         // the token, the app password or the bot's token no longer works
	EndScope           // the credentials work, and no longer allow to publish
	EndRemoved         // the bot is no longer in the chat, or the chat is not there
	EndSuspended       // the platform took the account down, or froze it
	EndDeactivated     // its owner deactivated it, or has still to confirm it
	EndDeleted         // it no longer exists
)

// EndTraits are the consequences of an end.
type EndTraits struct {
	Code string // of account.error, and of the posts that fail by it
	// Reconnect: connecting the account again helps. Otherwise somebody has to act on the
	// platform first.
	Reconnect bool
	// Passes: it may be over without a reconnect, which a check shows.
	Passes bool
}

// Traits returns the consequences of the end.
func (e End) Traits() EndTraits {
	switch e {
	case EndRemoved:
		return EndTraits{Code: CodeNeedsReconnect, Reconnect: true, Passes: true}
	case EndSuspended:
		return EndTraits{Code: CodeSuspended, Passes: true}
	case EndDeactivated:
		return EndTraits{Code: CodeDeactivated, Passes: true}
	case EndDeleted:
		return EndTraits{Code: CodeDeleted, Passes: true}
	default:
		return EndTraits{Code: CodeNeedsReconnect, Reconnect: true}
	}
}

var endNames = [...]string{
	NotEnded: "", EndRevoked: "revoked", EndScope: "scope-withdrawn", EndRemoved: "removed",
	EndSuspended: "suspended", EndDeactivated: "deactivated", EndDeleted: "deleted",
}

// String returns the end's name, as the simulators' controls take it.
func (e End) String() string { return lists.Name(e, NotEnded, endNames[:], "end") }

// Codes of an AccountProblem.
const (
	CodeNeedsReconnect = "account_needs_reconnect"
	CodeSuspended      = "account_suspended"
	CodeDeactivated    = "account_deactivated"
	CodeDeleted        = "account_deleted"
	CodeDisconnected   = "account_disconnected"
	CodeCheckFailed    = "check_failed"
)

// AccountProblem is why an account does not work.
type AccountProblem struct {
	End     End    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"` // the platform's, safe to show
}

// ProblemOf returns the problem of an account whose call failed with an error of kind
// TokenDead.
func ProblemOf(err error) AccountProblem {
	end, message := EndRevoked, ""
	if e, ok := errors.AsType[*Error](err); ok {
		message = e.Message
		if e.End != NotEnded {
			end = e.End
		}
	}
	return problem(end, message)
}

func problem(end End, message string) AccountProblem {
	if message == "" {
		message = "the platform takes the account's credentials no more"
	}
	return AccountProblem{End: end, Code: end.Traits().Code, Message: message}
}

// Problem returns why the account has ended; nil while it has not.
func (a Account) Problem() *AccountProblem {
	end := a.End
	if end == NotEnded && a.NeedsReconnect {
		end = EndRevoked
	}
	if end == NotEnded {
		return nil
	}
	p := problem(end, a.EndMessage)
	return &p
}

// Ended returns the account as it is once it has ended.
func (a Account) Ended(p AccountProblem) Account {
	a.End, a.EndMessage, a.NeedsReconnect, a.Renewing = p.End, p.Message, p.End.Traits().Reconnect, false
	return a
}

// Revived returns the account as it is once its platform lets crier act for it.
func (a Account) Revived() Account {
	a.End, a.EndMessage, a.NeedsReconnect, a.Renewing = NotEnded, "", false, false
	return a
}

// How soon an account whose end may pass is checked again: soon at first, and less and
// less often.
const (
	endLookFirst = 5 * time.Minute
	endLookLast  = 6 * time.Hour
)

// EndLookIn returns how long until an account is checked again, after a number of checks
// that found it ended; zero: never.
func (e End) EndLookIn(looks int) time.Duration {
	if !e.Traits().Passes {
		return 0
	}
	return min(endLookFirst<<min(looks, 8), endLookLast)
}

// Consent is how far a person has come who connects accounts on their platform's own page.
type Consent struct {
	Workspace WorkspaceID
	Platform  Platform
	Server    string // that the person's account lives at; empty: the platform's own
	Sandbox   bool
	Brand     BrandID   // of the accounts to be connected
	Account   AccountID // that is to be connected again; zero: whichever the person chooses
	User      UserID    // the member who asked for it; zero: a key did
	Key       KeyID     // the key that asked for it; zero: a member did, or the account's own link
	Redirect  string    // where the person is sent at the end; empty: a page of crier's
	Stage     ConsentStage
	Sealed    []byte // what the stage needs: see ConsentStage
	ExpiresAt time.Time

	WorkspaceName string // as it is read; never written
}

// SealedFor is what Sealed is bound to: see connectors.Vault.
func (c Consent) SealedFor() string {
	return "consent " + c.Workspace.String() + " " + c.Platform.String()
}

// ConsentStage is a step of a Consent. Each has a token of its own, of which the hash is kept:
// with it, and before the consent expires, one goes on to the next.
type ConsentStage int16

// The stages of a consent.
const (
	ConsentPending   ConsentStage = iota + 1 // the person is with the platform; sealed: the app and PKCE's verifier
	ConsentTaken                             // the code is being exchanged: another request with it comes too late
	ConsentGranted                           // crier has credentials, and asks whether to attach; sealed: they
	ConsentSelecting                         // the person chooses among entities; sealed: the credentials
)

// ConsentLife is how long a person may take for one stage.
const ConsentLife = 10 * time.Minute

// HashConsentToken returns what is kept of a consent's token.
func HashConsentToken(token string) [32]byte { return HashAPIKey(token) }

// ParseServer returns the one form of the address of an account's server, in which it is stored. People
// write a bare host. The error says what it must be.
func ParseServer(named string) (string, error) {
	if !strings.Contains(named, "://") {
		named = "https://" + named
	}
	u, err := url.Parse(strings.TrimSpace(named))
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", errors.New("must be the address of a server, such as https://mastodon.example")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must be the address of a server alone, without a user, parameters or a fragment")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/"), nil
}
