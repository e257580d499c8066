package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

func TestANodesIdentityIsOneProcesss(t *testing.T) {
	f := newFixture(t)
	node := [16]byte{7}
	take := func(s *postgres.Store) bool {
		taken, err := s.TakeNode(t.Context(), node)
		f.Must(err)
		return taken
	}
	if !take(f.Store) {
		t.Fatal("nobody has it, and it is not given")
	}
	p := f.Create(f.Post(1, 0))
	f.MustClaim(p, 0)

	copied := f.OpenProcess()
	if take(copied) {
		t.Fatal("two processes have the same identity")
	}
	f.Must(copied.Recover(t.Context()))
	if n := f.Count(`select count(*) from targets where state = 1 and lease_until > now() + interval '10 seconds'`); n != 1 {
		t.Error("the lease of the other's claim was ended")
	}
	if taken, err := copied.TakeNode(t.Context(), schema.NewID[schema.KeyID](time.Now())); err != nil || !taken {
		t.Errorf("a new identity: taken %t, %v", taken, err)
	}

	held := `from pg_locks where locktype = 'advisory' and granted
		and objid = (hashtextextended('crier node 07000000000000000000000000000000', 0) & 4294967295)::oid`
	if n := f.Count(`select count(pg_terminate_backend(pid, 5000)) ` + held); n != 1 {
		t.Fatalf("%d sessions held it", n)
	}
	for until := time.Now().Add(postgrestest.Patience); f.Count(`select count(*) `+held) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it is not held any more once its session was ended")
		}
	}
}
