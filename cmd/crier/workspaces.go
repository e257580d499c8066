package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/google/uuid"

	"crier/compose"
	"crier/schema"
)

type workspacesCommand struct {
	List   workspacesListCommand   `cmd:"" help:"List workspaces with their ids and plans."`
	Limits workspacesLimitsCommand `cmd:"" help:"Hold the posts of a workspace, and of its sandbox, to the limits of the specification or to those of the platforms."`
	Plan   workspacesPlanCommand   `cmd:"" help:"Put a workspace on another plan, whatever it pays for, until it changes its subscription."`
}

type workspacesPlanCommand struct {
	partsFlags
	Workspace string `arg:"" env:"-" help:"Name of the workspace."`
	Plan      string `required:"" env:"-" help:"operator, free, personal, team or agency."`
}

// Run changes the plan, which counts within a second.
func (w *workspacesPlanCommand) Run(ctx context.Context, c compose.Config) error {
	before, err := compose.GivePlan(ctx, c, w.Workspace, w.Plan)
	if err != nil {
		return err
	}
	fmt.Printf("%s is on the plan %s now; it was on %s.\n", w.Workspace, w.Plan, before)
	return nil
}

type workspacesLimitsCommand struct {
	partsFlags
	Workspace string `arg:"" env:"-" help:"Name of the workspace."`
	Limits    string `arg:"" env:"-" help:"specification or platform."`
}

// Run changes the limits, which count within a second.
func (w *workspacesLimitsCommand) Run(ctx context.Context, c compose.Config) error {
	before, err := compose.SetLimits(ctx, c, w.Workspace, w.Limits)
	if err != nil {
		return err
	}
	fmt.Printf("Posts of %s are held to the limits of the %s now; before, of the %s.\n", w.Workspace, w.Limits, before)
	return nil
}

type workspacesListCommand struct {
	listFlags
	After string `env:"-" help:"Go on after the workspace of this name." placeholder:"NAME"`
}

// Run lists workspaces by name.
func (w *workspacesListCommand) Run(ctx context.Context, c compose.Config) error {
	all, err := compose.Workspaces(ctx, c, w.After, w.Limit)
	if err != nil {
		return err
	}
	if err := writeWorkspaces(os.Stdout, all, w.JSON); err != nil {
		return err
	}
	if len(all) == w.Limit {
		tellMore(all[len(all)-1].Name)
	}
	return nil
}

// workspaceLine is a workspace as it is listed.
type workspaceLine struct {
	Name   string `json:"name"`
	ID     string `json:"id"`
	UUID   string `json:"uuid"` // the same id, as ClickHouse's views have it
	Plan   string `json:"plan"`
	Limits string `json:"limits"`
}

func workspaceLineOf(w schema.Workspace) workspaceLine {
	return workspaceLine{w.Name, w.ID.String(), uuid.UUID(w.ID).String(), w.Plan, w.Limits.String()}
}

func writeWorkspaces(to io.Writer, all []schema.Workspace, asJSON bool) error {
	if asJSON {
		return writeLines(to, all, workspaceLineOf)
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tID\tUUID\tPLAN\tLIMITS")
	for _, workspace := range all {
		l := workspaceLineOf(workspace)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.ID, l.UUID, l.Plan, l.Limits)
	}
	return table.Flush()
}
