package operation_test

import (
	"context"
	"slices"
	"testing"

	"crier/schema/postgres"
)

func TestReplayingAllThatIsDeadGoesOnWhereItWasKilled(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	f.Exec(`
		insert into dead_letters (id, stage, subject, n, unreadable, topic, partition, value, reason, tries, failed_at, dead_at)
		select uuidv7(), 'analytics', uuidv7(), 0, i = 250, 'events', 0, '{}', 'planted', 5, now(), now() from generate_series(1, 250) i`)
	owed := `select count(*) from outbox where owed = 2`

	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	if n, err := admin.ReplayAll(ctx, func(int) { kill() }); err == nil || n != 100 {
		t.Fatalf("killed after its first batch it replayed %d, %v", n, err)
	}
	if back, dead := f.Count(owed), f.Count(`select count(*) from dead_letters`); back != 100 || dead != 150 {
		t.Fatalf("%d are back and %d dead after the kill", back, dead)
	}

	var progress []int
	n, err := admin.ReplayAll(t.Context(), func(replayed int) { progress = append(progress, replayed) })
	if err != nil || n != 150 || !slices.Equal(progress, []int{100, 150}) {
		t.Errorf("replayed %d, %v, told %v", n, err, progress)
	}
	if back, waiting := f.Count(owed), f.Count(`select count(*) from dead_letters where replay_at is not null`); back != 249 || waiting != 1 {
		t.Errorf("%d are back, and %d wait to be written to the log", back, waiting)
	}
	if n, err := admin.ReplayAll(t.Context(), func(int) {}); err != nil || n != 0 {
		t.Errorf("replayed %d more, %v", n, err)
	}
}
