package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crier/client"
)

// accountsShown is how many accounts a page of list_accounts has.
const accountsShown = 50

func (t *tools) addAccounts() {
	add(t, about{
		name: "list_accounts", title: "List accounts", effect: reads,
		says: "Lists the connected accounts that posts can go to, with what is wrong with those that do not work. An account is connected by a person in a browser, never here.",
	}, (*call).listAccounts)
}

type accountsInput struct {
	Platform client.Platform `json:"platform,omitempty" jsonschema:"only accounts of this platform"`
	BrandID  string          `json:"brandId,omitempty" jsonschema:"only accounts of this brand"`
	Cursor   string          `json:"cursor,omitempty" jsonschema:"nextCursor of the page before"`
}

type accountsOutput struct {
	Accounts   []accountView `json:"accounts"`
	NextCursor string        `json:"nextCursor,omitempty" jsonschema:"cursor of the next page; absent on the last one"`
}

type accountView struct {
	ID       string          `json:"id" jsonschema:"what other tools take as accountId"`
	Platform client.Platform `json:"platform"`
	Name     string          `json:"name"`
	Server   string          `json:"server,omitempty"`
	Brand    string          `json:"brand,omitempty"`
	BrandID  string          `json:"brandId,omitempty"`
	Works    bool            `json:"works" jsonschema:"false: posts to it wait or fail; problem says why"`
	Problem  string          `json:"problem,omitempty"`
}

func (c *call) listAccounts(ctx context.Context, in accountsInput) (out accountsOutput, err error) {
	accounts, err := c.Accounts.List(ctx, client.AccountFilter{Platform: in.Platform, BrandID: in.BrandID})
	if err != nil {
		return out, err
	}
	ids := make([]string, len(accounts))
	for i, a := range accounts {
		ids[i] = a.ID
	}
	begin, end, err := part(ids, in.Cursor, accountsShown)
	if err != nil {
		return out, err
	}
	out.Accounts = []accountView{}
	for _, a := range accounts[begin:end] {
		out.Accounts = append(out.Accounts, viewAccount(a))
	}
	if end < len(ids) {
		out.NextCursor = ids[end-1]
	}
	return out, nil
}

// part is which ids a page has of a list that the API answers whole. Its cursor is the last id of
// the page before.
func part(ids []string, cursor string, size int) (begin, end int, err error) {
	if cursor != "" {
		if begin = slices.Index(ids, cursor) + 1; begin == 0 {
			return 0, 0, errors.New("cursor: there is no such page any more; begin without a cursor")
		}
	}
	return begin, min(begin+size, len(ids)), nil
}

func viewAccount(a client.Account) accountView {
	view := accountView{
		ID: a.ID, Platform: a.Platform, Name: shown(a.Name, briefly), Server: a.Server, Brand: shown(a.BrandName, briefly), BrandID: a.BrandID,
		Works: a.IsConnected && !a.NeedsReconnect,
	}
	switch {
	case a.Error != nil:
		view.Problem = shown(a.Error.Message, briefly)
	case a.NeedsReconnect:
		view.Problem = "its owner has to connect it again"
	case !a.IsConnected:
		view.Problem = "it is disconnected"
	}
	return view
}

// accountsOf are the accounts of platforms that targets go to, by id.
func (c *call) accountsOf(ctx context.Context, targets []client.Target) (map[string]client.Account, error) {
	all := map[string]client.Account{}
	read := map[client.Platform]bool{}
	for _, target := range targets {
		if read[target.Platform] {
			continue
		}
		read[target.Platform] = true
		accounts, err := c.Accounts.List(ctx, client.AccountFilter{Platform: target.Platform})
		if err != nil {
			return nil, err
		}
		for _, a := range accounts {
			all[a.ID] = a
		}
	}
	return all, nil
}

// resolved gives a target without an account the only one of its platform that is connected, as
// the API does.
func resolved(target client.Target, accounts map[string]client.Account) client.Target {
	if target.AccountID != "" {
		return target
	}
	var of []client.Account
	for _, a := range accounts {
		if a.Platform == target.Platform && a.IsConnected {
			of = append(of, a)
		}
	}
	if len(of) == 1 {
		target.AccountID = of[0].ID
	}
	return target
}

// name is how a target's account is called among people.
func name(target client.Target, accounts map[string]client.Account) string {
	a, known := accounts[target.AccountID]
	if !known {
		return strings.TrimSpace(fmt.Sprintf("%s %s", target.Platform, target.AccountID))
	}
	return fmt.Sprintf("%s %s (%s)", a.Platform, shown(a.Name, briefly), a.ID)
}
