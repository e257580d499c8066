package restored

import (
	"testing"
	"time"

	"crier/connectors/listing"
	"crier/schema"
)

// Where each look is a call of its own, an account is looked at up to the first post that is one too many.
func TestALookEndsBeforeThePostThatIsOneTooMany(t *testing.T) {
	a := &account{begun: true, single: maxSingle}
	held := schema.HeldDelivery{Delivery: schema.Delivery{DueAt: time.Unix(9, 0)}, ScheduledFor: time.Unix(1, 0)}
	if found, err := a.look(t.Context(), held); found != nil || err != nil || !a.settled || !a.before.Equal(held.ScheduledFor) {
		t.Errorf("found %+v, %v; settled %t before %v", found, err, a.settled, a.before)
	}
}

// What was published right before the restore may be listed late: a look before that tells nothing.
func TestALookWaitsUntilAllIsListed(t *testing.T) {
	marked := time.Unix(100, 0)
	a := &account{
		restore: &schema.Restore{MarkedAt: marked},
		looks:   &Looks{LooksConfig: LooksConfig{Now: func() time.Time { return marked.Add(59 * time.Second) }}},
	}
	held := schema.HeldDelivery{Delivery: schema.Delivery{Listed: time.Minute}}
	if found, err := a.look(t.Context(), held); found != nil || err != nil || !a.early || !a.settled {
		t.Errorf("found %+v, %v; early %t, settled %t", found, err, a.early, a.settled)
	}
}

// Only a list that has all that an account publishes tells that nothing more is there.
func TestAnAccountIsExhaustedByAWholeListing(t *testing.T) {
	items := map[string]struct{}{"a": {}, "b": {}}
	for name, tt := range map[string]struct {
		account *account
		want    bool
	}{
		"all known":         {&account{tally: listing.Tally{Whole: true, Items: items}, known: []string{"a", "b", "c"}}, true},
		"nothing there":     {&account{tally: listing.Tally{Whole: true}}, true},
		"one that is not":   {&account{tally: listing.Tally{Whole: true, Items: items}, known: []string{"a"}}, false},
		"one known twice":   {&account{tally: listing.Tally{Whole: true, Items: items}, known: []string{"a", "a"}}, false},
		"one of its lists":  {&account{tally: listing.Tally{Whole: true, Part: true}}, false},
		"no list was whole": {&account{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.account.isExhausted(); got != tt.want {
				t.Errorf("isExhausted = %t, want %t", got, tt.want)
			}
		})
	}
}
