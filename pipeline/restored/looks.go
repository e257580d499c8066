package restored

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/sleep"
)

// lookStore keeps what looks have found.
type lookStore interface {
	Held(ctx context.Context) (*schema.Restore, error)
	// Lease lets one process at a time look; mine is its lease, which it has had before or gets.
	Lease(ctx context.Context, r *schema.Restore, mine *time.Time) (bool, error)
	// ToLook returns accounts that are still to be looked at.
	ToLook(ctx context.Context, r *schema.Restore, after schema.AccountID, limit int) ([]schema.Account, error)
	findingStore
}

// findingStore takes what was found.
type findingStore interface {
	AddFindings(ctx context.Context, findings []schema.Finding) error
	// Looked notes that an account's posts that are scheduled for before a time were looked for, all where
	// it is zero; or why they could not be.
	Looked(ctx context.Context, account schema.AccountID, before time.Time, why string) error
	// CannotLook notes that an account's platform shows nobody what it has.
	CannotLook(ctx context.Context, account schema.AccountID) error
}

// heldStore reads the posts that a restore holds.
type heldStore interface {
	// HeldDeliveries returns what some accounts of a workspace have still to publish of a page of its
	// posts, in the order for which they are scheduled.
	HeldDeliveries(ctx context.Context, r *schema.Restore, workspace schema.WorkspaceID, accounts []schema.AccountID, after schema.HeldPlace) ([]schema.HeldDelivery, schema.HeldPlace, bool, error)
	// Known sets what else is on a delivery's profile.
	Known(ctx context.Context, d *schema.Delivery) error
}

// LooksConfig is what looks need.
type LooksConfig struct {
	Store      lookStore
	Posts      heldStore
	Connectors connectors.Resolver
	Vault      connectors.Opener
	CannotFind func(schema.Platform) bool // it shows nobody what it has
	Now        func() time.Time
	Logger     *slog.Logger
}

// Looks looks for held posts on their platforms, an account after the other and each by one listing where
// its platform has one. The calls wait for their turns like all others.
type Looks struct {
	LooksConfig
	lease time.Time
}

// NewLooks makes them.
func NewLooks(c LooksConfig) *Looks { return &Looks{LooksConfig: c} }

const (
	lookEvery   = time.Minute // until accounts that could not be looked at, or another process's, are looked at
	accountPage = 100
)

// Run looks until ctx ends, if there is a restore when it begins.
func (l *Looks) Run(ctx context.Context) error {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; pause = lookEvery {
		r, err := l.Store.Held(ctx)
		if err == nil && r == nil {
			<-ctx.Done()
			break
		}
		if err == nil {
			err = l.round(ctx, r)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errLeased) {
			l.Logger.WarnContext(ctx, "looking for held posts failed", "err", err)
		}
	}
	return nil
}

// errLeased: another process looks.
var errLeased = errors.New("another process looks for held posts")

func (l *Looks) renew(ctx context.Context, r *schema.Restore) error {
	leased, err := l.Store.Lease(ctx, r, &l.lease)
	if err == nil && !leased {
		err = errLeased
	}
	return err
}

// round looks at every account that is to be looked at.
func (l *Looks) round(ctx context.Context, r *schema.Restore) error {
	if err := l.renew(ctx, r); err != nil {
		return err
	}
	for after := (schema.AccountID{}); ; {
		accounts, err := l.Store.ToLook(ctx, r, after, accountPage)
		if err != nil || len(accounts) == 0 {
			return err
		}
		together := map[schema.WorkspaceID][]schema.AccountID{}
		for _, a := range accounts {
			if l.CannotFind(a.Platform) {
				if err := l.Store.CannotLook(ctx, a.ID); err != nil {
					return err
				}
				continue
			}
			together[a.Workspace] = append(together[a.Workspace], a.ID)
		}
		for workspace, ids := range together {
			if err := l.lookAt(ctx, r, workspace, ids); err != nil {
				return err
			}
		}
		after = accounts[len(accounts)-1].ID
	}
}

// lookAt looks for the held posts of some accounts of a workspace.
func (l *Looks) lookAt(ctx context.Context, r *schema.Restore, workspace schema.WorkspaceID, ids []schema.AccountID) error {
	accounts := map[schema.AccountID]*account{}
	for _, id := range ids {
		accounts[id] = &account{looks: l, restore: r}
	}
	for after, more := (schema.HeldPlace{}), true; more && !allSettled(accounts); {
		var deliveries []schema.HeldDelivery
		var err error
		deliveries, after, more, err = l.Posts.HeldDeliveries(ctx, r, workspace, ids, after)
		if err != nil {
			return err
		}
		var found []schema.Finding
		for _, d := range deliveries {
			finding, err := accounts[d.Account.ID].look(ctx, d)
			if err != nil {
				return err
			}
			if finding != nil {
				found = append(found, *finding)
			}
		}
		if len(found) > 0 {
			if err := l.Store.AddFindings(ctx, found); err != nil {
				return err
			}
		}
		if err := l.renew(ctx, r); err != nil {
			return err
		}
	}
	for id, a := range accounts {
		if a.early {
			continue
		}
		if err := l.Store.Looked(ctx, id, a.before, a.why); err != nil {
			return err
		}
	}
	return nil
}

func allSettled(accounts map[schema.AccountID]*account) bool {
	for _, a := range accounts {
		if !a.settled {
			return false
		}
	}
	return true
}
