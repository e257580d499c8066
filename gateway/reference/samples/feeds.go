package main

import (
	"context"
	"fmt"
	"log"

	"crier/client"
)

func monitors(ctx context.Context, c *client.Client) {
	// sample: createMonitor
	monitor, err := c.Monitors.Create(ctx, client.Monitor{Name: "Harbour", Include: []string{"harbour walk"}})
	// end
	check(err)
	// sample: listMonitors
	for monitor, err := range c.Monitors.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(monitor.ID, monitor.Name)
	}
	// sample: getMonitor
	monitor, err = c.Monitors.Get(ctx, monitor.ID)
	// end
	check(err)
	// sample: updateMonitor
	monitor, err = c.Monitors.Update(ctx, monitor.ID, client.MonitorUpdate{IsPaused: new(true)})
	// end
	check(err)
	// sample: listMonitorItems
	for item, err := range c.Monitors.Items(ctx, monitor.ID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Author.Handle, item.Text)
	}
	// sample: deleteMonitor
	err = c.Monitors.Delete(ctx, monitor.ID)
	// end
	check(err)
	// sample: searchFeed
	for item, err := range c.Feeds.Search(ctx, client.Search{Platform: client.Bluesky, Text: "harbour"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Author.Handle, item.Text)
		break
	}
	// sample: readPublicProfile
	profile, err := c.Feeds.Profile(ctx, client.Bluesky, "harbour.bsky.test")
	// end
	if err != nil {
		refused(err)
	}
	fmt.Println(profile)
}
