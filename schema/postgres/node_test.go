package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

func TestANodesIdentityIsOneProcesss(t *testing.T) {
	f := newFixture(t)
	node := [16]byte{7}
	take := func(s *postgres.Store) bool {
		taken, err := s.TakeNode(t.Context(), node)
		f.must(err)
		return taken
	}
	if !take(f.store) {
		t.Fatal("nobody has it, and it is not given")
	}
	p := f.create(f.post(1, 0))
	f.claimOne(p, 0)

	copied := f.anotherProcess()
	if take(copied) {
		t.Fatal("two processes have the same identity")
	}
	f.must(copied.Recover(t.Context()))
	if n := f.count(`select count(*) from targets where state = 1 and lease_until > now() + interval '10 seconds'`); n != 1 {
		t.Error("the lease of the other's claim was ended")
	}
	if taken, err := copied.TakeNode(t.Context(), schema.NewKeyID(time.Now())); err != nil || !taken {
		t.Errorf("a new identity: taken %t, %v", taken, err)
	}

	held := `from pg_locks where locktype = 'advisory' and granted
		and objid = (hashtextextended('crier node 07000000000000000000000000000000', 0) & 4294967295)::oid`
	if n := f.count(`select count(pg_terminate_backend(pid, 5000)) ` + held); n != 1 {
		t.Fatalf("%d sessions held it", n)
	}
	for until := time.Now().Add(patience); f.count(`select count(*) `+held) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it is not held any more once its session was ended")
		}
	}
}
