package compose

import (
	"context"
	"fmt"

	"crier/schema/postgres"
)

// connections is how many connections to PostgreSQL a process opens at most, by the pool
// they are of. Requests and creations have their own: however many wait for the database,
// what is due is claimed and published beside them.
type connections struct {
	stages    int // of all stages and chores
	requests  int // of what the REST API reads and changes; 0 without the role gateway
	creations int // of those that are shared by what is created; 0 without the role gateway
}

const (
	nodeConnection = 1 // holds the node's identity
	// fewest is what a pool has at least: one of its connections may be in a long transaction.
	fewest = 2
	// requestConnections are what reads of the REST API have.
	requestConnections = 6
)

// stageConnections is what each role has of the stages' pool: nearly all of its work goes by
// a few transactions that many share, one after the other. With every role a process opens
// 22 connections; four such processes and an operator's commands fit into PostgreSQL's default of
// 100, of which it keeps three to itself.
var stageConnections = map[string]int{
	roleGateway:   0, // the media cleanup
	roleDelay:     4, // reads what is due, moves on what fired, a chore or two
	rolePublish:   4, // claims twice at a time, finishes, refreshes
	roleComment:   1,
	roleNotify:    3, // expands, claims, finishes
	roleAnalytics: 1,
	roleListening: 0, // a short transaction each half second
	roleSandbox:   0,
}

// connections divides what the process may open: as many as its roles want, or the total
// that is configured in the same proportion.
func (c Config) connections() connections {
	var n connections
	for _, role := range c.Roles {
		n.stages += stageConnections[role]
	}
	n.stages = max(n.stages, fewest)
	if c.has(roleGateway) {
		n.requests, n.creations = requestConnections, postgres.Creators
	}
	if c.PostgresConnections == 0 {
		return n
	}
	divided := c.PostgresConnections - nodeConnection - n.creations
	if n.requests > 0 {
		n.requests = max(fewest, divided*n.requests/(n.requests+n.stages))
	}
	n.stages = divided - n.requests
	return n
}

// total is what the process opens at most.
func (n connections) total() int { return n.stages + n.requests + n.creations + nodeConnection }

// MaxConnections is how many connections to PostgreSQL the process opens at most.
func (c Config) MaxConnections() int { return c.connections().total() }

// CheckConnections refuses a total with which some pool would be too small to work.
func (c Config) CheckConnections() error {
	minimum := nodeConnection + fewest
	if c.has(roleGateway) {
		minimum += fewest + postgres.Creators
	}
	if c.PostgresConnections != 0 && c.PostgresConnections < minimum {
		return fmt.Errorf("%d connections to PostgreSQL are too few for these roles: at least %d are wanted", c.PostgresConnections, minimum)
	}
	return nil
}

// checkConnectionLimit fails where PostgreSQL allows fewer connections than this process may come to
// want, and warns where others leave too few of them now.
func (b *base) checkConnectionLimit(ctx context.Context, wanted int) error {
	limit, err := b.store.ConnectionLimit(ctx)
	if err != nil {
		return err
	}
	if limit.Allowed < wanted {
		return fmt.Errorf("PostgreSQL allows this user %d connections, and this process opens up to %d: raise max_connections, or lower --postgres-connections", limit.Allowed, wanted)
	}
	if others := limit.Taken - 1; others+wanted > limit.Allowed {
		b.config.Logger.WarnContext(ctx, "PostgreSQL allows fewer connections than all who use it may open: raise max_connections, or lower --postgres-connections",
			"allowed", limit.Allowed, "taken_by_others", others, "wanted", wanted)
	}
	return nil
}
