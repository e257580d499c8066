package schema

import (
	"testing"
	"time"
)

func TestALateReceiptOfWhatGoesOnByItself(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	calling := Standing{State: TargetClaimed, Delivery: Delivery{Step: StepPublish, Entries: 1}}
	gaveUp := Standing{State: TargetPending, Delivery: Delivery{Step: StepFind, Entries: 1, Receipts: []Receipt{{NativeID: "1", Open: true}}}}
	for name, tt := range map[string]struct {
		standing Standing
		late     Receipt
		arrival  Arrival
		state    TargetState
		in       time.Duration
	}{
		"open, while a call is in hand":    {calling, Receipt{NativeID: "1", Open: true}, ReceiptNew, TargetPending, Lease + SettleTime},
		"closed":                           {gaveUp, Receipt{NativeID: "1"}, ReceiptNew, TargetPosted, 0},
		"closed, of the call after that":   {gaveUp, Receipt{NativeID: "2"}, ReceiptNew, TargetPosted, 0},
		"open, once more":                  {gaveUp, Receipt{NativeID: "1", Open: true}, ReceiptKnown, 0, 0},
		"open, beside one of another call": {gaveUp, Receipt{NativeID: "2", Open: true}, ReceiptSecond, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, arrival := tt.standing.Keep(tt.late, at)
			if arrival != tt.arrival || r.State != tt.state || r.NextIn != tt.in {
				t.Errorf("it is %v: %v, again in %v; want %v: %v, %v", arrival, r.State, r.NextIn, tt.arrival, tt.state, tt.in)
			}
		})
	}
}
