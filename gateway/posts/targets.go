package posts

import (
	"fmt"
	"slices"
	"strings"

	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
)

const codeAmbiguous = "account_ambiguous"

// maxChoices bounds how many accounts an error lists.
const maxChoices = 25

// resolveTargets finds the account of every target among those of the workspace. It
// returns a target for each that was wanted, so that indexes in validation errors are the
// request's; one whose account was not found has none, and an error in the report.
func resolveTargets(d *directory.Directory, wanted []targetFields) ([]schema.Target, body.Report) {
	var r body.Report
	targets := make([]schema.Target, len(wanted))
	for i, w := range wanted {
		targets[i] = schema.Target{N: int16(i), Platform: w.platform, Content: w.content}
		account := choose(d, &r, w)
		if account == nil {
			continue
		}
		targets[i].Account = account.ID
		sameAccount := func(t schema.Target) bool { return t.Account == account.ID }
		if first := slices.IndexFunc(targets, sameAccount); first < i {
			r.Errors = append(r.Errors, schema.Detail{
				Field: w.field(), Platform: w.platform.String(), Code: "duplicate_target",
				Message: "this is the same account as " + wanted[first].field(),
			})
			continue
		}
		if ended := account.Problem(); ended != nil {
			r.Warnings = append(r.Warnings, schema.Detail{
				Field: w.field(), Platform: w.platform.String(), Code: ended.Code,
				Message: "the account does not work (" + ended.Message + "); the post fails unless it does again when the post is due",
			})
		}
	}
	return targets, r
}

// choose returns the account a target names, or the platform's only one; nil if there is
// none, which the report then says.
func choose(d *directory.Directory, r *body.Report, w targetFields) *schema.Account {
	if w.platform == 0 {
		return nil // the report says so already
	}
	if w.account != "" {
		account := d.Named(w.platform, w.account)
		if account == nil {
			w.blame(r, "account_unknown", fmt.Sprintf("there is no %s account %q", w.platform, body.Clip(w.account)))
		}
		return account
	}
	choices := d.On(w.platform)
	switch {
	case len(choices) == 1:
		return choices[0]
	case w.open:
		return nil
	case len(choices) == 0:
		w.blame(r, "account_missing", fmt.Sprintf("no %s account is connected", w.platform))
		return nil
	}
	for _, a := range choices[:min(len(choices), maxChoices)] {
		w.blame(r, codeAmbiguous, fmt.Sprintf("%s (%s) is one of %d accounts connected on %s; one has to be named",
			a.ID, a.Name, len(choices), w.platform))
	}
	return nil
}

func (t targetFields) blame(r *body.Report, code, message string) {
	r.Add(schema.Detail{Field: t.field() + ".accountId", Platform: t.platform.String(), Code: code, Message: message})
}

// refusal is the error of a report about a post; nil if nothing is wrong. If all that is
// wrong is that accounts must be named, it lists the accounts to choose from.
func refusal(r *body.Report) error {
	if r.Fault == nil && ambiguous(r.Errors) {
		return ambiguousAccounts(r.Errors)
	}
	return r.Err()
}

// ambiguous reports whether all that is wrong is that accounts must be named.
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
