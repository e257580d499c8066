package twitter

import (
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// maxIDs is how many posts are given at once.
const maxIDs = 100

// postsByID gives posts of the caller's own with their public numbers. Those that are not there
// stand among the errors of a 200.
func (s *simulator) postsByID(v visit) {
	query := v.inPosts(v.r.URL.Query())
	ids := strings.Split(query.Get("ids"), ",")
	if query.Get("ids") == "" || len(ids) > maxIDs || slices.ContainsFunc(ids, func(id string) bool { return !idPattern.MatchString(id) }) {
		v.fail(invalidRequest("The `ids` query parameter value is not 1 to 100 ids"))
		return
	}
	if query.Has(unknownFields) {
		v.fail(unknownParameter(unknownFields))
		return
	}
	options := timeline{fields: strings.Split(query.Get("post.fields"), ",")}
	out, found, missing := object{}, []object{}, []object{}
	for _, id := range ids {
		post, ok := s.world.Readable(v.account.ID, id)
		if !ok || s.world.IsTakenDown(post) {
			missing = append(missing, object{
				"type": problems + "resource-not-found", "title": "Not Found Error", "detail": "Could not find post with ids: [" + id + "].",
				"resource_type": "post", "resource_id": id, "parameter": "ids", "value": id,
			})
			continue
		}
		entry := s.entry(v.account, post, options)
		if slices.Contains(options.fields, "public_metrics") {
			entry["public_metrics"] = publicMetrics(s.world.Audience(post))
		}
		found = append(found, entry)
	}
	if len(found) > 0 { // X leaves out what is empty
		out["data"] = found
	}
	if len(missing) > 0 {
		out["errors"] = missing
	}
	answer(v.rw, http.StatusOK, v.named(out))
}

func publicMetrics(a simulation.Audience) object {
	return object{
		"impression_count": a.Impressions, "like_count": a.Likes, "reply_count": a.Comments, "bookmark_count": a.Saves,
		"repost_count": a.Shares - a.Shares/4, "quote_count": a.Shares / 4,
	}
}
