package main

import (
	"context"
	"fmt"
	"log"

	"crier/client"
)

func accounts(ctx context.Context, c *client.Client) {
	// sample: listAccounts
	accounts, err := c.Accounts.List(ctx, client.AccountFilter{Platform: client.Mastodon})
	// end
	check(err)
	account := accounts[0]
	// sample: getAccount
	found, err := c.Accounts.Get(ctx, account.ID)
	// end
	check(err)
	fmt.Println(found.Name)
	// sample: updateAccount
	_, err = c.Accounts.Update(ctx, account.ID, client.AccountUpdate{Name: new("Harbour")})
	// end
	check(err)
	// sample: pauseAccount
	paused, err := c.Accounts.Pause(ctx, account.ID, "The brand says nothing today")
	// end
	check(err)
	fmt.Println(paused.Paused.Since)
	// sample: resumeAccount
	_, err = c.Accounts.Resume(ctx, account.ID)
	// end
	check(err)
	// sample: checkAccounts
	all, err := c.Accounts.HealthOfAll(ctx, client.AccountFilter{})
	// end
	check(err)
	fmt.Println(len(all))
	// sample: checkAccount
	health, err := c.Accounts.Health(ctx, account.ID)
	// end
	check(err)
	fmt.Println(health.Status)
	// sample: listConnectWays
	ways, err := c.Accounts.Ways(ctx)
	// end
	check(err)
	fmt.Println(len(ways))
	// sample: listPlatforms
	limits, err := c.Platforms.List(ctx)
	// end
	check(err)
	fmt.Println(len(limits))
	// sample: getPlatform
	ofMastodon, err := c.Platforms.Get(ctx, client.Mastodon, account.ID)
	// end
	check(err)
	fmt.Println(ofMastodon.Platform)
	// sample: beginConnect
	consent, err := c.Accounts.AskConsent(ctx, client.Mastodon, client.ConsentRequest{Server: "mastodon.social"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(consent.AuthURL) // for the browser of the person whose account it is
	// end
	brands(ctx, c)
	// sample: disconnectAccount
	err = c.Accounts.Disconnect(ctx, account.ID)
	// end
	check(err)
}

func brands(ctx context.Context, c *client.Client) {
	// sample: createBrand
	brand, err := c.Brands.Create(ctx, "Harbour")
	// end
	check(err)
	// sample: listBrands
	brands, err := c.Brands.List(ctx)
	// end
	check(err)
	fmt.Println(len(brands))
	// sample: getBrand
	brand, err = c.Brands.Get(ctx, brand.ID)
	// end
	check(err)
	// sample: renameBrand
	brand, err = c.Brands.Rename(ctx, brand.ID, "Harbour Café")
	// end
	check(err)
	// sample: deleteBrand
	err = c.Brands.Delete(ctx, brand.ID)
	// end
	check(err)
}
