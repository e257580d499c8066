package collection_test

import (
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/simulation/graph"
	"crier/schema"
)

// TestWhatWasNotGrantedIsReadOnceItIs follows two accounts whose people have granted what publishing
// needs alone: of one crier knows it, the other's token was brought along.
func TestWhatWasNotGrantedIsReadOnceItIs(t *testing.T) {
	f := newFixture(t)
	f.start()
	connector, err := f.catalog.Connector(schema.Account{Platform: schema.Threads, Sandbox: true})
	f.must(err)
	scopes := connector.(connectors.Scoped).Scopes()
	world := f.sandbox.World(schema.Threads)
	consent := func(granted []string) (accounts []schema.Account) {
		for n, scope := range []string{strings.Join(granted, ","), ""} {
			credentials := credentialsOf(schema.Threads, n)
			graph.Grant(world.Account(credentials.AccessToken), granted)
			credentials.Scope = scope
			accounts = append(accounts, f.connectBy(schema.Threads, n, credentials))
		}
		f.acknowledge()
		return accounts
	}
	refused := func() int { return f.count(`select count(*) from collections where refused_at is not null`) }

	accounts := consent(scopes.Publish)
	f.collect()
	if n := refused(); n != 4 || f.outcomes("refused") != 4 || len(f.facts(schema.FactFollowers)) != 0 {
		t.Errorf("%d things are not read, want followers and mentions of both", n)
	}
	if calls := f.permitted.Load(); calls != 2 {
		t.Errorf("the platform was asked %d times, want twice, for the account of which nothing is known", calls)
	}
	if n := f.count(`select count(*) from accounts where ended <> 0 or needs_reconnect or renew_asked_at is not null`); n != 0 {
		t.Errorf("%d accounts are in doubt", n)
	}

	for i, again := range consent(scopes.Requested()) {
		if again.ID != accounts[i].ID {
			t.Fatal("connecting again makes another account")
		}
	}
	f.collect()
	if n := refused(); n != 0 || len(f.facts(schema.FactFollowers)) != 2 {
		t.Errorf("connected again, %d things are not read, and there are %d facts of followers", n, len(f.facts(schema.FactFollowers)))
	}
}
