package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"crier/client"
)

// AccountsList lists connected accounts.
type AccountsList struct {
	Access
	Shape
	Platform string `env:"-" help:"Of this platform alone."`
	Check    bool   `env:"-" help:"Ask the platforms whether the accounts work."`
}

// Run shows what is connected, and whether it works.
func (a *AccountsList) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	filter := client.AccountFilter{Platform: client.Platform(a.Platform)}
	if a.Check {
		found, err := c.Accounts.HealthOfAll(ctx, filter)
		if err != nil {
			return err
		}
		return lines(t, a.Shape, found, row("ACCOUNT", "PLATFORM", "NAME", "STATUS", "ABOUT"), func(h client.AccountHealth) string {
			return row(h.AccountID, string(h.Platform), h.Name, string(h.Status), aboutProblem(h.Error))
		})
	}
	accounts, err := c.Accounts.List(ctx, filter)
	if err != nil {
		return err
	}
	if len(accounts) == 0 {
		fmt.Fprintln(t.Err, "No account is connected: crier accounts connect connects one.")
	}
	return lines(t, a.Shape, accounts, row("ACCOUNT", "PLATFORM", "NAME", "BRAND", "STATUS", "ABOUT"), func(a client.Account) string {
		return row(a.ID, string(a.Platform), a.Name, orDash(a.BrandName), stateOf(a), aboutProblem(a.Error))
	})
}

func stateOf(a client.Account) string {
	switch {
	case a.NeedsReconnect:
		return "needs reconnect"
	case !a.IsConnected:
		return "ended"
	case a.Paused != nil:
		return "paused by " + string(a.Paused.By)
	default:
		return "connected"
	}
}

func aboutProblem(p *client.AccountProblem) string {
	if p == nil {
		return "-"
	}
	return p.Code + ": " + p.Message
}

// AccountsConnect connects an account.
type AccountsConnect struct {
	Access
	Shape
	Platform    string   `arg:"" env:"-" help:"Platform of the account."`
	Server      string   `env:"-" help:"Address of the account's server (mastodon, bluesky, telegram)."`
	Credentials *os.File `env:"-" help:"JSON file, or - for standard input: accessToken; or identifier and password; or botToken and chatId. Left out: the platform's page is asked."`
	Brand       string   `env:"-" help:"Id of the brand that it belongs to."`
}

// Run connects by credentials, or shows the page on which its owner consents and waits.
func (a *AccountsConnect) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	platform := client.Platform(a.Platform)
	var connected []client.Account
	var err error
	if a.Credentials != nil {
		connected, err = a.byCredentials(ctx, c, platform)
	} else {
		connected, err = a.byConsent(ctx, t, c, platform)
	}
	if err != nil {
		return err
	}
	return lines(t, a.Shape, connected, row("ACCOUNT", "PLATFORM", "NAME"), func(a client.Account) string {
		return row(a.ID, string(a.Platform), a.Name)
	})
}

func (a *AccountsConnect) byCredentials(ctx context.Context, c *client.Client, platform client.Platform) ([]client.Account, error) {
	defer a.Credentials.Close()
	credentials := client.Credentials{Server: a.Server, BrandID: a.Brand}
	if err := json.NewDecoder(a.Credentials).Decode(&credentials); err != nil {
		return nil, fmt.Errorf("reading the credentials: %w", err)
	}
	account, err := c.Accounts.Connect(ctx, platform, credentials)
	if err != nil {
		return nil, err
	}
	return []client.Account{*account}, nil
}

func (a *AccountsConnect) byConsent(ctx context.Context, t *Terminal, c *client.Client, platform client.Platform) ([]client.Account, error) {
	before, err := connectedOf(ctx, c, platform)
	if err != nil {
		return nil, err
	}
	consent, err := c.Accounts.AskConsent(ctx, platform, client.ConsentRequest{Server: a.Server, BrandID: a.Brand})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.Err, "Open this page in the browser of the person whose account it is, until %s:\n\n  %s\n\nWaiting for a new account; one that is connected already keeps its id and is not noticed here.\n",
		consent.ExpiresAt.Local().Format("15:04"), consent.AuthURL)
	const look, grace = 2 * time.Second, time.Minute
	for t.Now().Before(consent.ExpiresAt.Add(grace)) {
		if err := t.Wait(ctx, look); err != nil {
			return nil, err
		}
		now, err := connectedOf(ctx, c, platform)
		if err != nil {
			return nil, err
		}
		var fresh []client.Account
		for id, account := range now {
			if old, known := before[id]; !known || old.NeedsReconnect && !account.NeedsReconnect {
				fresh = append(fresh, account)
			}
		}
		if len(fresh) > 0 {
			return fresh, nil
		}
	}
	return nil, errors.New("nobody has consented in time")
}

func connectedOf(ctx context.Context, c *client.Client, platform client.Platform) (map[string]client.Account, error) {
	accounts, err := c.Accounts.List(ctx, client.AccountFilter{Platform: platform})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]client.Account, len(accounts))
	for _, account := range accounts {
		byID[account.ID] = account
	}
	return byID, nil
}
