package threads

import (
	"cmp"
	"iter"
	"slices"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// remarkObject is what a person has written, with every field there is of it.
func (s *simulator) remarkObject(remark simulation.Remark) map[string]any {
	entry := map[string]any{
		"id": remark.ID, "media_product_type": "THREADS", "media_type": "TEXT_POST", "username": remark.By.Handle, "text": remark.Text,
		"permalink": "https://www.threads.com/@" + remark.By.Handle + "/post/" + remark.ID, "shortcode": remark.ID,
		"timestamp": remark.At.UTC().Format(graph.TimeFormat), "is_quote_post": false, "has_replies": false, "is_reply": remark.Under != "",
	}
	if remark.Under != "" {
		entry["replied_to"], entry["root_post"] = map[string]string{"id": cmp.Or(remark.Answers, remark.Under)}, map[string]string{"id": remark.Under}
		entry["is_reply_owned_by_me"], entry["hide_status"] = false, "NOT_HUSHED"
	}
	return entry
}

// shownFirst lists entries in an order.
func shownFirst(entries []map[string]any) iter.Seq2[string, func() map[string]any] {
	return func(yield func(string, func() map[string]any) bool) {
		for _, entry := range entries {
			if !yield(entry["id"].(string), func() map[string]any { return entry }) {
				return
			}
		}
	}
}

// conversation lists all that answers a post, and what answers that, the newest first.
func (s *simulator) conversation(v visit) {
	post, ok := s.world.Post(v.Account.ID, v.R.PathValue("id"))
	if !ok || v.state.isDeleted(post.ID) {
		v.Fail(mediaNotFound(v.R.PathValue("id")))
		return
	}
	under, all := map[string]bool{post.ID: true}, []map[string]any{}
	for _, remark := range s.world.RemarksUnder(post) {
		under[remark.ID] = true
		all = append(all, s.remarkObject(remark))
	}
	own := slices.Collect(s.world.Newest(v.Account.ID))
	for _, reply := range slices.Backward(own) {
		if under[reply.ReplyTo] && !v.state.isDeleted(reply.ID) {
			under[reply.ID] = true
			all = append(all, s.entry(v.Account, reply))
		}
	}
	slices.Reverse(all)
	v.ListAll(shownFirst(all), maxPage)
}

// mentions lists what names the account.
func (s *simulator) mentions(v visit) {
	var all []map[string]any
	for _, remark := range s.world.Mentions(v.Account.ID) {
		all = append(all, s.remarkObject(remark))
	}
	v.ListAll(shownFirst(all), maxPage)
}
