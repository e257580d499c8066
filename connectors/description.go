package connectors

import (
	"net/http"
	"time"

	"crier/connectors/media"
	"crier/connectors/page"
	"crier/schema"
)

// Description is what there is of a platform, all in one value: package catalog is the list of them.
type Description struct {
	Platform schema.Platform
	Label    string // what the platform calls itself
	// Constraints is what the platform takes, by the specification.
	Constraints schema.Constraints
	Limits      Limits // how fast it is called
	Calls       Calls
	Connecting  Connecting
	Retention   Retention
	// New makes the connector.
	New func(Parts) Connector
}

// Parts is what a connector is made of.
type Parts struct {
	Client  *Client // with the description's Calls
	Base    string  // address in place of the platform's own; empty: those
	Consent string  // where browsers reach its page of consent; empty: Base, or the platform's own
	Version string  // of the API; empty: the one that the connector was written against
	App     App     // crier's; without an ID nobody consents and no token is refreshed
	Quotas  DailyQuotas
	Media   media.Source // opens what is uploaded, or what the platform is to fetch
	Pages   *page.Reader // reads pages for previews that the platform does not make; nil: nothing does
	Now     func() time.Time
}

// Calls is what a Client has to know of a platform's calls. All but Platform may be zero.
type Calls struct {
	Platform schema.Platform
	// Answers say what an answer other than 2xx means where its status does not tell. The client adds the
	// wait that the headers name, bounds the message and takes secrets out of it.
	Answers Answers
	// Pace returns how long the account is throttled after a good answer with such a header, and
	// PaceReads how long its reads are after one of theirs; nil: as Pace says.
	Pace      func(header http.Header) time.Duration
	PaceReads func(header http.Header) time.Duration
	// LimitOf names the limit of the account that a call counts against; Pace, and errors marked
	// Alone, apply to that limit only. For a reserved turn only the kind is known. nil: every
	// operation has its own limit, and Pace applies to all.
	LimitOf func(call Call) string
}

// Connecting is how accounts of a platform are connected.
type Connecting struct {
	Label  string // of the Description, which the catalog puts here
	Method Method // ByOAuth where it is empty
	// Instead says what takes the place of a page of consent where the platform has none.
	Instead string
	Tokens  Tokens
	// Registers: crier registers itself with each server, so that its operator needs no app.
	Registers bool
	// ChoosesScopes: operators may say what people are asked for.
	ChoosesScopes bool
	// Version is of the API that the connector was written against, where operators may ask for another.
	Version string
}

// Method is what an account is connected by.
type Method string

// The methods, as the API names them.
const (
	ByOAuth       Method = "oauth"
	ByAppPassword Method = "app_password"
	ByBotToken    Method = "bot_token"
)

// Tokens is how accounts are connected by tokens that their owner brings.
type Tokens struct {
	Accepted     bool // by POST /connect/{platform}, as an access token
	Refresh      bool // with a refresh token beside it
	SelfRenewing bool // the access token is traded for a new one
	Entity       bool // the token is a person's, who may act as an organization or for a location
}

// Retention is how long what a platform has said of a profile (its name, what it allows) is kept once
// the account is disconnected. Its posts stay: their texts are the workspace's own.
type Retention struct {
	Period time.Duration // 0: DefaultRetention
	// Fresh: while the account is connected, it has to be read again, or deleted, within 30 days.
	Fresh bool
	// Source is the page of the platform's terms that it was chosen by; empty: it is crier's own choice.
	// Where both differ, Kept is the stricter.
	Source string
}

// DefaultRetention is for platforms of whose terms crier knows no time.
const DefaultRetention = 30 * 24 * time.Hour
