package linkedin

import (
	"net/http"
	"slices"
)

func (s *simulator) userInfo(v visit) {
	answer(v.rw, http.StatusOK, map[string]any{
		"sub": v.account.ID, "name": v.account.Handle, "given_name": v.account.Handle, "locale": "en_US",
	})
}

// me is whose token it is, for apps that have no sign-in.
func (s *simulator) me(v visit) {
	answer(v.rw, http.StatusOK, map[string]any{"id": v.account.ID, "localizedFirstName": v.account.Handle, "localizedLastName": ""})
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
