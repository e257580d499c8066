package linkedin

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// listOfURNs is a list as Rest.li 2.0 writes it in an address: what stands in it is escaped.
var listOfURNs = regexp.MustCompile(`^List\(([A-Za-z0-9%,]+)\)$`)

// listed returns the URNs of a parameter that is a list, from an address as it was sent.
func listed(rawQuery, name string) (urns []string, ok bool) {
	for part := range strings.SplitSeq(rawQuery, "&") {
		value, found := strings.CutPrefix(part, name+"=")
		if !found {
			continue
		}
		list := listOfURNs.FindStringSubmatch(value)
		if list == nil {
			return nil, false
		}
		for escaped := range strings.SplitSeq(list[1], ",") {
			urn, err := url.QueryUnescape(escaped)
			if err != nil {
				return nil, false
			}
			urns = append(urns, urn)
		}
	}
	return urns, true
}

// showStatistics tells how posts of an organization do. Those that it has nothing of are left out.
func (s *simulator) showStatistics(v visit) {
	query := v.r.URL.Query()
	organization := query.Get("organizationalEntity")
	shares, ok := listed(v.r.URL.RawQuery, "shares")
	switch {
	case query.Get("q") != "organizationalEntity" || !ok:
		v.fail(badInput("PARAM_INVALID", "Invalid parameters"))
		return
	case !strings.HasPrefix(organization, organizationURN) || !v.mayActAs(organization):
		v.fail(denied("organizationalEntityShareStatistics.FINDER-organizationalEntity"))
		return
	}
	elements := []any{}
	for _, urn := range shares {
		p, err := s.find(v, urn)
		if err != nil || p.Account != organization || s.world.IsTakenDown(p) {
			continue
		}
		a := s.world.Audience(p)
		elements = append(elements, map[string]any{
			"organizationalEntity": organization, "share": urn,
			"totalShareStatistics": map[string]any{
				"impressionCount": a.Impressions, "uniqueImpressionsCount": a.Reach, "clickCount": a.Clicks,
				"likeCount": a.Likes, "commentCount": a.Comments, "shareCount": a.Shares, "engagement": 0.0,
			},
		})
	}
	answer(v.rw, http.StatusOK, map[string]any{
		"paging": map[string]any{"start": 0, "count": defaultPage, "links": []any{}}, "elements": elements,
	})
}

// showNetwork tells how many members follow an organization.
func (s *simulator) showNetwork(v visit) {
	organization := v.r.PathValue("urn")
	switch {
	case v.r.URL.Query().Get("edgeType") != "COMPANY_FOLLOWED_BY_MEMBER":
		v.fail(badInput("PARAM_INVALID", "edgeType is not known"))
	case !v.mayActAs(organization):
		v.fail(denied("networkSizes.GET"))
	default:
		answer(v.rw, http.StatusOK, map[string]any{"firstDegreeSize": s.world.Crowd(organization).Followers})
	}
}
