package instagram

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// The sizes of a page of a list, asked for or not.
const (
	maxPage     = 100
	maxComments = 50
)

// maxComment is how long a comment may be.
const maxComment = 2200

// publish makes a media of a container that is ready.
func (s *simulator) publish(v visit) {
	container, ok := s.world.Upload(v.Param("creation_id"))
	text := requestOf(container.Fields).Caption
	if !ok || container.Account != v.Account.ID || graph.IsUnknown(v.Account, text, container.ID) {
		v.Fail(mediaNotFound())
		return
	}
	v.Publish(s.world, s.dialect, text, func() (simulation.Post, error) { return s.add(v, container) })
}

func (s *simulator) add(v visit, container simulation.Upload) (simulation.Post, error) {
	v.state.publishing.Lock()
	defer v.state.publishing.Unlock()
	input := requestOf(container.Fields)
	switch status := s.statusOf(container); {
	case status == graph.InProgress:
		return simulation.Post{}, notReady()
	case status != graph.Finished || input.IsItem:
		return simulation.Post{}, mediaNotFound()
	case !s.unlimited && s.used(v.Account) >= maxPosts:
		return simulation.Post{}, usedUp()
	}
	post := simulation.Post{
		Account: v.Account.ID, Key: container.ID, Text: input.Caption, Fields: container.Fields, Workspace: s.world.WorkspaceOf(v.R), By: s.world.NameOf(v.R),
	}
	if input.Kind != kindCarousel {
		post.Media = []simulation.Media{container.Media()}
	}
	for _, id := range input.Children {
		if item, ok := s.world.Upload(id); ok {
			post.Media = append(post.Media, item.Media())
		}
	}
	added, _, err := s.world.Add(post)
	return added, err
}

// comment comments on a media of the caller's own.
func (s *simulator) comment(v visit) {
	post, ok := s.world.Post(v.Account.ID, v.R.PathValue("id"))
	message := v.Param("message")
	switch {
	case !ok || post.ReplyTo != "":
		v.Fail(graph.NotFound(v.R.PathValue("id")))
		return
	case strings.TrimSpace(message) == "" || len(message) > maxComment:
		v.Fail(graph.Invalid("message"))
		return
	}
	s.say(v, message, post.ID)
}

// say publishes a comment.
func (s *simulator) say(v visit, message, replyTo string) {
	v.Publish(s.world, s.dialect, message, func() (simulation.Post, error) {
		comment, _, err := s.world.Add(simulation.Post{Account: v.Account.ID, Text: message, ReplyTo: replyTo, Workspace: s.world.WorkspaceOf(v.R), By: s.world.NameOf(v.R)})
		return comment, err
	})
}

// show shows a media or a container of the caller's own.
func (s *simulator) show(v visit) {
	id := v.R.PathValue("id")
	if post, ok := s.world.Readable(v.Account.ID, id); ok && post.ReplyTo == "" {
		v.Answer(v.Pick(s.entry(v.Account, post)))
		return
	}
	if container, ok := s.world.Upload(id); ok && container.Account == v.Account.ID {
		s.showContainer(v, container)
		return
	}
	v.Fail(graph.NotFound(id))
}

// storyLife is how long a story is listed.
const storyLife = 24 * time.Hour

// list lists the caller's media but stories, or its stories, the newest first.
func (s *simulator) list(v visit, stories bool) {
	v.List(s.world, maxPage, func(p simulation.Post) map[string]any {
		isStory := requestOf(p.Fields).Kind == kindStory
		if p.ReplyTo != "" || isStory != stories || isStory && s.world.Now().Sub(p.CreatedAt) >= storyLife {
			return nil
		}
		return s.entry(v.Account, p)
	})
}

// listComments lists the comments on a media of the caller's own, the newest first.
func (s *simulator) listComments(v visit) {
	id := v.R.PathValue("id")
	if post, ok := s.world.Post(v.Account.ID, id); !ok || post.ReplyTo != "" {
		v.Fail(graph.NotFound(id))
		return
	}
	s.listAnswers(v, s.answers(v, id))
}

// entry is a media with every field there is of it.
func (s *simulator) entry(a *simulation.Account, p simulation.Post) map[string]any {
	input := requestOf(p.Fields)
	kind, product := mediaType(input, p), "FEED"
	switch input.Kind {
	case kindReel:
		product = "REELS"
	case kindStory:
		product = "STORY"
	}
	entry := map[string]any{
		"id": p.ID, "caption": p.Text, "media_type": kind, "media_product_type": product, "username": a.Handle,
		"permalink": s.world.BaseURL() + "/p/" + a.ID + "/" + p.ID, "owner": map[string]string{"id": a.ID},
		"timestamp": p.CreatedAt.UTC().Format(graph.TimeFormat), "shortcode": p.ID, "like_count": 0,
		"comments_count": s.comments(a, p.ID), "is_comment_enabled": true,
	}
	if product == "REELS" {
		entry["is_shared_to_feed"] = input.ShareToFeed != "false"
	}
	if len(p.Media) == 1 && p.Media[0].AltText != "" {
		entry["alt_text"] = p.Media[0].AltText
	}
	return entry
}

func mediaType(input request, p simulation.Post) string {
	switch {
	case input.Kind == kindCarousel:
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

func (s *simulator) profile(v visit) {
	crowd := s.world.Crowd(v.Account.ID)
	v.Answer(v.Pick(map[string]any{
		"id": v.Account.ID, "user_id": v.Account.ID, "username": v.Account.Handle, "name": v.Account.Handle, "account_type": "BUSINESS",
		"followers_count": crowd.Followers, "follows_count": crowd.Following, "media_count": crowd.Posts,
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
