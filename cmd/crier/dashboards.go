package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"crier/compose"
)

type dashboardsCommand struct {
	Grant dashboardsGrantCommand `cmd:"" help:"Make the user of a ClickHouse by --clickhouse that reads the views of one workspace and nothing else; again, it brings that user to this version."`
}

type dashboardsGrantCommand struct {
	partsFlags
	clickhouseFlags
	Workspace          string `required:"" env:"-" file:"-" help:"Name of the workspace."`
	DashboardsPassword string `secret:"only" file:"-" help:"Password of that user; without one, a new user gets one that is shown once."`
}

// Validate refuses what does not fit together.
func (d *dashboardsGrantCommand) Validate() error {
	return errors.Join(d.partsFlags.Validate(), d.clickhouseFlags.Validate())
}

// Run makes the user, and prints its name, and on standard output its password if one was made.
func (d *dashboardsGrantCommand) Run(ctx context.Context, c compose.Config) (err error) {
	if c.ClickHouse, c.ClickHouseTLS, err = d.reach(); err != nil {
		return err
	}
	reader, err := compose.GrantDashboards(ctx, c, d.Workspace, d.DashboardsPassword)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s reads the views of %s, and nothing else.\n", reader.User, d.Workspace)
	if reader.Password != "" {
		fmt.Fprintln(os.Stderr, "Its password is shown this once:")
		fmt.Println(reader.Password)
	}
	return nil
}
