package simulator

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulation"
)

// The sizes of a page of a list, asked for or not.
const (
	maxPage     = 100
	defaultPage = 25
	maxComments = 50
)

// maxComment is how long a comment may be.
const maxComment = 2200

// timeFormat is how the API writes a time.
const timeFormat = "2006-01-02T15:04:05-0700"

// publish makes a media of a container that is ready.
func (s *simulator) publish(v visit) {
	container, ok := s.world.Upload(v.param("creation_id"))
	if !ok || container.Account != v.account.ID {
		v.fail(mediaNotFound())
		return
	}
	s.world.Publish(v.rw, v.r, s.dialect, v.account.ID, requestOf(container.Fields).Caption, func(rw http.ResponseWriter) {
		v.rw = rw
		made, err := s.add(v, container)
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusOK, map[string]string{"id": made.ID})
	})
}

func (s *simulator) add(v visit, container simulation.Upload) (simulation.Post, error) {
	v.kept.publishing.Lock()
	defer v.kept.publishing.Unlock()
	asked := requestOf(container.Fields)
	switch status := s.statusOf(container); {
	case status == statusInProgress:
		return simulation.Post{}, notReady()
	case status != statusFinished || asked.IsItem:
		return simulation.Post{}, mediaNotFound()
	case !s.unlimited && s.used(v.account) >= mostPosts:
		return simulation.Post{}, usedUp()
	}
	post := simulation.Post{
		Account: v.account.ID, Key: container.ID, Text: asked.Caption, Fields: container.Fields, Workspace: s.world.WorkspaceOf(v.r),
	}
	if asked.Kind != kindCarousel {
		post.Media = []simulation.Media{container.Media()}
	}
	for _, id := range asked.Children {
		if item, ok := s.world.Upload(id); ok {
			post.Media = append(post.Media, item.Media())
		}
	}
	made, _, err := s.world.Add(post)
	return made, err
}

// comment comments on a media of the caller's own.
func (s *simulator) comment(v visit) {
	post, ok := s.world.Post(v.account.ID, v.r.PathValue("id"))
	message := v.param("message")
	switch {
	case !ok || post.ReplyTo != "":
		v.fail(notThere(v.r.PathValue("id")))
		return
	case strings.TrimSpace(message) == "" || len(message) > maxComment:
		v.fail(invalid("message"))
		return
	}
	s.world.Publish(v.rw, v.r, s.dialect, v.account.ID, message, func(rw http.ResponseWriter) {
		v.rw = rw
		made, _, err := s.world.Add(simulation.Post{Account: v.account.ID, Text: message, ReplyTo: post.ID, Workspace: s.world.WorkspaceOf(v.r)})
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusOK, map[string]string{"id": made.ID})
	})
}

// show shows a media or a container of the caller's own.
func (s *simulator) show(v visit) {
	id := v.r.PathValue("id")
	if post, ok := s.world.Post(v.account.ID, id); ok && post.ReplyTo == "" {
		answer(v.rw, http.StatusOK, pick(v.param("fields"), s.entry(v.account, post)))
		return
	}
	if container, ok := s.world.Upload(id); ok && container.Account == v.account.ID {
		s.showContainer(v, container)
		return
	}
	v.fail(notThere(id))
}

// storyLife is how long a story is listed.
const storyLife = 24 * time.Hour

// list lists the caller's media but stories, or its stories, the newest first.
func (s *simulator) list(v visit, stories bool) {
	s.listed(v, maxPage, func(p simulation.Post) map[string]any {
		isStory := requestOf(p.Fields).Kind == kindStory
		if p.ReplyTo != "" || isStory != stories || isStory && s.world.Now().Sub(p.CreatedAt) >= storyLife {
			return nil
		}
		return s.entry(v.account, p)
	})
}

// listComments lists the comments on a media of the caller's own, the newest first.
func (s *simulator) listComments(v visit) {
	id := v.r.PathValue("id")
	if post, ok := s.world.Post(v.account.ID, id); !ok || post.ReplyTo != "" {
		v.fail(notThere(id))
		return
	}
	s.listed(v, maxComments, func(p simulation.Post) map[string]any {
		if p.ReplyTo != id {
			return nil
		}
		return map[string]any{
			"id": p.ID, "text": p.Text, "timestamp": p.CreatedAt.UTC().Format(timeFormat), "username": v.account.Handle,
			"from": map[string]string{"id": v.account.ID, "username": v.account.Handle}, "hidden": false, "like_count": 0,
		}
	})
}

