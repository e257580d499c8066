package simulator

import (
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulation"
)

func (s *simulator) userInfo(v visit) {
	answer(v.rw, http.StatusOK, map[string]any{
		"sub": v.account.ID, "name": v.account.Handle, "given_name": v.account.Handle, "locale": "en_US",
	})
}

// listRoles lists what the token's owner may do for which organization.
func (s *simulator) listRoles(v visit) {
	if v.r.URL.Query().Get("q") != "roleAssignee" {
		v.fail(badInput("PARAM_INVALID", "q is not a finder of roles"))
		return
	}
	var roles []map[string]string
	for _, organization := range organizationsOf(v.account) {
		roles = append(roles, map[string]string{
			"role": "ADMINISTRATOR", "state": "APPROVED", "organization": organization, "roleAssignee": v.person(),
		})
	}
	v.list(roles)
}

func (s *simulator) showOrganization(v visit) {
	id := v.r.PathValue("id")
	if !slices.Contains(organizationsOf(v.account), organizationURN+id) {
		v.fail(denied("organizations.GET"))
		return
	}
	answer(v.rw, http.StatusOK, map[string]any{"id": id, "localizedName": "Organization " + id, "vanityName": "organization-" + id})
}

const (
	accessLife  = 5184000  // 60 days, in seconds
	refreshLife = 31536000 // a year, from the first consent on
)

// A token that was renewed is of whom the one before was: the refresh token of "a" is
// "refresh-of-a", and what it is traded for "renewed-a".
const (
	refreshOf = "refresh-of-"
	renewed   = "renewed-"
)

// memberOf names whose token it is.
func memberOf(token string) string { return strings.TrimPrefix(token, renewed) }

// trade trades a refresh token. A form that is not right is refused as OAuth 2.0 says.
func (s *simulator) trade(rw http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, description string) {
		answer(rw, status, map[string]string{"error": code, "error_description": description})
	}
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	token := r.PostFormValue("refresh_token")
	switch {
	case r.PostFormValue("client_id") != simulation.AppID || r.PostFormValue("client_secret") != simulation.AppSecret:
		refuse(http.StatusUnauthorized, "invalid_client", "Client authentication failed")
	case r.PostFormValue("grant_type") != "refresh_token":
		refuse(http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported")
	case token == "" || strings.HasPrefix(token, "expired"):
		refuse(http.StatusBadRequest, "invalid_grant", "The provided authorization grant or refresh token is invalid, expired or revoked")
	default:
		answer(rw, http.StatusOK, map[string]any{
			"access_token": renewed + strings.TrimPrefix(token, refreshOf), "expires_in": accessLife, "scope": "w_member_social",
			"refresh_token": token, "refresh_token_expires_in": refreshLife,
		})
	}
}
