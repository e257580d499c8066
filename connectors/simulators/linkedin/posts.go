package linkedin

import (
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const (
	shareURN       = "urn:li:share:"
	maxCommentary  = 3000
	maxRequest     = 1 << 20
	defaultPage    = 10
	maxPage        = 100
	maxMultiImages = 20
)

// post is the body of a new post, and with an id what is shown of one.
type post struct {
	ID             string          `json:"id,omitempty"`
	Author         string          `json:"author"`
	Commentary     string          `json:"commentary"`
	Visibility     string          `json:"visibility"`
	Distribution   json.RawMessage `json:"distribution"`
	Content        *content        `json:"content,omitempty"`
	LifecycleState string          `json:"lifecycleState"`
	NoReshares     bool            `json:"isReshareDisabledByAuthor"`
	CreatedAt      int64           `json:"createdAt,omitempty"`
	PublishedAt    int64           `json:"publishedAt,omitempty"`
	LastModifiedAt int64           `json:"lastModifiedAt,omitempty"`
}

// content is as the connector has it, written again: it is by the documents alone.
type content struct {
	Media      *mediaContent   `json:"media,omitempty"`
	MultiImage *imagesContent  `json:"multiImage,omitempty"`
	Article    *articleContent `json:"article,omitempty"`
	Poll       *pollContent    `json:"poll,omitempty"`
}

type mediaContent struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	AltText string `json:"altText,omitempty"`
}

type imagesContent struct {
	Images []mediaContent `json:"images"`
}

