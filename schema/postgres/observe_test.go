package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
)

// counted returns the value of a counter without labels.
func (f *fixture) counted(name string) float64 {
	f.Helper()
	families, err := f.registry.Gather()
	if err != nil {
		f.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	f.Fatalf("there is no metric %s", name)
	return 0
}

func TestWhatIsObserved(t *testing.T) {
	f := newFixture(t)
	observe := func() schema.Observation {
		o, err := f.delay.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := observe(); o.OldestEvents != 0 || o.Accounts[schema.Mastodon] != (schema.AccountCounts{Connected: 3}) {
		t.Errorf("of a quiet system: %+v", o)
	}
	began := time.Now()
	f.create(f.post(1, time.Hour))
	time.Sleep(50 * time.Millisecond)
	f.create(f.post(1, time.Hour))
	f.exec(`update accounts set needs_reconnect = true where native_id = '0'`)
	f.exec(`update accounts set disconnected_at = now() where native_id = '1'`)
	o := observe()
	if o.OldestEvents < 50*time.Millisecond || o.OldestEvents > time.Since(began)+time.Second {
		t.Errorf("the oldest events are %s old, want the age of the first post", o.OldestEvents)
	}
	if got := o.Accounts[schema.Mastodon]; got != (schema.AccountCounts{Connected: 2, NeedReconnect: 1}) {
		t.Errorf("accounts %+v, want one good, one to be reconnected, and not the disconnected one", got)
	}
}
