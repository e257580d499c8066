package restored

import (
	"testing"
	"time"

	"crier/schema"
)

// Where each look is a call of its own, an account is looked at up to the first post that is one too many.
func TestALookEndsBeforeThePostThatIsOneTooMany(t *testing.T) {
	a := &account{begun: true, single: mostSingle}
	held := schema.HeldDelivery{Delivery: schema.Delivery{DueAt: time.Unix(9, 0)}, ScheduledFor: time.Unix(1, 0)}
	if found, err := a.look(t.Context(), held); found != nil || err != nil || !a.settled || !a.before.Equal(held.ScheduledFor) {
		t.Errorf("found %+v, %v; settled %t before %v", found, err, a.settled, a.before)
	}
}
