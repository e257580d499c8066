package collection

import (
	"context"
	"encoding/json"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Step is one claimed step of a collection.
type Step struct {
	schema.Collection
	Connector connectors.Connector
	Reading   connectors.Reading
	Now       time.Time
	// Reserve reserves the turn of the call after the first, or tells how long it is until there
	// may be one.
	Reserve func(context.Context) (schema.Reservation, time.Duration)
}

// callsAtOnce is how many calls a step makes: where a platform gives or takes little in one, each
// would cost a claim.
const callsAtOnce = 8

// turn has the turn ready of the step's next call, or returns how long it is until there may be
// one: no step waits for it. The first comes with the step.
func (s *Step) turn(ctx context.Context, calls int) (wait time.Duration) {
	if calls > 0 {
		s.Reading.Reservation, wait = s.Reserve(ctx)
	}
	return wait
}

// Collector takes a step. What it returns with an error is stored too: it is what was read before
// that. Its errors are those of connectors; any other is a fault of ours.
type Collector func(ctx context.Context, s Step) (schema.CollectionResult, error)

// collectors are what reads each thing that is collected.
var collectors = map[schema.Collected]Collector{
	schema.CollectMetrics:   collectMetrics,
	schema.CollectFollowers: collectFollowers,
	schema.CollectComments:  collectComments,
	schema.CollectMentions:  collectMentions,
}

// result begins the result of a step, which has nothing to show yet.
func (s Step) result() schema.CollectionResult {
	return schema.CollectionResult{Collection: s.Collection}
}

// fact is something that was read now.
func (s Step) fact(t schema.EventType, post schema.PostID, what any) (schema.Event, error) {
	data, err := json.Marshal(what)
	return schema.Event{
		ID: schema.NewID[schema.EventID](s.Now), Type: t, Workspace: s.Account.Workspace, Post: post, Account: s.Account.ID,
		Platform: s.Account.Platform, At: s.Now, Data: data,
	}, err
}

// notPermitted is the refusal of what an account's owner has not granted.
func notPermitted() error {
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndScope, Message: "the account was connected without the permission"}
}

// unsupported is the refusal of what a connector cannot read.
func unsupported() error {
	return &schema.Error{Kind: schema.Refused, Message: "the platform does not tell this"}
}
