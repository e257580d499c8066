package instagram

import (
	"testing"
	"time"

	"crier/schema"
)

// A story is shown for a day: then nobody can tell whether it was there.
func TestAStoryIsLookedForWhileItIsShown(t *testing.T) {
	r := newRig(t)
	d := r.Delivery("", r.Picture(""))
	d.Settings = []byte(`{"mediaType":"STORIES"}`)
	find := func(want schema.Verdict) {
		t.Helper()
		if receipt, verdict, err := r.Find(t.Context(), d); err != nil || verdict != want {
			t.Errorf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
		}
	}
	find(schema.NotThere)
	r.Pass(24*time.Hour + time.Second)
	find(schema.CannotTell)
}
