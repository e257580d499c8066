package main

import (
	"context"
	"fmt"
	"log/slog"

	"crier/compose"
)

type workspacesCommand struct {
	Plan workspacesPlanCommand `cmd:"" help:"Put a workspace on another plan, whatever it pays for, until it changes its subscription."`
}

type workspacesPlanCommand struct {
	partsFlags
	Workspace string `arg:"" env:"-" help:"Name of the workspace."`
	Plan      string `required:"" env:"-" help:"operator, free, personal, team or agency."`
}

// Run changes the plan, which counts within a second or two.
func (w *workspacesPlanCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := w.config(logger)
	if err != nil {
		return err
	}
	before, err := compose.GivePlan(ctx, c, w.Workspace, w.Plan)
	if err != nil {
		return err
	}
	fmt.Printf("%s is on the plan %s now; it was on %s.\n", w.Workspace, w.Plan, before)
	return nil
}
