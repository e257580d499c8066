package bluesky

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"crier/connectors/simulators/simulation"
)

// The records of people are in repositories of their own: what is said is named by the
// person's DID and a key that holds its id.

const timeFormat = "2006-01-02T15:04:05.000Z"

type personView struct {
	DID         string `json:"did"`
	Handle      string `json:"handle"`
	DisplayName string `json:"displayName,omitempty"`
}

type threadPost struct {
	Type      string          `json:"$type,omitempty"`
	URI       string          `json:"uri"`
	CID       string          `json:"cid"`
	Author    personView      `json:"author"`
	Record    json.RawMessage `json:"record"`
	IndexedAt string          `json:"indexedAt"`
	Replies   int             `json:"replyCount,omitzero"` // of a post in a thread; a notification has none
}

type threadView struct {
	Type    string        `json:"$type"`
	Post    threadPost    `json:"post"`
	Replies []*threadView `json:"replies"`
}

func personOf(p simulation.Person) personView {
	handle := p.Handle + ".people.example"
	return personView{DID: didOf(handle), Handle: handle, DisplayName: p.Name}
}

// uriOfRemark returns the address of what was said.
func uriOfRemark(s simulation.Remark) string {
	n, err := strconv.ParseInt(s.ID, 10, 64)
	if err != nil {
		n = s.At.UnixMicro()
	}
	return uriOf(personOf(s.By).DID, postCollection, tidOf(n))
}

// remarkPost is the record of something that was said, as a reply within a thread where it is one.
func remarkPost(s simulation.Remark, root, parent *strongRef) threadPost {
	record := map[string]any{"$type": postCollection, "text": s.Text, "createdAt": s.At.UTC().Format(timeFormat)}
	if root != nil {
		record["reply"] = map[string]any{"root": root, "parent": parent}
	}
	encoded, err := json.Marshal(record)
	if err != nil {
		encoded = nil // not reached: texts and addresses
	}
	return threadPost{
		URI: uriOfRemark(s), CID: cidOfRecord(encoded), Author: personOf(s.By), Record: encoded, IndexedAt: s.At.UTC().Format(timeFormat),
	}
}

func ref(v threadPost) *strongRef { return &strongRef{URI: v.URI, CID: v.CID} }

func (s *simulator) viewOf(p simulation.Post) threadPost {
	record := written{p}.stored()
	return threadPost{
		URI: p.ID, CID: record.CID, Author: personView{DID: p.Account, Handle: record.Handle}, Record: record.Record,
		IndexedAt: p.CreatedAt.UTC().Format(timeFormat),
	}
}

// getPostThread shows a post of an account here with all that answers it.
func (s *simulator) getPostThread(_ http.ResponseWriter, r *http.Request) (any, error) {
	uri := r.URL.Query().Get("uri")
	account, _, _ := strings.Cut(strings.TrimPrefix(uri, "at://"), "/")
	p, ok := s.world.Post(account, uri)
	if !ok || s.isDeleted(p) {
		return nil, invalid("NotFound", "Post not found: "+uri)
	}
	top := &threadView{Type: "app.bsky.feed.defs#threadViewPost", Post: s.viewOf(p), Replies: []*threadView{}}
	s.hang(top, p)
	return map[string]any{"thread": top}, nil
}

// hang puts the answers to a post under it, those of people and the account's own.
func (s *simulator) hang(top *threadView, p simulation.Post) {
	byID := map[string]*threadView{p.ID: top, "": top}
	add := func(parent *threadView, v threadPost) *threadView {
		node := &threadView{Type: "app.bsky.feed.defs#threadViewPost", Post: v, Replies: []*threadView{}}
		parent.Replies = append(parent.Replies, node)
		parent.Post.Replies++
		return node
	}
	for _, remark := range s.world.RemarksUnder(p) {
		parent := byID[remark.Answers]
		if parent == nil {
			parent = top
		}
		node := add(parent, remarkPost(remark, ref(top.Post), ref(parent.Post)))
		byID[remark.ID], byID[node.Post.URI] = node, node
	}
	own := slices.Collect(s.world.Newest(p.Account))
	for _, reply := range slices.Backward(own) {
		if parent := byID[reply.ReplyTo]; reply.ReplyTo != "" && parent != nil && !s.isDeleted(reply) {
			byID[reply.ID] = add(parent, s.viewOf(reply))
		}
	}
}

// listNotifications tells an account what people do. Only answers and mentions are simulated.
func (s *simulator) listNotifications(_ http.ResponseWriter, r *http.Request) (any, error) {
	token, err := s.tokens.verify(r, accessScope)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	limit := defaultRecords
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxRecords {
			return nil, invalid("InvalidRequest", "limit must be between 1 and 100")
		}
	}
	type notification struct {
		threadPost
		Reason string `json:"reason"`
		IsRead bool   `json:"isRead"`
	}
	all := []notification{}
	if reasons := query["reasons"]; len(reasons) == 0 || slices.Contains(reasons, "mention") {
		for _, m := range s.world.Mentions(token.Subject) {
			all = append(all, notification{threadPost: remarkPost(m, nil, nil), Reason: "mention"})
		}
	}
	after := 0
	if cursor := query.Get("cursor"); cursor != "" {
		after = slices.IndexFunc(all, func(n notification) bool { return n.URI == cursor }) + 1
	}
	page := all[after:min(after+limit, len(all))]
	answer := map[string]any{"notifications": page}
	if after+limit < len(all) {
		answer["cursor"] = page[len(page)-1].URI
	}
	return answer, nil
}
