package googlebusiness

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// listAccounts lists the person's own account and that of their group.
func (s *simulator) listAccounts(v visit) {
	places := placesOf(v.person)
	s.list(v, "accounts", 20, []any{
		map[string]any{
			"name": "accounts/" + places[0].account, "accountName": v.person.Handle, "type": "PERSONAL",
			"verificationState": "UNVERIFIED", "vettedState": "NOT_VETTED",
		},
		map[string]any{
			"name": "accounts/" + places[1].account, "accountName": "Group of " + v.person.Handle, "type": "LOCATION_GROUP",
			"role": "MANAGER", "permissionLevel": "MEMBER_LEVEL",
		},
	})
}

// listLocations lists those of an account, or with "-" all of the person's.
func (s *simulator) listLocations(v visit) {
	var found []any
	for _, p := range placesOf(v.person) {
		if p.account == v.r.PathValue("account") {
			found = append(found, locationOf(p))
		}
	}
	if masked, ok := mask(v, found...); ok {
		s.list(v, "locations", 100, masked)
	}
}

func (s *simulator) getLocation(v visit) {
	for _, p := range placesOf(v.person) {
		if p.location != v.r.PathValue("location") {
			continue
		}
		if masked, ok := mask(v, locationOf(p)); ok {
			answer(v.rw, http.StatusOK, masked[0])
		}
		return
	}
	v.fail(notFound())
}

// titleOf is what a location is called.
func titleOf(location string) string { return "Café " + location }

func locationOf(p place) any {
	return map[string]any{
		"name": "locations/" + p.location, "title": titleOf(p.location), "languageCode": "en", "storeCode": p.location,
		"storefrontAddress": map[string]any{"regionCode": "GB", "locality": "London", "addressLines": []string{"1 High Street"}},
		"metadata":          map[string]any{"hasVoiceOfMerchant": true},
	}
}

// mask returns the fields of locations that a call asks for, which it has to.
func mask(v visit, all ...any) (masked []any, ok bool) {
	fields := strings.Split(v.r.URL.Query().Get("readMask"), ",")
	if fields[0] == "" {
		v.fail(badMask())
		return nil, false
	}
	for _, place := range all {
		part := map[string]any{}
		for _, field := range fields {
			if value, has := place.(map[string]any)[field]; has {
				part[field] = value
			}
		}
		masked = append(masked, part)
	}
	return masked, true
}

func badMask() refusal {
	return refusal{
		Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: "Request contains an invalid argument.",
		Details: []any{map[string]any{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{map[string]string{"field": "read_mask", "description": "Invalid field mask provided"}},
		}},
	}
}

// list answers with the part of a list that was asked for. What is empty is left out.
func (s *simulator) list(v visit, field string, maximum int, all []any) {
	query := v.r.URL.Query()
	size, err := strconv.Atoi(query.Get("pageSize"))
	if err != nil || size < 1 {
		size = min(20, maximum)
	}
	start, err := strconv.Atoi(query.Get("pageToken"))
	if err != nil && query.Has("pageToken") || start < 0 {
		v.fail(badField("page_token", "Invalid page token"))
		return
	}
	start = min(start, len(all))
	end := min(start+min(size, maximum), len(all))
	page := map[string]any{}
	if end > start {
		page[field] = all[start:end]
	}
	if end < len(all) {
		page["nextPageToken"] = strconv.Itoa(end)
	}
	answer(v.rw, http.StatusOK, page)
}

// fields makes an object of what has fields.
func fields(of any) map[string]any {
	encoded, err := json.Marshal(of)
	var object map[string]any
	if err != nil || json.Unmarshal(encoded, &object) != nil {
		return map[string]any{}
	}
	return object
}
