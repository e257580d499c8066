package restored

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
	"crier/schema/guard"
	"crier/schema/sleep"
)

// account is the look at one account.
type account struct {
	looks   *Looks
	restore *schema.Restore

	memo        connectors.Memo
	tally       listing.Tally
	begun       bool
	credentials schema.Credentials
	known       []string // what on the profile is another's
	shared      bool
	single      int // looks that read no listing: each is a call of its own

	settled bool      // nothing more is to be found
	before  time.Time // posts that are scheduled for then or later were not looked for; zero: all were
	why     string    // it could not be looked at
}

const (
	// mostSingle bounds the looks on a platform that has no listing, of which each is a call. The posts that
	// are scheduled first come first.
	mostSingle = 200
	// lookTime bounds one look, with the wait for its turns.
	lookTime = time.Minute
	// patience is how long a look waits for what a platform asks; a longer wait is left to a later round.
	patience = 30 * time.Second
	tries    = 3
)

// look looks for one post; nil: it is not there. Errors are crier's own, or of a stop.
func (a *account) look(ctx context.Context, held schema.HeldDelivery) (*schema.Finding, error) {
	d := held.Delivery
	if a.settled || d.Unreadable != nil {
		return nil, ctx.Err()
	}
	if !a.begun {
		if err := a.begin(ctx, d); err != nil {
			return nil, err
		}
		if a.settled {
			return nil, nil
		}
	}
	if !a.tally.Whole && a.single >= mostSingle {
		a.settled, a.before = true, held.ScheduledFor
		return nil, nil
	}
	d.Step, d.Since, d.Credentials, d.Known, d.Shared = schema.StepFind, a.restore.To, a.credentials, a.known, a.shared
	receipt, verdict, err := a.find(ctx, d)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	finding := schema.Finding{Post: d.Ref.Post, N: d.Ref.N, At: a.looks.Now()}
	switch {
	case verdict == schema.Found:
		a.known = append(a.known, receipt.NativeID)
		finding.Kind, finding.NativeID, finding.URL = schema.FoundOnPlatform, receipt.NativeID, receipt.URL
	case err != nil && !a.tally.Whole && schema.KindOf(err) != schema.Refused:
		a.settled, a.why = true, reason(err)
		return nil, nil
	case err != nil || verdict == schema.CannotTell || verdict == schema.SafeToRepeat:
		finding.Kind = schema.LookCannotTell
	}
	a.note()
	if finding.Kind == 0 {
		return nil, nil
	}
	return &finding, nil
}

// note notes that a post was looked for. Once all that the listing has is known to be somebody's, no other
// post is there.
func (a *account) note() {
	if !a.tally.Whole {
		a.single++
		return
	}
	left := len(a.tally.Items)
	for _, id := range a.known {
		if _, listed := a.tally.Items[id]; listed {
			left--
		}
	}
	a.settled = left <= 0
}

// begin reads what is needed for all looks at the account.
func (a *account) begin(ctx context.Context, d schema.Delivery) (err error) {
	a.begun = true
	d.Since, d.Looked = a.restore.To, 0
	err = a.looks.Posts.Known(ctx, &d)
	if errors.Is(err, schema.ErrReceiptsForgotten) {
		a.settled, a.why = true, fmt.Sprintf("the backup is older than %v, for which crier knows what is whose", schema.ReceiptRetention)
		return nil
	}
	if err != nil {
		return err
	}
	a.known, a.shared = d.Known, d.Shared
	if a.credentials, err = connectors.Unseal(a.looks.Vault, d.Account); err != nil {
		a.settled, a.why = true, reason(err)
	}
	return nil
}

// find asks the platform, again where it asks for a short wait.
func (a *account) find(ctx context.Context, d schema.Delivery) (receipt schema.Receipt, verdict schema.Verdict, err error) {
	connector, err := a.looks.Connectors.Connector(d.Account)
	if err != nil {
		return receipt, schema.CannotTell, err
	}
	for range tries {
		err = guard.Do(func() (err error) {
			looking, cancel := context.WithTimeout(listing.WithTally(connectors.WithMemo(ctx, &a.memo), &a.tally), lookTime)
			defer cancel()
			receipt, verdict, err = connector.Find(looking, d)
			return err
		})
		e, ok := errors.AsType[*schema.Error](err)
		if !ok || a.tally.Whole || e.Kind != schema.RateLimited && e.Kind != schema.Retryable || e.RetryAfter > patience {
			return receipt, verdict, err
		}
		if err := sleep.For(ctx, max(e.RetryAfter, time.Second)); err != nil {
			return receipt, verdict, err
		}
	}
	return receipt, verdict, err
}

// reason is what operators are told of a failure.
func reason(err error) string {
	if e, ok := errors.AsType[*schema.Error](err); ok {
		return e.Message
	}
	return "crier failed to look; the log has the reason"
}
