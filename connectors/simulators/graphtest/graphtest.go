// Package graphtest tests what the connectors of Instagram and Threads have in common, each
// before its own simulator.
package graphtest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Connector is that of one of both.
type Connector interface {
	connectors.Connector
	connectors.Checker
	connectors.Refresher
}

// Subject is a connector before its simulator, both on a clock that stands until it is moved.
type Subject struct {
	*connectortest.Rig
	*connectortest.Gallery
	Connector Connector
	Tokens    *graph.Connector // what the connector embeds

	config Config
}

// Config is what differs between both.
type Config struct {
	connectors.Description
	Simulator func(*simulation.World) http.Handler
	Pictures  string // media type of those that are posted
	Token     string // of an account that the simulator knows
}

// NewSubject makes it but for its tokens.
func NewSubject(t *testing.T, c Config) *Subject {
	t.Helper()
	s := &Subject{
		config:  c,
		Rig:     connectortest.NewRig(t, connectortest.RigConfig{Platform: c.Platform, Simulator: c.Simulator, Puller: connectortest.NewHTTP(t)}),
		Gallery: connectortest.NewGallery(t, c.Pictures),
	}
	s.Connector = c.New(connectors.Parts{
		Base: s.Base, Now: s.Clock, Media: connectortest.NoMedia{}, App: connectortest.App(),
		Client: s.Client(t, connectors.ClientConfig{Calls: c.Calls}),
	}).(Connector)
	return s
}

// Account returns the platform's id of the account.
func (s *Subject) Account() string { return s.World.Account(s.config.Token).ID }

// Delivery is the first entry of a post, claimed now.
func (s *Subject) Delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](s.Clock()), Platform: s.config.Platform},
		Credentials: schema.Credentials{AccessToken: s.config.Token, SelfRenewing: true},
		Entries:     1, Text: text, Media: items, Key: "key of " + text, Since: s.Clock(),
	}
}

// Prepared is a delivery whose container is ready.
func (s *Subject) Prepared(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	return connectortest.Ready(t, s.Connector, d, s.Pass)
}

// Published publishes what must succeed.
func (s *Subject) Published(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, s.Connector, s.Prepared(t, d))
}

// RunTokens tests how tokens are traded for the next ones.
func RunTokens(t *testing.T, subject func(*testing.T) *Subject) {
	t.Run("a token is traded for the next", func(t *testing.T) { tradedForTheNext(t, subject(t)) })
	t.Run("a lost trade is repeated", func(t *testing.T) { lostTrade(t, subject(t)) })
	t.Run("a trade shows no secrets", func(t *testing.T) { secretsOfATrade(t, subject(t)) })
}

func tradedForTheNext(t *testing.T, s *Subject) {
	a := schema.Account{ID: schema.NewID[schema.AccountID](s.Clock())}
	short := schema.Credentials{AccessToken: s.config.Token, Scope: "basic"}
	long, err := s.Tokens.Lengthen(t.Context(), a, short)
	if err != nil {
		t.Fatal(err)
	}
	if !long.SelfRenewing || long.Scope != short.Scope || !long.ExpiresAt.Equal(s.Clock().Add(60*24*time.Hour)) || long.AccessToken == short.AccessToken {
		t.Errorf("exchanged for %+v", long)
	}
	_, err = s.Connector.Refresh(t.Context(), a, long)
	_ = connectortest.WantKind(t, err, schema.Refused) // it is not a day old
	s.Pass(25 * time.Hour)
	next, err := s.Connector.Refresh(t.Context(), a, long)
	if err != nil || !next.ExpiresAt.Equal(s.Clock().Add(60*24*time.Hour)) {
		t.Fatalf("refreshed to %v, %v", next.ExpiresAt, err)
	}
	for _, credentials := range []schema.Credentials{long, next} {
		if profile, err := s.Connector.Check(t.Context(), a, credentials); err != nil || profile.NativeID != s.World.Account(s.config.Token).ID {
			t.Errorf("the token is of %q, %v", profile.NativeID, err)
		}
	}
	s.Pass(61 * 24 * time.Hour)
	_, err = s.Connector.Refresh(t.Context(), a, next)
	_ = connectortest.WantKind(t, err, schema.TokenDead)
}

