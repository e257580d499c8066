package tables

import (
	"fmt"
	"time"
)

// MakeFarDay is the statement that makes one day of jobs_far.
func MakeFarDay(day time.Time) string {
	return fmt.Sprintf(`create table if not exists jobs_far_%s partition of jobs_far for values from ('%s') to ('%s')`,
		day.Format("20060102"), day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly))
}
