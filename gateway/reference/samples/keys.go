package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"crier/client"
)

func keys(ctx context.Context, c *client.Client) {
	// sample: createKey
	key, err := c.Keys.Create(ctx, client.NewKey{Name: "reports", Permission: client.Read, Test: true})
	// end
	check(err)
	// sample: createKey
	fmt.Println(key.ID, key.Secret) // the secret is shown this once
	// sample: listKeys
	for key, err := range c.Keys.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(key.ID, key.Name)
	}
	// sample: getKey
	key, err = c.Keys.Get(ctx, key.ID)
	// end
	check(err)
	// sample: rotateKey
	successor, err := c.Keys.Rotate(ctx, key.ID, time.Hour)
	// end
	check(err)
	fmt.Println(successor.ID)
	// sample: revokeKey
	err = c.Keys.Revoke(ctx, key.ID)
	// end
	check(err)
	// sample: getUsage
	usage, err := c.Usage.Get(ctx)
	// end
	check(err)
	fmt.Println(usage)
}
