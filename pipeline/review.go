package pipeline

import (
	"context"
	"time"

	"crier/connectors"
	"crier/schema"
)

// reviewTime bounds the looks at what an account has published: what is left comes with its next
// renewal.
const reviewTime = 20 * time.Second

// review looks, with credentials that are good, at what an account has published lately, on
// platforms that go on to judge what they show: what was taken down fails. That a look fails is
// left at that: the next renewal looks again.
func (r refresh) review(ctx context.Context, of schema.RenewalResult) {
	if !of.Good || r.published == nil {
		return
	}
	connector, err := r.keys.Connector(of.Account)
	if err != nil {
		return
	}
	reviewer, ok := connector.(connectors.Reviewer)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	if err := r.reviewBy(ctx, reviewer, of.Account); err != nil {
		r.logger.WarnContext(ctx, "looking at what was published failed", "account", of.Account.ID, "err", err)
	}
}

func (r refresh) reviewBy(ctx context.Context, reviewer connectors.Reviewer, a schema.Account) error {
	published, err := r.published.Published(ctx, a)
	if err != nil || len(published) == 0 {
		return err
	}
	credentials, err := open(r.vault, a)
	if err != nil {
		return err
	}
	for _, one := range published {
		why, err := reviewer.TakenDown(ctx, a, credentials, one.NativeID)
		if err == nil && why != nil {
			err = r.published.TakeDown(ctx, a, one, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
