package mastodon

import (
	"net/http"
	"slices"

	"crier/connectors/simulators/simulation"
)

// remote is the server of the people of the world.
const remote = "people.example"

func (s *simulator) person(p simulation.Person) accountEntry {
	entry := s.account(&simulation.Account{ID: p.ID, Handle: p.Handle})
	entry.Acct, entry.DisplayName = p.Handle+"@"+remote, p.Name
	entry.URL, entry.URI = "https://"+remote+"/@"+p.Handle, "https://"+remote+"/users/"+p.Handle
	return entry
}

// remarkEntry is the status of something that a person has written.
func (s *simulator) remarkEntry(v visit, remark simulation.Remark) statusEntry {
	base, parent := s.world.BaseURL(), remark.Answers
	if parent == "" {
		parent = remark.Under
	}
	text := "@" + v.account.Handle + " " + remark.Text
	entry := statusEntry{
		ID: remark.ID, CreatedAt: remark.At.UTC().Format(timeFormat), InReplyToID: optional(parent), Visibility: defaultVisibility,
		URI: "https://" + remote + "/statuses/" + remark.ID, URL: "https://" + remote + "/@" + remark.By.Handle + "/" + remark.ID,
		Content: contentOf(text, entities(text), base), Account: s.person(remark.By),
		MediaAttachments: []attachmentEntry{}, Mentions: []mentionEntry{{ID: v.account.ID, Username: v.account.Handle, URL: base + "/@" + v.account.Handle, Acct: v.account.Handle}},
		Tags: []tagEntry{}, Emojis: []struct{}{},
	}
	if remark.Under != "" && remark.Answers == "" {
		entry.InReplyToAccountID = &v.account.ID
	}
	return entry
}

// context shows what a status answers, and what answers it.
func (s *simulator) context(v visit) {
	post, err := s.find(v, v.r.PathValue("id"))
	if err != nil {
		v.fail(err)
		return
	}
	under := map[string]bool{post.ID: true}
	below := []statusEntry{}
	for _, remark := range s.world.RemarksUnder(post) {
		under[remark.ID] = true
		below = append(below, s.remarkEntry(v, remark))
	}
	own := slices.Collect(s.world.Newest(v.account.ID))
	for _, reply := range slices.Backward(own) {
		if under[reply.ReplyTo] && !v.profile.isDeleted(reply.ID) {
			under[reply.ID] = true
			below = append(below, s.status(v, reply))
		}
	}
	answer(v.rw, http.StatusOK, map[string]any{"ancestors": []statusEntry{}, "descendants": below})
}

type notificationEntry struct {
	ID        string       `json:"id"`
	Type      string       `json:"type"`
	GroupKey  string       `json:"group_key"`
	CreatedAt string       `json:"created_at"`
	Account   accountEntry `json:"account"`
	Status    *statusEntry `json:"status"`
}

// notifications tells an account who names it. Other notifications are not simulated.
func (s *simulator) notifications(v visit) {
	query := v.r.URL.Query()
	size := pageSizeOf(query)
	page := []notificationEntry{}
	if types := query["types[]"]; len(types) == 0 || slices.Contains(types, "mention") {
		for _, m := range s.world.Mentions(v.account.ID) {
			if len(page) == size || !isBelow(m.ID, query.Get("max_id")) {
				continue
			}
			status := s.remarkEntry(v, m)
			page = append(page, notificationEntry{
				ID: m.ID, Type: "mention", GroupKey: "ungrouped-" + m.ID, CreatedAt: status.CreatedAt, Account: status.Account, Status: &status,
			})
		}
	}
	answer(v.rw, http.StatusOK, page)
}

// heard reports whether somebody wrote to the account what it answers.
func (s *simulator) heard(v visit, id string) bool {
	_, there := s.world.Remark(v.account.ID, id)
	return there
}
