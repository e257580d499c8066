package accounts

import (
	"context"
	"slices"

	"crier/connectors"
	"crier/schema"
)

// missingView is what is not read of an account, or not all of it, since a permission is missing.
type missingView struct {
	What        connectors.Purpose `json:"what"`
	Permissions []string           `json:"permissions"`    // as the platform calls them; empty: it is not known which
	Partly      bool               `json:"partly"`         // something of it is read
	OnConsent   bool               `json:"askedOnConsent"` // whether connecting again asks for them
}

// missing tells what is not read of a healthy account: what its owner has not granted, and what
// its platform has refused where it is not known what was granted. Without an answer of the
// database it tells what it can.
func (u checkup) missing(ctx context.Context, a schema.Account) []missingView {
	var scopes connectors.Scopes
	if scoped, err := connectors.As[connectors.Scoped](u.Platforms, a); err == nil {
		scopes = scoped.Scopes()
	}
	var missing []missingView
	if credentials, err := u.Vault.Open(a); err == nil {
		missing = viewMissing(missing, scopes, scopes.Missing(credentials))
	}
	refused, err := u.Store.Unpermitted(ctx, a.Workspace, a.ID)
	if err != nil {
		u.Logger.WarnContext(ctx, "reading what is not read of an account failed", "account", a.ID.String(), "err", err)
	}
	for _, what := range refused {
		purpose := connectors.Reads(what)
		if slices.ContainsFunc(missing, func(m missingView) bool { return m.What == purpose }) {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(scopes.Read), func(scope connectors.ReadScope) bool { return scope.Partly || !slices.Contains(scope.For, purpose) })
		for i := range known {
			known[i].For = []connectors.Purpose{purpose}
		}
		if missing = viewMissing(missing, scopes, known); len(known) == 0 {
			missing = append(missing, missingView{What: purpose, Permissions: []string{}, OnConsent: true})
		}
	}
	return missing
}

// viewMissing adds permissions by what they are for.
func viewMissing(views []missingView, scopes connectors.Scopes, missing []connectors.ReadScope) []missingView {
	for _, scope := range missing {
		for _, purpose := range scope.For {
			i := slices.IndexFunc(views, func(v missingView) bool { return v.What == purpose })
			if i < 0 {
				i, views = len(views), append(views, missingView{What: purpose, Partly: true, OnConsent: true})
			}
			v := &views[i]
			v.Permissions = append(v.Permissions, scope.Name)
			v.Partly = v.Partly && scope.Partly
			v.OnConsent = v.OnConsent && slices.Contains(scopes.Requested(), scope.Name)
		}
	}
	return views
}
