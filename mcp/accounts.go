package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crier/client"
)

// accountsPerPage is how many accounts a page of list_accounts has.
const accountsPerPage = 50

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
	page, next, err := part(accounts, func(a client.Account) string { return a.ID }, in.Cursor, accountsPerPage)
	if err != nil {
		return out, err
	}
	out = accountsOutput{Accounts: []accountView{}, NextCursor: next}
	for _, a := range page {
		out.Accounts = append(out.Accounts, viewAccount(a))
	}
	return out, nil
}

// part is a page of a list that the API answers whole, and the cursor of the next one: the last id of
// the page before; empty: there is none.
func part[T any](all []T, id func(T) string, cursor string, size int) (page []T, next string, err error) {
	if cursor != "" {
		last := slices.IndexFunc(all, func(item T) bool { return id(item) == cursor })
		if last < 0 {
			return nil, "", errors.New("cursor: there is no such page any more; begin without a cursor")
		}
		all = all[last+1:]
	}
	if len(all) <= size {
		return all, "", nil
	}
	return all[:size], id(all[size-1]), nil
}

func viewAccount(a client.Account) accountView {
	view := accountView{
		ID: a.ID, Platform: a.Platform, Name: visible(a.Name, briefly), Server: a.Server, Brand: visible(a.BrandName, briefly), BrandID: a.BrandID,
		Works: a.IsConnected && !a.NeedsReconnect && a.Paused == nil,
	}
	switch {
	case a.Error != nil:
		view.Problem = visible(a.Error.Message, briefly)
	case a.NeedsReconnect:
		view.Problem = "its owner has to connect it again"
	case !a.IsConnected:
		view.Problem = "it is disconnected"
	case a.Paused != nil:
		view.Problem = visible("it is paused by "+string(a.Paused.By)+", and its posts wait: "+cmp.Or(a.Paused.Reason, "no reason was given"), briefly)
	}
	return view
}

// accountsOf are the accounts that targets may go to, by id. They are read by one request: those of the
// platform where it is one.
func (c *call) accountsOf(ctx context.Context, targets []client.Target) (map[string]client.Account, error) {
	var filter client.AccountFilter
	isElsewhere := func(t client.Target) bool { return t.Platform != targets[0].Platform }
	if len(targets) > 0 && !slices.ContainsFunc(targets, isElsewhere) {
		filter.Platform = targets[0].Platform
	}
	accounts, err := c.Accounts.List(ctx, filter)
	if err != nil {
		return nil, err
	}
	all := make(map[string]client.Account, len(accounts))
	for _, a := range accounts {
		all[a.ID] = a
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
	return fmt.Sprintf("%s %s (%s)", a.Platform, visible(a.Name, briefly), a.ID)
}
