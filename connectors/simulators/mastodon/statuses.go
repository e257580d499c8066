package mastodon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

const (
	// keyLife is how long a server keeps an idempotency key.
	keyLife = time.Hour
	// maxStatusBytes bounds the body of a call that makes a status.
	maxStatusBytes = 1 << 20
	// The sizes of a page of statuses, asked for or not.
	maxPage     = 40
	defaultPage = 20
)

// statusFields is what a status has beside what every post has.
type statusFields struct {
	Visibility  string      `json:"visibility"`
	SpoilerText string      `json:"spoilerText,omitempty"`
	Sensitive   bool        `json:"sensitive,omitempty"`
	Language    string      `json:"language,omitempty"`
	Poll        *pollFields `json:"poll,omitempty"`
	ContentType string      `json:"contentType,omitempty"` // on GoToSocial
}

type pollFields struct {
	Options    []string  `json:"options"`
	ExpiresAt  time.Time `json:"expiresAt"`
	Multiple   bool      `json:"multiple,omitempty"`
	HideTotals bool      `json:"hideTotals,omitempty"`
}

func fieldsOf(p simulation.Post) statusFields {
	var f statusFields
	if json.Unmarshal(p.Fields, &f) != nil {
		return statusFields{Visibility: defaultVisibility}
	}
	return f
}

// createStatus makes a status, or answers with the one that its key made.
func (s *simulator) createStatus(v visit) {
	var input newStatus
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxStatusBytes)).Decode(&input); err != nil {
		refuse(v.rw, http.StatusBadRequest, "There was a problem in the JSON you submitted")
		return
	}
	if softwareOf(v.r) == pixelfed && refuseForm(v.rw, input) {
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID, Text: input.Status}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.create(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		entry := s.status(v, post)
		if softwareOf(v.r).isGoToSocial() { // it counts a status after the answer
			entry.Account.StatusesCount--
		}
		answer(rw, http.StatusOK, entry)
	})
}

// create checks in Mastodon's order: the parent, the key, the media, the text.
func (s *simulator) create(v visit, input newStatus) (simulation.Post, error) {
	v.profile.writing.Lock()
	defer v.profile.writing.Unlock()
	if input.InReplyToID != "" {
		if _, err := s.find(v, input.InReplyToID); err != nil && !s.heard(v, input.InReplyToID) {
			return simulation.Post{}, &refusal{http.StatusNotFound, "The post you are trying to reply to does not appear to exist."}
		}
	}
	if softwareOf(v.r) == pixelfed {
		if err := v.burn(); err != nil {
			return simulation.Post{}, err
		}
	}
	key, first, isRepeat := s.first(v)
	if isRepeat {
		return first, nil
	}
	uploads, err := s.uploads(v.account.ID, input.MediaIDs)
	if err != nil {
		return simulation.Post{}, err
	}
	post, err := s.check(input, softwareOf(v.r))
	if err != nil {
		return simulation.Post{}, err
	}
	post.Account, post.Key, post.Workspace, post.By = v.account.ID, key, s.world.WorkspaceOf(v.r), s.world.NameOf(v.r)
	for _, u := range uploads {
		post.Media = append(post.Media, u.Media())
	}
	added, _, err := s.world.Add(post)
	if err != nil {
		return simulation.Post{}, err
	}
	return added, s.use(uploads)
}

// first returns the status that the call's key made within the hour; else the key to
// make it with. The world knows a key for good, so that after its hour the key goes
// on under the id of the status it made.
func (s *simulator) first(v visit) (key string, post simulation.Post, isRepeat bool) {
	key = v.r.Header.Get("Idempotency-Key")
	if key == "" || softwareOf(v.r) != mastodonItself { // which alone knows it
		return "", simulation.Post{}, false
	}
	for {
		post, ok := s.world.PostOfKey(v.account.ID, key)
		switch {
		case !ok:
			return key, simulation.Post{}, false
		case s.world.Now().Before(post.CreatedAt.Add(keyLife)):
			return key, post, true
		}
		key += " " + post.ID
	}
}

// check returns the status that is asked for, or why the server refuses it.
func (s *simulator) check(input newStatus, on software) (simulation.Post, error) {
	var err error
	switch {
	case on.isGoToSocial():
		err = s.checkAsGoToSocial(input)
	case on == pixelfed:
		err = checkAsPixelfed(input)
	}
	if err != nil {
		return simulation.Post{}, err
	}
	text, spoiler := strings.TrimSpace(input.Status), strings.TrimSpace(input.SpoilerText)
	sensitive := input.Sensitive || spoiler != ""
	if text == "" {
		text, spoiler = spoiler, ""
	}
	visibility, a := input.Visibility, s.takes()
	if visibility == "" {
		visibility = defaultVisibility
	}
	switch {
	case !slices.Contains([]string{defaultVisibility, "unlisted", "private", "direct"}, visibility):
		return simulation.Post{}, unprocessable("'" + visibility + "' is not a valid visibility")
	case text == "" && len(input.MediaIDs) == 0:
		return simulation.Post{}, invalidRecord("Text can't be blank")
	case !on.isGoToSocial() && simulation.Graphemes(spoiler)+length(text, a.Address) > a.Text:
		return simulation.Post{}, invalidRecord(fmt.Sprintf("Text character limit of %d exceeded", a.Text))
	}
	poll, err := s.checkPoll(input)
	if err != nil {
		return simulation.Post{}, err
	}
	fields, err := json.Marshal(statusFields{
		Visibility: visibility, SpoilerText: spoiler, Sensitive: sensitive, Language: input.Language, Poll: poll,
		ContentType: on.contentType(input.ContentType),
	})
	return simulation.Post{Text: text, ReplyTo: input.InReplyToID, Fields: fields}, err
}

