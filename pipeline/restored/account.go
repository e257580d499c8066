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
	since       time.Time // that known goes back to
	known       []string  // what on the profile is another's
	shared      bool
	single      int // looks that read no listing: each is a call of its own

	settled bool      // nothing more is to be found
	early   bool      // what was published last may not be listed yet: it is looked at in a later round
	before  time.Time // posts that are scheduled for then or later were not looked for; zero: all were
	why     string    // it could not be looked at
}

const (
	// maxSingle bounds the looks on a platform that has no listing, of which each is a call. The posts that
	// are scheduled first come first.
	maxSingle = 200
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
	if !a.tally.Whole && a.single >= maxSingle {
		a.settled, a.before = true, held.ScheduledFor
		return nil, nil
	}
	if a.looks.Now().Sub(a.restore.MarkedAt) < d.Listed {
		a.settled, a.early = true, true
		return nil, nil
	}
	finding := schema.Finding{Post: d.Ref.Post, N: d.Ref.N, At: a.looks.Now()}
	err := a.begin(ctx, &d)
	switch {
	case errors.Is(err, schema.ErrReceiptsForgotten) && d.Since.Before(a.restore.To):
		finding.Kind = schema.LookCannotTell
		return &finding, nil
	case errors.Is(err, schema.ErrReceiptsForgotten):
		a.settled, a.why = true, fmt.Sprintf("the backup is older than %v, for which crier knows what is whose", schema.ReceiptRetention)
		return nil, nil
	case err != nil || a.settled:
		return nil, err
	}
	receipt, verdict, err := a.find(ctx, d)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case verdict == schema.Found:
		a.known = append(a.known, receipt.NativeID)
		finding.Kind, finding.NativeID, finding.URL = schema.FoundOnPlatform, receipt.NativeID, receipt.URL
	case err != nil && !a.tally.Whole && schema.KindOf(err) != schema.Refused:
		a.settled, a.why = true, reason(err)
		return nil, nil
	case err != nil || verdict != schema.NotThere:
		finding.Kind = schema.LookCannotTell
	}
	if !a.tally.Whole {
		a.single++
	}
	if finding.Kind == schema.LookCannotTell {
		return &finding, nil
	}
	a.settled = a.isExhausted()
	if finding.Kind == 0 {
		return nil, nil
	}
	return &finding, nil
}

// isExhausted reports whether all that the account has published since is known to be somebody's: no other
// post is there then.
func (a *account) isExhausted() bool {
	if !a.tally.Whole || a.tally.Part {
		return false
	}
	known := make(map[string]struct{}, len(a.known)) // some are there twice: they were read again, further back
	for _, id := range a.known {
		known[id] = struct{}{}
	}
	for id := range a.tally.Items {
		if _, isKnown := known[id]; !isKnown {
			return false
		}
	}
	return true
}

// begin makes a delivery one to look for: since the moment of the backup, or since a call that was open
// then. What was prepared tells nothing, as it may have been prepared anew.
func (a *account) begin(ctx context.Context, d *schema.Delivery) (err error) {
	d.Step, d.Restored, d.FindAttempts = schema.StepFind, true, 0
	if d.Since.IsZero() || d.Since.After(a.restore.To) {
		d.Since = a.restore.To
	}
	if d.Receipt(d.Entry) == nil { // else the platform has taken it, and is asked how far it is
		d.Progress = nil
	}
	if !a.begun {
		if a.credentials, err = connectors.Unseal(a.looks.Vault, d.Account); err != nil {
			a.settled, a.why = true, reason(err)
			return nil
		}
	}
	if !a.begun || d.Since.Before(a.since) {
		if err := a.looks.Posts.Known(ctx, d); err != nil {
			return err
		}
		a.begun, a.since, a.known, a.shared = true, d.Since, append(a.known, d.Known...), d.Shared
	}
	d.Credentials, d.Known, d.Shared = a.credentials, a.known, a.shared
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
