package worker

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"crier/schema"
)

// hostsOf is where accounts are; an error: nobody knows.
type hostsOf struct {
	hosts   map[schema.AccountID]schema.Host
	err     error
	lookups int
}

func (h *hostsOf) Hosts(context.Context, []schema.AccountID) (map[schema.AccountID]schema.Host, error) {
	h.lookups++
	return h.hosts, h.err
}

func TestWhereAnAccountIsIsAskedOnce(t *testing.T) {
	there, gone := schema.AccountID{1}, schema.AccountID{2}
	store := &hostsOf{err: errors.New("the database does not answer")}
	hosts := NewHosts(store, slog.New(slog.DiscardHandler))
	of := func(a schema.AccountID) schema.AccountID { return a }
	if got := HostsOf(t.Context(), hosts, []schema.AccountID{there}, of); got[0] != (schema.Host{}) {
		t.Errorf("it is at %+v, which nobody knows", got[0])
	}
	at := schema.Host{Platform: schema.Mastodon, Server: lateServer}
	store.hosts, store.err = map[schema.AccountID]schema.Host{there: at}, nil
	for range 3 {
		got := HostsOf(t.Context(), hosts, []schema.AccountID{there, there}, of)
		if len(got) != 2 || got[0] != at || got[1] != at {
			t.Errorf("it is at %+v, want %+v", got, at)
		}
	}
	if store.lookups != 2 {
		t.Errorf("asked %d times, want once more after the failure", store.lookups)
	}
	if got := HostsOf(t.Context(), hosts, []schema.AccountID{gone, there}, of); got[0] != (schema.Host{}) || got[1] != at {
		t.Errorf("a deleted account and another are at %+v", got)
	}
}