func (s *simulator) checkPoll(input newStatus) (*pollFields, error) {
	p, a := input.Poll, s.takes()
	if p == nil {
		return nil, nil
	}
	tooLong := func(option string) bool { return simulation.Graphemes(option) > a.PollOption }
	switch {
	case len(input.MediaIDs) > 0:
		return nil, unprocessable("Cannot attach more than 4 files")
	case len(p.Options) < minPollOptions:
		return nil, invalidRecord("Poll options must have more than one item")
	case len(p.Options) > a.PollOptions:
		return nil, invalidRecord(fmt.Sprintf("Poll options can't contain more than %d items", a.PollOptions))
	case slices.ContainsFunc(p.Options, tooLong):
		return nil, invalidRecord(fmt.Sprintf("Poll options cannot be longer than %d characters each", a.PollOption))
	case len(slices.Compact(slices.Sorted(slices.Values(p.Options)))) < len(p.Options):
		return nil, invalidRecord("Poll options contain duplicate items")
	case p.ExpiresIn < a.ShortestPoll:
		return nil, invalidRecord("Poll expires at is too soon")
	case p.ExpiresIn > a.LongestPoll:
		return nil, invalidRecord("Poll expires at is too far into the future")
	}
	return &pollFields{
		Options: p.Options, Multiple: p.Multiple, HideTotals: p.HideTotals,
		ExpiresAt: s.world.Now().Add(time.Duration(p.ExpiresIn) * time.Second),
	}, nil
}

// find returns a status of the caller's own: the simulator's accounts do not meet.
func (s *simulator) find(v visit, id string) (simulation.Post, error) {
	post, ok := s.world.Readable(v.account.ID, id)
	if !ok || v.profile.isDeleted(id) || s.world.IsTakenDown(post) {
		return simulation.Post{}, notFound()
	}
	return post, nil
}

func (s *simulator) showStatus(v visit) {
	post, err := s.find(v, v.r.PathValue("id"))
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, s.status(v, post))
}

// deleteStatus hides a status. What was published stays in the world, which tests ask
// what went out.
func (s *simulator) deleteStatus(v visit) {
	post, err := s.find(v, v.r.PathValue("id"))
	if err != nil {
		v.fail(err)
		return
	}
	v.profile.delete(post.ID)
	answer(v.rw, http.StatusOK, s.status(v, post))
}

func (p *profile) delete(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted[id] = struct{}{}
}

func (p *profile) deletions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.deleted)
}

func (p *profile) isDeleted(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, gone := p.deleted[id]
	return gone
}

// listStatuses lists the caller's own statuses, the newest first.
func (s *simulator) listStatuses(v visit) {
	if v.r.PathValue("id") != v.account.ID {
		v.fail(notFound())
		return
	}
	query := v.r.URL.Query()
	size := pageSizeOf(query)
	page := []statusEntry{}
	for post := range s.world.Listed(v.account.ID) {
		if len(page) == size || !isAbove(post.ID, query.Get("since_id")) {
			break
		}
		if !isBelow(post.ID, query.Get("max_id")) || v.profile.isDeleted(post.ID) || s.hides(v, post) {
			continue
		}
		page = append(page, s.status(v, post))
	}
	if len(page) > 0 {
		v.rw.Header().Set("Link", s.pageLinks(v, page, size))
	}
	answer(v.rw, http.StatusOK, page)
}

func pageSizeOf(query url.Values) int {
	size, err := strconv.Atoi(query.Get("limit"))
	if err != nil || size < 1 {
		return defaultPage
	}
	return min(size, maxPage)
}

// isBelow and isAbove compare an id with a bound, which may be missing.
func isBelow(id, bound string) bool {
	return bound == "" || compareIDs(id, bound) < 0
}

func isAbove(id, bound string) bool {
	return bound == "" || compareIDs(id, bound) > 0
}

// compareIDs compares numbers that may be longer than any machine's.
func compareIDs(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// pageLinks names the pages before and after; the one after only where this is full.
func (s *simulator) pageLinks(v visit, page []statusEntry, size int) string {
	address := func(bound, id, relation string) string {
		query := v.r.URL.Query()
		for _, old := range []string{"max_id", "since_id", "min_id"} {
			query.Del(old)
		}
		query.Set(bound, id)
		return fmt.Sprintf(`<%s%s?%s>; rel="%s"`, s.world.BaseURL(), v.r.URL.Path, query.Encode(), relation)
	}
	links := []string{}
	if len(page) == size {
		links = append(links, address("max_id", page[len(page)-1].ID, "next"))
	}
	links = append(links, address("min_id", page[0].ID, "prev"))
	return strings.Join(links, ", ")
}
