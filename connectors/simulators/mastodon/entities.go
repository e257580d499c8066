package mastodon

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// timeFormat is how Mastodon writes a time.
const timeFormat = "2006-01-02T15:04:05.000Z"

// joined is when every account of the simulator was made.
const joined = "2024-01-01T00:00:00.000Z"

// The entries of the simulator's answers have every field that a server's always have
// (docs.joinmastodon.org/entities), lists that stay empty included.
type (
	statusEntry struct {
		ID                 string            `json:"id"`
		CreatedAt          string            `json:"created_at"`
		InReplyToID        *string           `json:"in_reply_to_id"`
		InReplyToAccountID *string           `json:"in_reply_to_account_id"`
		Sensitive          bool              `json:"sensitive"`
		SpoilerText        string            `json:"spoiler_text"`
		Visibility         string            `json:"visibility"`
		Language           *string           `json:"language"`
		URI                string            `json:"uri"`
		URL                string            `json:"url"`
		RepliesCount       int               `json:"replies_count"`
		ReblogsCount       int               `json:"reblogs_count"`
		FavouritesCount    int               `json:"favourites_count"`
		QuotesCount        int               `json:"quotes_count"`
		EditedAt           *string           `json:"edited_at"`
		Content            string            `json:"content"`
		Text               *string           `json:"text,omitempty"` // on GoToSocial
		Reblog             *statusEntry      `json:"reblog"`
		Application        *applicationEntry `json:"application"`
		Account            accountEntry      `json:"account"`
		MediaAttachments   []attachmentEntry `json:"media_attachments"`
		Mentions           []mentionEntry    `json:"mentions"`
		Tags               []tagEntry        `json:"tags"`
		Emojis             []struct{}        `json:"emojis"`
		Card               *struct{}         `json:"card"`
		Poll               *pollEntry        `json:"poll"`
		Favourited         bool              `json:"favourited"`
		Reblogged          bool              `json:"reblogged"`
		Muted              bool              `json:"muted"`
		Bookmarked         bool              `json:"bookmarked"`
		Pinned             bool              `json:"pinned"`
	}
	applicationEntry struct {
		Name    string  `json:"name"`
		Website *string `json:"website"`
	}
	attachmentEntry struct {
		ID          string  `json:"id"`
		Type        string  `json:"type"`
		URL         *string `json:"url"` // null while it is processed
		PreviewURL  *string `json:"preview_url"`
		RemoteURL   *string `json:"remote_url"`
		Description *string `json:"description"`
		Blurhash    *string `json:"blurhash"`
	}
	mentionEntry struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		URL      string `json:"url"`
		Acct     string `json:"acct"`
	}
	tagEntry struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	pollEntry struct {
		ID          string            `json:"id"`
		ExpiresAt   string            `json:"expires_at"`
		Expired     bool              `json:"expired"`
		Multiple    bool              `json:"multiple"`
		VotesCount  int               `json:"votes_count"`
		VotersCount int               `json:"voters_count"`
		Options     []pollOptionEntry `json:"options"`
		Emojis      []struct{}        `json:"emojis"`
		Voted       bool              `json:"voted"`
		OwnVotes    []int             `json:"own_votes"`
	}
	pollOptionEntry struct {
		Title      string `json:"title"`
		VotesCount *int   `json:"votes_count"` // null while totals are hidden
	}
	accountEntry struct {
		ID             string     `json:"id"`
		Username       string     `json:"username"`
		Acct           string     `json:"acct"`
		DisplayName    string     `json:"display_name"`
		Locked         bool       `json:"locked"`
		Bot            bool       `json:"bot"`
		Discoverable   bool       `json:"discoverable"`
		Indexable      bool       `json:"indexable"`
		Group          bool       `json:"group"`
		CreatedAt      string     `json:"created_at"`
		Note           string     `json:"note"`
		URL            string     `json:"url"`
		URI            string     `json:"uri"`
		Avatar         string     `json:"avatar"`
		AvatarStatic   string     `json:"avatar_static"`
		Header         string     `json:"header"`
		HeaderStatic   string     `json:"header_static"`
		FollowersCount int        `json:"followers_count"`
		FollowingCount int        `json:"following_count"`
		StatusesCount  int        `json:"statuses_count"`
		LastStatusAt   *string    `json:"last_status_at"`
		Emojis         []struct{} `json:"emojis"`
		Fields         []struct{} `json:"fields"`
	}
	credentialEntry struct {
		accountEntry
		Source sourceEntry `json:"source"`
		Role   roleEntry   `json:"role"`
	}
	sourceEntry struct {
		Privacy             string     `json:"privacy"`
		Sensitive           bool       `json:"sensitive"`
		Language            *string    `json:"language"`
		Note                string     `json:"note"`
		Fields              []struct{} `json:"fields"`
		FollowRequestsCount int        `json:"follow_requests_count"`
		Indexable           bool       `json:"indexable"`
	}
	roleEntry struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Color       string `json:"color"`
		Permissions string `json:"permissions"`
		Highlighted bool   `json:"highlighted"`
	}
)

