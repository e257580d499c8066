package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"crier/cmd/crier/console"
	"crier/compose"
)

type accountsCommand struct {
	List    console.AccountsList    `cmd:"" help:"List connected accounts, and whether they work."`
	Connect console.AccountsConnect `cmd:"" help:"Connect an account by the API: on its platform's page, or with credentials."`
	Add     accountsAddCommand      `cmd:"" help:"On the server's machine, without a key: connect an account whose token already exists, or give it new credentials; prints its id."`
}

type accountsAddCommand struct {
	partsFlags
	Workspace   string   `required:"" help:"Name of the workspace."`
	Platform    string   `required:"" env:"-" help:"Platform of the account."`
	Server      string   `env:"-" help:"Base address of the account's server (mastodon, bluesky, telegram)."`
	Credentials *os.File `required:"" env:"-" help:"JSON file: accessToken; or identifier and password; or botToken and chatId."`
}

// Run checks the credentials against the platform and stores them sealed.
func (a *accountsAddCommand) Run(ctx context.Context, c compose.Config) error {
	defer a.Credentials.Close()
	account := compose.AccountToAdd{Workspace: a.Workspace, Platform: a.Platform, Server: a.Server}
	if err := json.NewDecoder(a.Credentials).Decode(&account.Credentials); err != nil {
		return fmt.Errorf("reading the credentials: %w", err)
	}
	added, err := compose.AddAccount(ctx, c, account)
	if err != nil {
		return err
	}
	fmt.Println(added.ID)
	fmt.Fprintln(os.Stderr, whatWasAdded(added))
	return nil
}

// whatWasAdded is for people: what reads the id has it from the standard output.
func whatWasAdded(a compose.AddedAccount) string {
	name := fmt.Sprintf("%s account %s", a.Platform, a.Name)
	switch {
	case a.New:
		return "connected the " + name
	case a.Replaced:
		return "the " + name + " was connected already: its credentials are replaced by these"
	default:
		return "the " + name + " was connected already, with these credentials"
	}
}