type articleContent struct {
	Source      string `json:"source"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Thumbnail   string `json:"thumbnail,omitempty"`
}

type pollContent struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
	Settings struct {
		Duration string `json:"duration"`
	} `json:"settings"`
}

// createPost publishes a post. The answer has no body: its id is in a header.
func (s *simulator) createPost(v visit) {
	var input post
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input); err != nil {
		v.fail(badInput("INVALID_JSON", "the request body could not be parsed"))
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: input.Author, Text: rendered(input.Commentary)}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.create(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		rw.Header().Set("X-Restli-Id", shareURN+post.ID)
		rw.WriteHeader(http.StatusCreated)
	})
}

func (s *simulator) create(v visit, input post) (simulation.Post, error) {
	if err := s.check(v, input); err != nil {
		return simulation.Post{}, err
	}
	media, err := s.attached(input)
	if err != nil {
		return simulation.Post{}, err
	}
	fields, err := json.Marshal(input)
	if err != nil {
		return simulation.Post{}, err
	}
	post, _, err := s.world.Add(simulation.Post{Account: input.Author, Text: rendered(input.Commentary), Media: media, Fields: fields, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r)})
	return post, err
}

func (s *simulator) check(v visit, input post) error {
	isOneOf := func(value string, of ...string) bool { return slices.Contains(of, value) }
	var distribution struct {
		Feed string `json:"feedDistribution"`
	}
	badDistribution := json.Unmarshal(input.Distribution, &distribution) != nil
	switch {
	case !v.mayActAs(input.Author):
		return denied("posts.CREATE as " + input.Author)
	case input.LifecycleState != "PUBLISHED" && input.LifecycleState != "DRAFT":
		return badInput("INVALID_VALUE_FOR_FIELD", "lifecycleState is not one to create")
	case !isOneOf(input.Visibility, "PUBLIC", "CONNECTIONS", "LOGGED_IN"):
		return badInput("INVALID_VALUE_FOR_FIELD", "visibility is not known")
	case badDistribution || !isOneOf(distribution.Feed, "MAIN_FEED", "NONE"):
		return badInput("MISSING_REQUIRED_FIELD_FOR_SHARE", "distribution/feedDistribution is required")
	case utf8.RuneCountInString(rendered(input.Commentary)) > maxCommentary:
		return badInput("FIELD_LENGTH_TOO_LONG", "commentary is longer than 3000")
	case input.Commentary == "" && input.Content == nil:
		return badInput("MISSING_REQUIRED_FIELD", "commentary is required")
	default:
		return checkContent(input.Content)
	}
}

func checkContent(c *content) error {
	if c == nil {
		return nil
	}
	kinds := 0
	for _, has := range []bool{c.Media != nil, c.MultiImage != nil, c.Article != nil, c.Poll != nil} {
		if has {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return badInput("INVALID_CONTENT", "content is a union of one")
	case c.MultiImage != nil && (len(c.MultiImage.Images) < 2 || len(c.MultiImage.Images) > maxMultiImages):
		return badInput("INVALID_CONTENT", "multiImage takes 2 to 20 images")
	case c.Article != nil && !strings.HasPrefix(c.Article.Source, "http"):
		return badInput("INVALID_CONTENT", "article/source is no url")
	case c.Media != nil && strings.HasPrefix(c.Media.ID, "urn:li:document:") && c.Media.Title == "":
		return badInput("MISSING_FIELD", "media/title is required of a document")
	case c.Poll != nil:
		return checkPoll(c.Poll)
	default:
		return nil
	}
}

func checkPoll(p *pollContent) error {
	tooLong := slices.ContainsFunc(p.Options, func(o struct {
		Text string `json:"text"`
	}) bool {
		return o.Text == "" || utf8.RuneCountInString(o.Text) > 30
	})
	durations := []string{"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"}
	if p.Question == "" || utf8.RuneCountInString(p.Question) > 140 || len(p.Options) < 2 || len(p.Options) > 4 || tooLong ||
		!slices.Contains(durations, p.Settings.Duration) {
		return badInput("INVALID_POLL", "the poll is out of its bounds")
	}
	return nil
}

// attached returns the media of a post, or why it cannot have it.
func (s *simulator) attached(input post) ([]simulation.Media, error) {
	var wanted []mediaContent
	switch c := input.Content; {
	case c == nil:
	case c.Media != nil:
		wanted = []mediaContent{*c.Media}
	case c.MultiImage != nil:
		wanted = c.MultiImage.Images
	case c.Article != nil && c.Article.Thumbnail != "":
		wanted = []mediaContent{{ID: c.Article.Thumbnail}}
	}
	var media []simulation.Media
	for _, w := range wanted {
		stored, fields, ok := s.media(w.ID)
		switch {
		case !ok || fields.Owner != input.Author:
			return nil, badInput("INVALID_URN_ID", w.ID+" is not an asset of the author")
		case input.Content.MultiImage != nil && fields.Kind != "image":
			return nil, badInput("INVALID_CONTENT", w.ID+" is no image")
		case !fields.Done:
			return nil, badInput("MEDIA_ASSET_WAITING_UPLOAD", w.ID+" is not uploaded")
		case fields.Failed != "":
			return nil, badInput("MEDIA_ASSET_PROCESSING_FAILED", w.ID+" could not be processed")
		}
		item := stored.Media()
		item.ID, item.AltText = w.ID, w.AltText
		media = append(media, item)
	}
	return media, nil
}

// shownPost returns what LinkedIn shows of a post.
func shownPost(p simulation.Post) post {
	var known post
	if json.Unmarshal(p.Fields, &known) != nil {
		known = post{Author: p.Account, Commentary: p.Text}
	}
	at := p.CreatedAt.UnixMilli()
	known.ID, known.CreatedAt, known.PublishedAt, known.LastModifiedAt = shareURN+p.ID, at, at, at
	return known
}

// listPosts lists what an organization has published. A member's posts need r_member_social,
// which nobody is given.
func (s *simulator) listPosts(v visit) {
	query := v.r.URL.Query()
	author := query.Get("author")
	switch {
	case query.Get("q") != "author":
		v.fail(badInput("PARAM_INVALID", "q is not a finder of posts"))
		return
	case !strings.HasPrefix(author, organizationURN) || !v.mayActAs(author):
		v.fail(denied("partnerApiPostsExternal.FINDER-author"))
		return
	}
	var all []post
	for p := range s.world.Newest(author) {
		if p.ReplyTo == "" && !profileOf(v.account).isDeleted(shareURN+p.ID) {
			all = append(all, shownPost(p))
		}
	}
	v.list(all)
}

// list answers with the part of a list that was asked for.
func (v visit) list(all any) {
	encoded, err := json.Marshal(all)
	var items []json.RawMessage
	if err != nil || json.Unmarshal(encoded, &items) != nil {
		v.fail(err)
		return
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(v.r.URL.Query().Get(name)); err == nil && n >= 0 {
			return n
		}
		return otherwise
	}
	start := min(number("start", 0), len(items))
	count := min(number("count", defaultPage), maxPage)
	answer(v.rw, http.StatusOK, map[string]any{
		"paging":   map[string]any{"start": start, "count": count, "links": []any{}, "total": len(items)},
		"elements": append([]json.RawMessage{}, items[start:min(start+count, len(items))]...),
	})
}

// find returns a post by its URN, whoever wrote it.
func (s *simulator) find(v visit, urn string) (simulation.Post, error) {
	id := strings.TrimPrefix(urn, shareURN)
	for _, author := range append(organizationsOf(v.account), v.person()) {
		if p, ok := s.world.Post(author, id); ok && p.ReplyTo == "" && !profileOf(v.account).isDeleted(urn) {
			return p, nil
		}
	}
	return simulation.Post{}, notFound(urn + " is not found")
}

func (s *simulator) showPost(v visit) {
	p, err := s.find(v, v.r.PathValue("urn"))
	switch {
	case err != nil:
		v.fail(err)
	case strings.HasPrefix(p.Account, personURN):
		v.fail(denied("partnerApiPostsExternal.GET"))
	default:
		answer(v.rw, http.StatusOK, shownPost(p))
	}
}

// deletePost hides a post; once more is as good. What was published stays in the world, which
// tests ask what went out.
func (s *simulator) deletePost(v visit) {
	profile := profileOf(v.account)
	profile.mu.Lock()
	defer profile.mu.Unlock()
	profile.deleted[v.r.PathValue("urn")] = true
	v.rw.WriteHeader(http.StatusNoContent)
}

func (p *profile) isDeleted(urn string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deleted[urn]
}

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>LinkedIn, simulated</title><article><p>{{.Author}}, {{.At}}</p><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a post to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.PathValue("urn"), shareURN)
	for p := range s.world.All() {
		if p.ID == id {
			if s.world.ShowOnWall(rw, r, p) {
				return
			}
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			page.Execute(rw, map[string]string{"Author": p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Text": p.Text})
			return
		}
	}
	http.NotFound(rw, r)
}
