package posts

import (
	"fmt"
	"slices"
	"strings"

	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
)

const (
	codeAmbiguous  = "account_ambiguous"
	codeOtherBrand = "account_of_another_brand"
)

// maxChoices bounds how many accounts an error lists.
const maxChoices = 25

// resolveTargets finds the account of every target among those of the workspace; a platform
// without an account is the brand's, if the request names one. It returns a target for each that
// was wanted, so that indexes in validation errors are the request's; one whose account was not
// found has none, and an error in the report.
func resolveTargets(d *directory.Directory, wanted []targetFields, brand schema.BrandID) ([]schema.Target, body.Report) {
	var r body.Report
	targets := make([]schema.Target, len(wanted))
	for i, w := range wanted {
		targets[i] = schema.Target{N: int16(i), Platform: w.platform, Content: w.content}
		account := choose(d, &r, w, brand)
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
		warnOfProblem(account, w.field(), &r)
	}
	return targets, r
}

// warnOfProblem warns of an account that does not work at the moment.
func warnOfProblem(a *schema.Account, field string, r *body.Report) {
	problem := a.Problem()
	if problem == nil {
		return
	}
	r.Warnings = append(r.Warnings, schema.Detail{
		Field: field, Platform: a.Platform.String(), Code: problem.Code,
		Message: "the account does not work (" + strings.TrimRight(problem.Message, ".") + "); the post fails unless it does again when the post is due",
	})
}

// warnOfProblems warns of the accounts of a post that do not work at the moment.
func warnOfProblems(post *schema.Post, d *directory.Directory, r *body.Report) {
	if d == nil {
		return
	}
	for i, t := range post.Targets {
		if a := d.Account(t.Account); a != nil {
			warnOfProblem(a, body.Indexed("platforms", i), r)
		}
	}
}

// warnOfBrands warns of accounts of a post that are not in its brand.
func warnOfBrands(post *schema.Post, d *directory.Directory, r *body.Report) {
	if post.Brand.IsZero() || d == nil {
		return
	}
	for _, t := range post.Targets {
		if a := d.Account(t.Account); a != nil && a.Brand != post.Brand {
			r.Warnings = append(r.Warnings, schema.Detail{
				Field: "brandId", Platform: t.Platform.String(), Code: codeOtherBrand,
				Message: fmt.Sprintf("%s (%s) is %s, and gets the post nevertheless", a.ID, a.Name, brandOf(d, a)),
			})
		}
	}
}

func brandOf(d *directory.Directory, a *schema.Account) string {
	if a.Brand.IsZero() {
		return "in no brand"
	}
	return fmt.Sprintf("of the brand %s (%s)", a.Brand, d.BrandName(a.Brand))
}

// choose returns the account a target names, or the only one of the platform: in the brand, where
// that has any, else of the workspace. It is nil if there is none, which the report then says.
func choose(d *directory.Directory, r *body.Report, w targetFields, brand schema.BrandID) *schema.Account {
	if w.platform == 0 {
		return nil // the report says so already
	}
	if w.account != "" {
		account := d.Named(w.platform, w.account)
		if account == nil {
			w.blame(r, "account_unknown", noAccount(d, w))
		}
		return account
	}
	choices := d.On(w.platform)
	if own := ofBrand(choices, brand); len(own) > 0 {
		choices = own
	}
	switch {
	case len(choices) == 1 && isOfAnother(choices[0], brand) && w.open:
		return nil
	case len(choices) == 1 && isOfAnother(choices[0], brand):
		w.blame(r, "account_missing", fmt.Sprintf("the brand has no %s account; %s (%s) is %s: name it to post there",
			w.platform, choices[0].ID, choices[0].Name, brandOf(d, choices[0])))
		return nil
	case len(choices) == 1:
		return choices[0]
	case w.open:
		return nil
	case len(choices) == 0:
		w.blame(r, "account_missing", fmt.Sprintf("no %s account is connected: GET /connect says how to connect one", w.platform))
		return nil
	}
	for _, a := range choices[:min(len(choices), maxChoices)] {
		w.blame(r, codeAmbiguous, fmt.Sprintf("%s (%s) is one of %d accounts connected on %s; one has to be named",
			a.ID, a.Name, len(choices), w.platform))
	}
	return nil
}

// noAccount says that there is no account as a target names it, and what there is under that id.
func noAccount(d *directory.Directory, w targetFields) string {
	id, err := schema.ParseID[schema.AccountID](w.account)
	if err == nil {
		if other := d.Account(id); other != nil {
			return fmt.Sprintf("%s is the %s account %s, not one of %s", id, other.Platform, other.Name, w.platform)
		}
	}
	return fmt.Sprintf("there is no %s account %q: GET /accounts lists those there are", w.platform, body.Clip(w.account))
}

// isOfAnother reports whether an account is in another brand than the one that a request names.
func isOfAnother(a *schema.Account, brand schema.BrandID) bool {
	return !brand.IsZero() && !a.Brand.IsZero() && a.Brand != brand
}

// ofBrand returns those of some accounts that are in a brand; none of no brand.
func ofBrand(accounts []*schema.Account, brand schema.BrandID) (own []*schema.Account) {
	for _, a := range accounts {
		if !brand.IsZero() && a.Brand == brand {
			own = append(own, a)
		}
	}
	return own
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
	return &schema.Error{Kind: schema.AccountAmbiguous, Message: schema.Clauses(choices...), Details: details}
}
