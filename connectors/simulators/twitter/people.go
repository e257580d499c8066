package twitter

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"crier/connectors/simulators/simulation"
)

// remarkObject is what a person has written, as the API shows it.
func remarkObject(v visit, remark simulation.Remark) object {
	out := object{
		"id": remark.ID, "text": "@" + v.account.Handle + " " + shownText(remark.Text), "edit_history_post_ids": []string{remark.ID},
		"created_at": remark.At.UTC().Format("2006-01-02T15:04:05.000Z"), "author_id": remark.By.ID, "conversation_id": cmp.Or(remark.Under, remark.ID),
	}
	if parent := cmp.Or(remark.Answers, remark.Under); parent != "" {
		out["referenced_posts"] = []object{{"type": "replied_to", "id": parent}}
	}
	if remark.Under != "" && remark.Answers == "" {
		out["in_reply_to_user_id"] = v.account.ID
	}
	return out
}

func shownText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// searchRecent finds what people have said in a conversation of the caller's own. Other queries
// are not simulated.
func (s *simulator) searchRecent(v visit) {
	query := v.r.URL.Query()
	conversation, of := strings.CutPrefix(strings.Fields(query.Get("query") + " -")[0], "conversation_id:")
	if !of {
		v.fail(invalidRequest("only conversation_id: is simulated"))
		return
	}
	var all []simulation.Remark
	if post, ok := s.world.Post(v.account.ID, conversation); ok {
		all = s.world.RemarksUnder(post)
		slices.Reverse(all)
	}
	s.listRemarks(v, all, "next_token", minSearch)
}

// minSearch is the smallest page of a search.
const minSearch = 10

// listMentions lists what names the caller, answers to its posts included.
func (s *simulator) listMentions(v visit) {
	if v.r.PathValue("id") != v.account.ID {
		v.fail(notFound("user", v.r.PathValue("id")))
		return
	}
	all := s.world.Mentions(v.account.ID)
	for post := range s.world.Newest(v.account.ID) {
		all = append(all, s.world.RemarksUnder(post)...)
	}
	slices.SortStableFunc(all, func(a, b simulation.Remark) int { return b.At.Compare(a.At) })
	s.listRemarks(v, all, "pagination_token", minPage)
}

func (s *simulator) listRemarks(v visit, all []simulation.Remark, cursor string, minimum int) {
	query := v.inPosts(v.r.URL.Query())
	size, err := pageOf(query, minimum)
	if query.Has(unknownFields) {
		err = unknownParameter(unknownFields)
	}
	if err != nil {
		v.fail(err)
		return
	}
	from := 0
	if token := query.Get(cursor); token != "" {
		last, err := idOfToken(token)
		from = slices.IndexFunc(all, func(remark simulation.Remark) bool { return remark.ID == last }) + 1
		if err != nil || from == 0 {
			v.fail(invalidRequest("The `" + cursor + "` is invalid"))
			return
		}
	}
	page := all[from:min(from+size, len(all))]
	out, meta := object{}, object{"result_count": len(page)}
	var objects, users []object
	for _, remark := range page {
		objects = append(objects, remarkObject(v, remark))
		if !slices.ContainsFunc(users, func(u object) bool { return u["id"] == remark.By.ID }) {
			users = append(users, object{"id": remark.By.ID, "name": remark.By.Name, "username": remark.By.Handle})
		}
	}
	if len(page) > 0 {
		out["data"], out["includes"] = objects, object{"users": users}
		meta["newest_id"], meta["oldest_id"] = page[0].ID, page[len(page)-1].ID
	}
	if from+size < len(all) {
		meta["next_token"] = pageToken(page[len(page)-1].ID)
	}
	out["meta"] = meta
	answer(v.rw, http.StatusOK, v.named(out))
}

func pageOf(query url.Values, minimum int) (int, error) {
	size, err := strconv.Atoi(cmp.Or(query.Get("max_results"), strconv.Itoa(minimum)))
	if err != nil || size < minimum || size > maxPage {
		return 0, invalidRequest(fmt.Sprintf("The `max_results` query parameter value is not between %d and 100", minimum))
	}
	return size, nil
}
