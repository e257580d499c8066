package connectortest

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Fixture is what differs from platform to platform.
type Fixture struct {
	connectors.Description
	Simulator func(*simulation.World) http.Handler
	// Ends are the ways in which an account can end that the simulator knows. Its posts stop at once, one
	// event account.error is sent, and connecting it again undoes it.
	Ends map[simulation.End]simulation.EndAnswer
	// Credentials are those of the n-th of several accounts.
	Credentials func(n int) schema.Credentials
	// Settings is what a usual post needs of the platform's settings; nil: nothing.
	Settings   []byte
	Operations Operations

	// Looks tells that Find can look. Without it, Find never tells.
	Looks bool
	// Named tells that it looks for what crier has named itself, and compares nothing.
	Named bool
	// Dedupes tells that the platform answers a repeated key with the first post.
	Dedupes bool
	// Repeats is how long the platform refuses what the account has posted; zero: it takes the
	// same text again at once.
	Repeats time.Duration
	// Answers tells which of what people write the connector reads and answers.
	Answers Answers
	// Tells is what the platform tells of a post.
	Tells []string
	// Silent: it tells nothing of accounts like these, and of others it does. Gone: a post that is gone is
	// one without numbers.
	Silent, Gone bool
	// Throttled are the platform's ways to say that it is called too often.
	Throttled []Throttled
	// Pulls tells that the platform fetches media from its address by itself.
	Pulls bool
	// Processing is set where the platform takes time for media.
	Processing *Processing

	// Field tells that its simulator knows the field faults: see package simulation.
	Field bool

	// Consent is set where people are asked on the platform's own page.
	Consent *Consent

	// Watch, when set, is put before the simulator, to see its traffic.
	Watch func(http.Handler) http.Handler
}

// Connector makes the platform's connector.
func (f Fixture) Connector(p Parts) connectors.Connector {
	return f.New(connectors.Parts{
		Base: p.Base, Media: p.Media, Now: p.Now, App: App(),
		Client: connectors.NewClient(connectors.ClientConfig{Calls: f.Calls, HTTP: p.HTTP, Logger: p.Logger, Metrics: p.Metrics, Now: p.Now}),
	})
}

// Parts is what a stage gives to a connector.
type Parts struct {
	HTTP    *http.Client // of an egress that may reach loopback
	Base    string       // where the simulator is, without a slash at its end
	Media   media.Source
	Logger  *slog.Logger
	Metrics *connectors.Metrics
	Now     func() time.Time
}

// Operations is what the platform calls the calls of a publish; empty: it has none.
type Operations struct {
	Publish string // the visible call of a text
	Comment string // the visible call of a first comment
	Find    string // the look-up
	Upload  string // the call that takes an image before the visible one
	Reply   string // the visible call of an answer to what somebody has written
}

// Answers is what a platform offers of what people write to an account.
type Answers struct {
	Comments bool // it shows them, and takes replies
	// Extent is how much of what is under a post a look at all of it shows.
	Extent   connectors.Extent
	Mentions bool // likewise
	// Nested tells that it shows answers to comments.
	Nested bool
	// Forgiving tells that it takes replies to what was deleted.
	Forgiving bool
}

// Throttled is one way to say that a call came too early.
type Throttled struct {
	Name  string // in words
	Fault func(now time.Time) simulation.Fault
	Wait  time.Duration // what it asks for
}

// Processing is how the platform answers while it works on media.
type Processing struct {
	Kind   schema.MediaKind // what it takes time for
	Busy   simulation.Fault // it is not ready
	Failed simulation.Fault // it could not be made ready
}

func (f Fixture) takes(kind schema.MediaKind) bool {
	return slices.Contains(f.Constraints.Media.Kinds, kind)
}

// takesType reports whether the platform takes images of a media type.
func (f Fixture) takesType(mediaType string) bool {
	types := f.Constraints.Media.ImageTypes
	return len(types) == 0 || slices.Contains(types, mediaType)
}
