package compose

import (
	"context"
	"errors"
	"fmt"

	"crier/schema"
	"crier/schema/postgres/operation"
)

// PauseTarget is what a pause is on: one of the three.
type PauseTarget struct {
	Workspace string // by name; its sandbox is paused with it
	Account   string
	Platform  string
}

// Pause holds the work of a workspace, an account or a platform.
func Pause(ctx context.Context, c Config, on PauseTarget, reason string) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		h, err := o.pauseOf(ctx, on)
		if err != nil {
			return err
		}
		h.Reason = reason
		return o.admin.Pause(byCommand(ctx, "work.pause"), h)
	})
}

// Resume lifts a pause of the operator's, and tells whether an account stays paused by its workspace.
func Resume(ctx context.Context, c Config, on PauseTarget) (stays bool, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (bool, error) {
		h, err := o.pauseOf(ctx, on)
		if err != nil {
			return false, err
		}
		if err := o.admin.Resume(byCommand(ctx, "work.resume"), h); err != nil || h.Kind != schema.AccountPaused {
			return false, err
		}
		return o.admin.PausedByMember(ctx, h.Account)
	})
}

func (o *operator) pauseOf(ctx context.Context, on PauseTarget) (schema.Hold, error) {
	switch on {
	case PauseTarget{Workspace: on.Workspace}:
		w, err := o.admin.Workspace(ctx, on.Workspace)
		return schema.Hold{Kind: schema.WorkspacePaused, Workspace: w.ID}, err
	case PauseTarget{Account: on.Account}:
		id, err := schema.ParseID[schema.AccountID](on.Account)
		if err != nil {
			return schema.Hold{}, fmt.Errorf("there is no account %s: %w", on.Account, err)
		}
		return o.admin.AccountPause(ctx, id)
	case PauseTarget{Platform: on.Platform}:
		p, err := schema.ParsePlatform(on.Platform)
		return schema.Hold{Kind: schema.PlatformPaused, Platform: p}, err
	default:
		return schema.Hold{}, errors.New("name a workspace, an account or a platform: one of them")
	}
}

// Held returns the pauses, and the posts that are held for review.
func Held(ctx context.Context, c Config) ([]operation.HeldPost, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) ([]operation.HeldPost, error) {
		return o.admin.Holds(ctx)
	})
}
