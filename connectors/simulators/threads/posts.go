package threads

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

const opPublish = "POST /{user}/threads_publish"

// maxPage is the largest page of a list.
const maxPage = 100

// publish makes a post of a container that is ready.
func (s *simulator) publish(v visit) {
	container, ok := s.world.Upload(v.Param("creation_id"))
	text := requestOf(container.Fields).Text
	if !ok || container.Account != v.Account.ID || graph.IsUnknown(v.Account, text, container.ID) {
		v.Fail(mediaNotFound(v.Param("creation_id")))
		return
	}
	s.publishContainer(v, container)
}

func (s *simulator) publishContainer(v visit, container simulation.Upload) {
	v.Publish(s.world, s.dialect, requestOf(container.Fields).Text, func() (simulation.Post, error) { return s.add(v, container) })
}

func (s *simulator) add(v visit, container simulation.Upload) (simulation.Post, error) {
	v.state.publishing.Lock()
	defer v.state.publishing.Unlock()
	input := requestOf(container.Fields)
	if s.statusOf(container) != graph.Finished || input.IsItem {
		return simulation.Post{}, mediaNotFound(container.ID)
	}
	if posts, replies := s.used(v.Account); !s.unlimited && (input.ReplyTo == "" && posts >= maxPosts || input.ReplyTo != "" && replies >= maxReplies) {
		return simulation.Post{}, usedUp()
	}
	post := simulation.Post{
		Account: v.Account.ID, Key: container.ID, Text: input.Text, ReplyTo: input.ReplyTo, Fields: container.Fields,
		Workspace: s.world.WorkspaceOf(v.R), By: s.world.NameOf(v.R),
	}
	switch input.Kind {
	case "IMAGE", "VIDEO":
		post.Media = []simulation.Media{container.Media()}
	case "CAROUSEL":
		for _, id := range input.Children {
			if item, ok := s.world.Upload(id); ok {
				post.Media = append(post.Media, item.Media())
			}
		}
	}
	added, _, err := s.world.Add(post)
	return added, err
}

// show shows a post or a container of the caller's own.
func (s *simulator) show(v visit) {
	id := v.R.PathValue("id")
	if post, ok := s.world.Readable(v.Account.ID, id); ok && !v.state.isDeleted(id) {
		v.Answer(v.Pick(s.entry(v.Account, post)))
		return
	}
	if container, ok := s.world.Upload(id); ok && container.Account == v.Account.ID {
		s.showContainer(v, container)
		return
	}
	v.Fail(mediaNotFound(id))
}

// delete hides a post. What was published stays in the world, which tests ask what went out.
func (s *simulator) delete(v visit) {
	id := v.R.PathValue("id")
	if _, ok := s.world.Post(v.Account.ID, id); !ok || v.state.isDeleted(id) {
		v.Fail(mediaNotFound(id))
		return
	}
	v.state.delete(id)
	v.Answer(map[string]any{"success": true, "deleted_id": id})
}

// list lists the caller's posts, or its replies, the newest first.
func (s *simulator) list(v visit, replies bool) {
	v.List(s.world, maxPage, func(p simulation.Post) map[string]any {
		if (p.ReplyTo != "") != replies || v.state.isDeleted(p.ID) {
			return nil
		}
		return s.entry(v.Account, p)
	})
}

// entry is a post with every field there is of it.
func (s *simulator) entry(a *simulation.Account, p simulation.Post) map[string]any {
	input := requestOf(p.Fields)
	entry := map[string]any{
		"id": p.ID, "media_product_type": "THREADS", "media_type": mediaType(input.Kind), "username": a.Handle,
		"permalink": s.world.BaseURL() + "/@" + a.Handle + "/post/" + p.ID, "owner": map[string]string{"id": a.ID},
		"text": p.Text, "timestamp": p.CreatedAt.UTC().Format(graph.TimeFormat), "shortcode": p.ID,
		"is_quote_post": input.Quotes != "", "has_replies": s.hasReplies(a, p.ID), "is_reply": p.ReplyTo != "",
	}
	if len(p.Media) == 1 && p.Media[0].AltText != "" {
		entry["alt_text"] = p.Media[0].AltText
	}
	if input.Topic != "" {
		entry["topic_tag"] = input.Topic
	}
	if input.Link != "" {
		entry["link_attachment_url"] = input.Link
	}
	if input.Poll != nil {
		entry["poll_attachment"] = input.Poll
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

// hasReplies reports whether a post is answered: all answers are newer.
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

func (s *simulator) profile(v visit) {
	v.Answer(v.Pick(map[string]any{
		"id": v.Account.ID, "username": v.Account.Handle, "name": v.Account.Handle, "is_verified": false,
		"threads_profile_picture_url": s.world.BaseURL() + "/picture/" + v.Account.ID, "threads_biography": "",
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