func (s *simulator) status(v visit, p simulation.Post) statusEntry {
	f, base, found, audience := fieldsOf(p), s.world.BaseURL(), entities(p.Text), s.world.Audience(p)
	entry := statusEntry{
		ID: p.ID, CreatedAt: p.CreatedAt.UTC().Format(timeFormat),
		InReplyToID: optional(p.ReplyTo), Language: optional(f.Language),
		Sensitive: f.Sensitive, SpoilerText: f.SpoilerText, Visibility: f.Visibility,
		URI: base + "/users/" + v.account.Handle + "/statuses/" + p.ID, URL: base + "/@" + v.account.Handle + "/" + p.ID,
		RepliesCount: s.replies(v.account.ID, p.ID) + int(audience.Comments), FavouritesCount: int(audience.Likes),
		ReblogsCount: int(audience.Shares - audience.Shares/4), QuotesCount: int(audience.Shares / 4),
		Content: contentOf(p.Text, found, base), Application: &applicationEntry{Name: "crier"},
		Account:          s.ownAccount(v),
		MediaAttachments: []attachmentEntry{}, Mentions: mentionsOf(found), Tags: tagsOf(found, base),
		Emojis: []struct{}{}, Poll: s.poll(p.ID, f.Poll),
	}
	if p.ReplyTo != "" {
		entry.InReplyToAccountID = &v.account.ID
	}
	if softwareOf(v.r).isGoToSocial() {
		entry.asGoToSocial(p, f, base)
	}
	for _, m := range p.Media {
		entry.MediaAttachments = append(entry.MediaAttachments, s.attachment(m, true))
	}
	return entry
}

// replies counts the answers to a status, all of which are newer.
func (s *simulator) replies(account, id string) int {
	n := 0
	for p := range s.world.Newest(account) {
		if p.ID == id {
			break
		}
		if p.ReplyTo == id {
			n++
		}
	}
	return n
}

func (s *simulator) poll(id string, f *pollFields) *pollEntry {
	if f == nil {
		return nil
	}
	expired := !s.world.Now().Before(f.ExpiresAt)
	entry := &pollEntry{
		ID: id, ExpiresAt: f.ExpiresAt.UTC().Format(timeFormat), Expired: expired, Multiple: f.Multiple,
		Emojis: []struct{}{}, Voted: true, OwnVotes: []int{},
	}
	for _, title := range f.Options {
		option := pollOptionEntry{Title: title}
		if expired || !f.HideTotals {
			option.VotesCount = new(int)
		}
		entry.Options = append(entry.Options, option)
	}
	return entry
}

func (s *simulator) attachment(m simulation.Media, isProcessed bool) attachmentEntry {
	entry := attachmentEntry{ID: m.ID, Type: attachmentType(m.Type), Description: optional(m.AltText)}
	file := s.world.BaseURL() + "/media_attachments/files/" + m.ID
	preview := file + "/small"
	entry.PreviewURL = &preview
	if isProcessed {
		original := file + "/original"
		entry.URL = &original
	}
	return entry
}

func (s *simulator) account(a *simulation.Account) accountEntry {
	base := s.world.BaseURL()
	picture := func(kind string) string { return base + "/" + kind + "/original/missing.png" }
	crowd := s.world.Crowd(a.ID)
	return accountEntry{
		ID: a.ID, Username: a.Handle, Acct: a.Handle, DisplayName: a.Handle,
		CreatedAt: joined, URL: base + "/@" + a.Handle, URI: base + "/users/" + a.Handle,
		Avatar: picture("avatars"), AvatarStatic: picture("avatars"), Header: picture("headers"), HeaderStatic: picture("headers"),
		FollowersCount: int(crowd.Followers), FollowingCount: int(crowd.Following),
		Emojis: []struct{}{}, Fields: []struct{}{},
	}
}

// ownAccount is the caller's, with how much it has published.
func (s *simulator) ownAccount(v visit) accountEntry {
	entry := s.account(v.account)
	entry.StatusesCount = int(s.world.Crowd(v.account.ID).Posts) - v.profile.deletions()
	return entry
}

// asGoToSocial changes a status to what GoToSocial makes of it. To its author it also gives the text as it
// came.
func (e *statusEntry) asGoToSocial(p simulation.Post, f statusFields, base string) {
	e.Content, e.Text = contentAsGoToSocial(p.Text, f.ContentType, base), &p.Text
	e.SpoilerText = optionAsGoToSocial(f.SpoilerText)
	if e.Poll != nil {
		for i := range e.Poll.Options {
			e.Poll.Options[i].Title = optionAsGoToSocial(e.Poll.Options[i].Title)
		}
	}
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (s *simulator) verify(v visit) {
	entry := credentialEntry{
		accountEntry: s.ownAccount(v),
		Source:       sourceEntry{Privacy: defaultVisibility, Fields: []struct{}{}},
		Role:         roleEntry{ID: "-99", Permissions: "65536"}, // everybody's role
	}
	for p := range s.world.Newest(v.account.ID) {
		if !v.profile.isDeleted(p.ID) {
			entry.LastStatusAt = optional(p.CreatedAt.UTC().Format(time.DateOnly))
			break
		}
	}
	answer(v.rw, http.StatusOK, entry)
}

// statusPage is what a status's address shows in a browser.
var statusPage = template.Must(template.New("status").Parse(`<!doctype html>
<meta charset="utf-8"><title>{{.Handle}}</title>
<h1>@{{.Handle}}</h1><p>{{.At}}</p>{{.Content}}
`))

// page shows a public status. A handle holds the account's id.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	account, isHandle := strings.CutPrefix(r.PathValue("handle"), "@user")
	post, ok := s.world.Post(account, r.PathValue("id"))
	if !isHandle || !ok || !isPublic(fieldsOf(post).Visibility) {
		http.NotFound(rw, r)
		return
	}
	if s.world.ShowOnWall(rw, r, post) {
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	statusPage.Execute(rw, map[string]any{
		"Handle": "user" + account, "At": post.CreatedAt.UTC().Format(time.RFC1123),
		"Content": template.HTML(contentOf(post.Text, entities(post.Text), s.world.BaseURL())), // escaped by contentOf
	})
}

func isPublic(visibility string) bool { return visibility == "public" || visibility == "unlisted" }
