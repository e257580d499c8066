package collection

import (
	"time"

	"crier/schema"
	"crier/schema/retry"
)

// What a step can come to, in metrics.
const (
	outcomeRead     = "read"
	outcomeDeferred = "deferred" // the platform asks to wait
	outcomeRefused  = "refused"  // by the platform, for good: a permission is missing, or a post cannot be read
	outcomeDead     = "dead"     // the platform no longer takes the credentials
	outcomeFailed   = "failed"   // and is tried again
)

const (
	// minDeferral and maxDeferral bound what a platform asks to wait.
	minDeferral, maxDeferral = 5 * time.Second, 24 * time.Hour
	// refusedWait is how long something is not asked again that the account may not read.
	refusedWait = 24 * time.Hour
)

// after says when the next step is due after an error of the platform, and what this one has come
// to. What a look could not read is looked at again, or with the next look of its schedule.
func after(r *schema.CollectionResult, e *schema.Error, now time.Time) (outcome string) {
	if e == nil {
		return outcomeRead
	}
	r.Attempts = r.Collection.Attempts
	switch {
	case e.Kind == schema.RateLimited:
		r.NextAt = now.Add(min(max(e.RetryAfter, minDeferral), maxDeferral))
		return outcomeDeferred
	case e.Kind == schema.TokenDead && e.End == schema.EndScope: // publishing may be allowed all the same
		r.NextAt = now.Add(refusedWait)
		return outcomeRefused
	case e.Kind == schema.TokenDead:
		r.Attempts++
		r.NextAt = now.Add(retry.Dead.Wait(r.Collection.Attempts, 0)) // if they are dead, nothing is read until it works again
		return outcomeDead
	case e.Kind == schema.Refused && r.What == schema.CollectMetrics:
		r.NextAt = now
		if len(r.Read) == 0 && len(r.Gone) == 0 {
			r.Attempts++ // of fewer posts
			r.NextAt = now.Add(minDeferral)
		}
		return outcomeRefused
	case e.Kind == schema.Refused:
		r.NextAt = now.Add(refusedWait)
		return outcomeRefused
	case r.What == schema.CollectComments && !r.NextAt.IsZero(): // under single posts, which are tried again by themselves
		return outcomeFailed
	default:
		r.Attempts++
		r.NextAt = now.Add(retry.Collection.Wait(r.Collection.Attempts, 0))
		return outcomeFailed
	}
}
