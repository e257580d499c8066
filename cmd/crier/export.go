package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mattn/go-isatty"

	"crier/client"
	"crier/cmd/crier/console"
	"crier/cmd/crier/exporter"
	"crier/cmd/crier/settings"
)

type exportCommand struct {
	File string `arg:"" env:"-" help:"A .csv, .xlsx or .jsonl, which is replaced if it is there."`
	console.Access
	Status   string `env:"-" help:"draft, scheduled, processing, posted, partially_failed, failed or cancelled."`
	Platform string `env:"-" help:"That the posts go to."`
	Brand    string `env:"-" help:"Id of a brand."`
	External string `name:"external-id" env:"-" help:"Your own id of a post."`
	After    string `env:"-" help:"Scheduled at or after this day or time." placeholder:"TIME"`
	Before   string `env:"-" help:"Scheduled at or before this day or time." placeholder:"TIME"`
}

// Run writes the posts, those of the first times first.
func (e *exportCommand) Run(ctx context.Context) error {
	server, err := e.Server()
	if err != nil {
		return err
	}
	filter := client.PostFilter{Status: client.PostStatus(e.Status), Platform: client.Platform(e.Platform), BrandID: e.Brand, ExternalID: e.External, Sort: client.FirstScheduled}
	if filter.After, err = console.ReadTime(e.After, time.Local); err != nil {
		return fmt.Errorf("--after: %w", err)
	}
	if filter.Before, err = console.ReadTime(e.Before, time.Local); err != nil {
		return fmt.Errorf("--before: %w", err)
	}
	c := exporter.Config{
		API: client.New(server.Key, client.WithServer(server.URL), client.WithUserAgent("crier-export")), Filter: filter, File: e.File,
	}
	if isatty.IsTerminal(os.Stderr.Fd()) {
		c.Progress = func(posts int) { fmt.Fprintf(os.Stderr, "\r%d posts", posts) }
	}
	posts, err := exporter.Run(ctx, c)
	if err != nil {
		return err
	}
	fmt.Printf("%s in %s. Change it there and import it: crier import %s\n", counted(posts, "post"), settings.Typed(e.File), settings.Typed(e.File))
	return nil
}