// listed answers with a page of what the posts are shown as; nil leaves one out.
func (s *simulator) listed(v visit, most int, show func(simulation.Post) map[string]any) {
	size, err := strconv.Atoi(v.param("limit"))
	if err != nil || size < 1 {
		size = defaultPage
	}
	size = min(size, most)
	data, skipping := []map[string]any{}, v.param("after") != ""
	var first, last string
	for post := range s.world.Newest(v.account.ID) {
		if skipping {
			skipping = post.ID != v.param("after")
			continue
		}
		shown := show(post)
		if shown == nil {
			continue
		}
		if len(data) == size {
			break
		}
		if len(data) == 0 {
			first = post.ID
		}
		last = post.ID
		data = append(data, pick(v.param("fields"), shown))
	}
	page := map[string]any{"data": data}
	if len(data) > 0 {
		page["paging"] = map[string]any{"cursors": map[string]string{"before": first, "after": last}}
	}
	answer(v.rw, http.StatusOK, page)
}

// entry is a media with every field there is of it.
func (s *simulator) entry(a *simulation.Account, p simulation.Post) map[string]any {
	asked := requestOf(p.Fields)
	kind, product := mediaType(asked, p), "FEED"
	switch asked.Kind {
	case kindReel:
		product = "REELS"
	case kindStory:
		product = "STORY"
	}
	entry := map[string]any{
		"id": p.ID, "caption": p.Text, "media_type": kind, "media_product_type": product, "username": a.Handle,
		"permalink": s.world.BaseURL() + "/p/" + a.ID + "/" + p.ID, "owner": map[string]string{"id": a.ID},
		"timestamp": p.CreatedAt.UTC().Format(timeFormat), "shortcode": p.ID, "like_count": 0,
		"comments_count": s.comments(a, p.ID), "is_comment_enabled": true,
	}
	if product == "REELS" {
		entry["is_shared_to_feed"] = asked.ShareToFeed != "false"
	}
	if len(p.Media) == 1 && p.Media[0].AltText != "" {
		entry["alt_text"] = p.Media[0].AltText
	}
	return entry
}

func mediaType(asked request, p simulation.Post) string {
	switch {
	case asked.Kind == kindCarousel:
		return "CAROUSEL_ALBUM"
	case len(p.Media) == 1 && strings.HasPrefix(p.Media[0].Type, "video/"):
		return "VIDEO"
	default:
		return "IMAGE"
	}
}

// comments counts those on a media, all of which are newer.
func (s *simulator) comments(a *simulation.Account, id string) (n int) {
	for p := range s.world.Newest(a.ID) {
		if p.ID == id {
			break
		}
		if p.ReplyTo == id {
			n++
		}
	}
	return n
}

// pick returns the fields that a call asks for; without any it is the id alone.
func pick(fields string, all map[string]any) map[string]any {
	picked := map[string]any{}
	if id, ok := all["id"]; ok {
		picked["id"] = id
	}
	for name := range strings.SplitSeq(fields, ",") {
		name, _, _ = strings.Cut(name, "{")
		if value, ok := all[strings.TrimSpace(name)]; ok {
			picked[strings.TrimSpace(name)] = value
		}
	}
	return picked
}

func (s *simulator) profile(v visit) {
	answer(v.rw, http.StatusOK, pick(v.param("fields"), map[string]any{
		"id": v.account.ID, "user_id": v.account.ID, "username": v.account.Handle, "name": v.account.Handle, "account_type": "BUSINESS",
	}))
}

// mediaPage is what a media's address shows in a browser.
var mediaPage = template.Must(template.New("media").Parse(`<!doctype html>
<meta charset="utf-8"><title>{{.Handle}}</title>
<h1>{{.Handle}}</h1><p>{{.At}}</p><p>{{.Kind}}, {{.Items}} item(s)</p><p style="white-space:pre-wrap">{{.Text}}</p>
`))

// page shows a media.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	account := r.PathValue("account")
	post, ok := s.world.Post(account, r.PathValue("id"))
	if !ok || post.ReplyTo != "" {
		http.NotFound(rw, r)
		return
	}
	if s.world.ShowOnWall(rw, r, post) {
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	mediaPage.Execute(rw, map[string]any{
		"Handle": "user" + account, "At": post.CreatedAt.UTC().Format(time.RFC1123), "Text": post.Text,
		"Kind": requestOf(post.Fields).Kind, "Items": len(post.Media),
	})
}
