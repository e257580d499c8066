package maintenance

import (
	"time"
)

// duePlace is how far a walk over posts is that goes by workspace, the latest first.
type duePlace struct {
	workspace, id [16]byte
	due           time.Time
}

// always is before any time of a post.
var always = time.Unix(0, 0).UTC()
