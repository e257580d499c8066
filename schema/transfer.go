package schema

import "time"

// How slow a line may be that brings or takes a file.
const (
	transferGrace = 20 * time.Second
	slowestLine   = 16 << 10 // bytes a second
)

// TransferTime returns how long so many bytes of a file may be on their way: a slow line
// is waited for, one that sends a byte now and then is not.
func TransferTime(bytes int64) time.Duration {
	return transferGrace + time.Duration(bytes/slowestLine)*time.Second
}
