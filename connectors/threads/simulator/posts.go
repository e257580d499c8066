package simulator

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulation"
)

const opPublish = "POST /{user}/threads_publish"

// The sizes of a page of a list, asked for or not.
const (
	maxPage     = 100
	defaultPage = 25
)

// timeFormat is how the API writes a time.
const timeFormat = "2006-01-02T15:04:05-0700"

// publish makes a post of a container that is ready.
func (s *simulator) publish(v visit) {
	container, ok := s.world.Upload(v.param("creation_id"))
	if !ok || container.Account != v.account.ID {
		v.fail(mediaNotFound(v.param("creation_id")))
		return
	}
	s.publishContainer(v, container)
}

func (s *simulator) publishContainer(v visit, container simulation.Upload) {
	text := requestOf(container.Fields).Text
	s.world.Publish(v.rw, v.r, s.dialect, v.account.ID, text, func(rw http.ResponseWriter) {
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
	if s.statusOf(container) != statusFinished || asked.IsItem {
		return simulation.Post{}, mediaNotFound(container.ID)
	}
	if posts, replies := s.used(v.account); !s.unlimited && (asked.ReplyTo == "" && posts >= mostPosts || asked.ReplyTo != "" && replies >= mostReplies) {
		return simulation.Post{}, usedUp()
	}
	post := simulation.Post{
		Account: v.account.ID, Key: container.ID, Text: asked.Text, ReplyTo: asked.ReplyTo, Fields: container.Fields,
		Workspace: s.world.WorkspaceOf(v.r),
	}
	switch asked.Kind {
	case "IMAGE", "VIDEO":
		post.Media = []simulation.Media{container.Media()}
	case "CAROUSEL":
		for _, id := range asked.Children {
			if item, ok := s.world.Upload(id); ok {
				post.Media = append(post.Media, item.Media())
			}
		}
	}
	made, _, err := s.world.Add(post)
	return made, err
}

// show shows a post or a container of the caller's own.
func (s *simulator) show(v visit) {
	id := v.r.PathValue("id")
	if post, ok := s.world.Post(v.account.ID, id); ok && !v.kept.isDeleted(id) {
		answer(v.rw, http.StatusOK, pick(v.param("fields"), s.entry(v.account, post)))
		return
	}
	if container, ok := s.world.Upload(id); ok && container.Account == v.account.ID {
		s.showContainer(v, container)
		return
	}
	v.fail(mediaNotFound(id))
}

// delete hides a post. What was published stays in the world, which tests ask what went out.
func (s *simulator) delete(v visit) {
	id := v.r.PathValue("id")
	if _, ok := s.world.Post(v.account.ID, id); !ok || v.kept.isDeleted(id) {
		v.fail(mediaNotFound(id))
		return
	}
	v.kept.delete(id)
	answer(v.rw, http.StatusOK, map[string]any{"success": true, "deleted_id": id})
}

// list lists the caller's posts, or its replies, the newest first.
func (s *simulator) list(v visit, replies bool) {
	size, err := strconv.Atoi(v.param("limit"))
	if err != nil || size < 1 {
		size = defaultPage
	}
	size = min(size, maxPage)
	data, skipping := []map[string]any{}, v.param("after") != ""
	var first, last string
	for post := range s.world.Newest(v.account.ID) {
		if skipping {
			skipping = post.ID != v.param("after")
			continue
		}
		if (post.ReplyTo != "") != replies || v.kept.isDeleted(post.ID) {
			continue
		}
		if len(data) == size {
			break
		}
		if len(data) == 0 {
			first = post.ID
		}
		last = post.ID
		data = append(data, pick(v.param("fields"), s.entry(v.account, post)))
	}
	page := map[string]any{"data": data}
	if len(data) > 0 {
		page["paging"] = map[string]any{"cursors": map[string]string{"before": first, "after": last}}
	}
	answer(v.rw, http.StatusOK, page)
}

// entry is a post with every field there is of it.
func (s *simulator) entry(a *simulation.Account, p simulation.Post) map[string]any {
	asked := requestOf(p.Fields)
	entry := map[string]any{
		"id": p.ID, "media_product_type": "THREADS", "media_type": mediaType(asked.Kind), "username": a.Handle,
		"permalink": s.world.BaseURL() + "/@" + a.Handle + "/post/" + p.ID, "owner": map[string]string{"id": a.ID},
		"text": p.Text, "timestamp": p.CreatedAt.UTC().Format(timeFormat), "shortcode": p.ID,
		"is_quote_post": asked.Quotes != "", "has_replies": s.hasReplies(a, p.ID), "is_reply": p.ReplyTo != "",
	}
	if len(p.Media) == 1 && p.Media[0].AltText != "" {
		entry["alt_text"] = p.Media[0].AltText
	}
	if asked.Topic != "" {
		entry["topic_tag"] = asked.Topic
	}
	if asked.Link != "" {
		entry["link_attachment_url"] = asked.Link
	}
	if asked.Poll != nil {
		entry["poll_attachment"] = asked.Poll
	}
	if p.ReplyTo != "" {
		entry["replied_to"], entry["root_post"] = map[string]string{"id": p.ReplyTo}, map[string]string{"id": s.root(a, p)}
		entry["is_reply_owned_by_me"] = true
	}
	return entry
}

// mediaType is what a post's kind is called once it is published.
func mediaType(kind string) string {
	switch kind {
	case "TEXT":
		return "TEXT_POST"
	case "CAROUSEL":
		return "CAROUSEL_ALBUM"
	default:
		return kind
	}
}

// hasReplies tells whether a post is answered: all answers are newer.
func (s *simulator) hasReplies(a *simulation.Account, id string) bool {
	for p := range s.world.Newest(a.ID) {
		if p.ID == id {
			return false
		}
		if p.ReplyTo == id {
			return true
		}
	}
	return false
}

// root returns the post that a thread hangs on.
func (s *simulator) root(a *simulation.Account, p simulation.Post) string {
	for p.ReplyTo != "" {
		parent, ok := s.world.Post(a.ID, p.ReplyTo)
		if !ok {
			break
		}
		p = parent
	}
	return p.ID
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
		"id": v.account.ID, "username": v.account.Handle, "name": v.account.Handle, "is_verified": false,
		"threads_profile_picture_url": s.world.BaseURL() + "/picture/" + v.account.ID, "threads_biography": "",
	}))
}

// postPage is what a post's address shows in a browser.
var postPage = template.Must(template.New("post").Parse(`<!doctype html>
<meta charset="utf-8"><title>{{.Handle}}</title>
<h1>@{{.Handle}}</h1><p>{{.At}}</p><p style="white-space:pre-wrap">{{.Text}}</p>
`))

// page shows a post. A handle holds the account's id.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	account, isHandle := strings.CutPrefix(r.PathValue("handle"), "@user")
	post, ok := s.world.Post(account, r.PathValue("id"))
	if !isHandle || !ok {
		http.NotFound(rw, r)
		return
	}
	if s.world.ShowOnWall(rw, r, post) {
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	postPage.Execute(rw, map[string]any{"Handle": "user" + account, "At": post.CreatedAt.UTC().Format(time.RFC1123), "Text": post.Text})
}
