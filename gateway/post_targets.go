package gateway

import (
	"fmt"
	"strings"

	"crier/schema"
)

const codeAmbiguous = "account_ambiguous"

// maxChoices bounds how many accounts an error lists.
const maxChoices = 25

// resolve finds the account of every target among those of the workspace. It returns a
// target for each that was wanted, so that what validation says of them has their
// numbers; one that was not found has no account, and an error in the report.
func resolve(accounts []schema.Account, wanted []targetFields) ([]schema.Target, *report) {
	r := new(report)
	targets := make([]schema.Target, 0, len(wanted))
	taken := make(map[schema.AccountID]string, len(wanted))
	for _, w := range wanted {
		account, ok := choose(r, accounts, w)
		targets = append(targets, schema.Target{
			N: int16(len(targets)), Account: account.ID, Platform: w.platform, Content: w.content,
		})
		if !ok {
			continue
		}
		if first, twice := taken[account.ID]; twice {
			r.errors = append(r.errors, schema.Detail{
				Field: w.field, Platform: w.platform.String(), Code: "duplicate_target",
				Message: "this is the same account as " + first,
			})
			continue
		}
		taken[account.ID] = w.field
		if account.NeedsReconnect {
			r.warnings = append(r.warnings, schema.Detail{
				Field: w.field, Platform: w.platform.String(), Code: "account_needs_reconnect",
				Message: "the platform no longer takes this account's credentials; it has to be connected again before the post is due",
			})
		}
	}
	return targets, r
}

// choose returns the account a target names, or the platform's only one.
func choose(r *report, accounts []schema.Account, w targetFields) (schema.Account, bool) {
	var choices []schema.Account
	for _, a := range accounts {
		if a.Platform != w.platform {
			continue
		}
		if w.account != "" && names(w, a) {
			return a, true
		}
		choices = append(choices, a)
	}
	switch {
	case w.platform == 0: // has failed already
	case w.account != "":
		r.add(w, "account_unknown", fmt.Sprintf("there is no %s account %q", w.platform, clip(w.account)))
	case len(choices) == 0:
		r.add(w, "account_missing", fmt.Sprintf("no %s account is connected", w.platform))
	case len(choices) > 1:
		for _, a := range choices[:min(len(choices), maxChoices)] {
			r.add(w, codeAmbiguous, fmt.Sprintf("%s (%s) is one of %d accounts connected on %s; one has to be named",
				a.ID, a.Name, len(choices), w.platform))
		}
	default:
		return choices[0], true
	}
	return schema.Account{}, false
}

// names tells whether a target names an account: by its id, and a business location
// by the platform's own.
func names(w targetFields, a schema.Account) bool {
	return w.account == a.ID.String() || (a.Platform == schema.GoogleBusiness && w.account == a.NativeID)
}

func (r *report) add(w targetFields, code, message string) {
	if len(r.errors) < maxDetails {
		r.errors = append(r.errors, schema.Detail{
			Field: w.field + ".accountId", Platform: w.platform.String(), Code: code, Message: message,
		})
	}
}

// ambiguous tells whether nothing is wrong but that accounts are not named.
func ambiguous(details []schema.Detail) bool {
	for _, d := range details {
		if d.Code != codeAmbiguous {
			return false
		}
	}
	return len(details) > 0
}

func ambiguousAccounts(details []schema.Detail) *schema.Error {
	choices := make([]string, len(details))
	for i, d := range details {
		choices[i] = d.Field + ": " + d.Message
	}
	return &schema.Error{Kind: schema.AccountAmbiguous, Message: strings.Join(choices, "; "), Details: details}
}
