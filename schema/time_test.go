package schema

import (
	"testing"
	"time"
)

func TestAnImpossibleTimeOfAReceiptCountsAsNone(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	west, east := time.FixedZone("", -8*3600), time.FixedZone("", 8*3600)
	for name, tt := range map[string]struct{ given, want time.Time }{
		"none":                          {time.Time{}, now},
		"an hour ago":                   {now.Add(-time.Hour), now.Add(-time.Hour)},
		"an hour ahead":                 {now.Add(time.Hour), now.Add(time.Hour)},
		"two days ahead":                {now.Add(48 * time.Hour), now},
		"beyond the last year":          {time.Date(40000, 1, 1, 0, 0, 0, 0, time.UTC), now},
		"beyond the last year, in UTC":  {time.Date(9999, 12, 31, 23, 0, 0, 0, west), now},
		"before the first year, in UTC": {time.Date(1, 1, 1, 0, 0, 0, 0, east), now},
		"before the first year":         {time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), now},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range []Delivery{
				{Entries: 1, Step: StepPublish},
				{Entries: 1, Step: StepPublish, Comment: &Comment{}},
			} {
				r := d.After(Outcome{Receipt: Receipt{NativeID: "1", PostedAt: tt.given}}, now, 0)
				if r.Receipt == nil || !r.Receipt.PostedAt.Equal(tt.want) || r.Receipt.PostedAt.Location() != time.UTC {
					t.Errorf("the receipt is %+v, want it of %v", r.Receipt, tt.want)
				}
			}
		})
	}
}