// lostTrade: the old token goes on working, so a trade whose answer is lost is made again.
func lostTrade(t *testing.T, s *Subject) {
	s.Inject(t, simulation.Fault{Operation: "GET /refresh_access_token", Lose: true})
	_, err := s.Connector.Refresh(t.Context(), schema.Account{}, schema.Credentials{AccessToken: s.config.Token})
	_ = connectortest.WantKind(t, err, schema.Retryable)
	if _, err := s.Connector.Refresh(t.Context(), schema.Account{}, schema.Credentials{AccessToken: s.config.Token}); err != nil {
		t.Fatal(err)
	}
}

func secretsOfATrade(t *testing.T, s *Subject) {
	s.Tokens.App.Secret = "a-secret-of-the-app"
	for _, fault := range []simulation.Fault{
		{Lose: true}, {Refuse: true}, {Status: 200, Body: `{"access_token":""}`},
		{Status: 400, Body: `{"error":{"message":"bad ` + s.config.Token + ` or a-secret-of-the-app","code":100}}`},
	} {
		s.Inject(t, fault)
		_, err := s.Tokens.Lengthen(t.Context(), schema.Account{}, schema.Credentials{AccessToken: s.config.Token})
		if err == nil || strings.Contains(err.Error(), s.config.Token) || strings.Contains(err.Error(), s.Tokens.App.Secret) {
			t.Errorf("error = %v", err)
		}
	}
}

// Loss is a call of the chain to a post whose answer is lost.
type Loss struct {
	Call  string
	After int              // calls of it that are answered before
	Items int              // pictures of the post
	Kind  schema.ErrorKind // of the step that meets it; Internal: none
}

// RunLosses tests that whatever call loses its answer, there is one post, and it is known as such.
func RunLosses(t *testing.T, subject func(*testing.T) *Subject, losses map[string]Loss) {
	for name, loss := range losses {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			d := s.Delivery("once")
			for range loss.Items {
				d.Media = append(d.Media, s.Picture("a"))
			}
			if loss.After > 0 {
				s.Inject(t, simulation.Fault{Operation: loss.Call, Delay: 1, Times: loss.After})
			}
			s.Inject(t, connectortest.Losing(loss.Call))
			receipt, met := published(t, s, d)
			if post := s.WantPosts(t, 1)[0]; post.ID != receipt.NativeID || len(post.Media) != loss.Items || met != loss.Kind {
				t.Errorf("post %+v, receipt %+v, met %d, want %d", post, receipt, met, loss.Kind)
			}
		})
	}
}

// RunWorked tests that a post of some pictures is known that went up though its publish was answered otherwise.
func RunWorked(t *testing.T, subject func(*testing.T) *Subject, publish string, pictures int) {
	for name, answer := range map[string]simulation.Fault{
		"a failure":                  {Status: 500, Body: `{"error":{"message":"m","code":10}}`},
		"a refusal as spam":          {Status: 400, Body: `{"error":{"message":"m","code":4,"error_subcode":2207051}}`},
		"a refusal of the parameter": {Status: 400, Body: `{"error":{"message":"m","code":100}}`},
		"a missing permission":       {Status: 403, Body: `{"error":{"message":"m","code":10}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			d := s.Delivery("there")
			for range pictures {
				d.Media = append(d.Media, s.Picture("a"))
			}
			answer.Operation, answer.After = publish, true
			s.Inject(t, answer)
			last := Run(t, s.Rig, s.Connector, d)
			if posts := s.WantPosts(t, 1); last.State != schema.TargetPosted || !last.Found || last.Receipts[0].NativeID != posts[0].ID {
				t.Errorf("it is %v, %+v", last.State, last.Error)
			}
		})
	}
}

// published is what a delivery came to, and the kind of the error on the way; Internal: none.
func published(t *testing.T, s *Subject, d schema.Delivery) (receipt schema.Receipt, met schema.ErrorKind) {
	t.Helper()
	met = schema.Internal
	for ready := false; !ready; {
		progress, err := s.Connector.Prepare(t.Context(), d)
		if d.Progress, ready = progress.State, progress.Ready; err != nil {
			met = schema.KindOf(err)
		}
	}
	receipt, err := s.Connector.Publish(t.Context(), d)
	if err == nil {
		return receipt, met
	}
	met = connectortest.WantKind(t, err, schema.Unknown).Kind
	receipt, verdict, err := s.Connector.Find(t.Context(), d)
	if verdict != schema.Found {
		t.Fatalf("Find = %v, %v", verdict, err)
	}
	return receipt, met
}
