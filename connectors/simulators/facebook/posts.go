package facebook

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

const (
	maxMessage  = 63206
	maxAttached = 10
	defaultPage = 25
	maxPage     = 100
	timeFormat  = "2006-01-02T15:04:05-0700"
)

// The kinds of what a page has published.
const (
	aPost    = "post"
	aVideo   = "video"
	aReel    = "reel"
	aStory   = "story"
	aComment = "comment"
)

// postFields is what a post has beside what every post has.
type postFields struct {
	Kind  string `json:"kind"`
	Link  string `json:"link,omitempty"`
	Title string `json:"title,omitempty"`
	Place string `json:"place,omitempty"`
}

func fieldsOf(p simulation.Post) postFields {
	var f postFields
	if json.Unmarshal(p.Fields, &f) != nil {
		return postFields{Kind: aPost}
	}
	return f
}

func (s *simulator) add(v visit, p simulation.Post, fields postFields) (simulation.Post, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return simulation.Post{}, err
	}
	p.Account, p.Fields, p.Workspace, p.By = v.account.ID, encoded, s.world.WorkspaceOf(v.r), s.world.NameOf(v.r)
	post, _, err := s.world.Add(p)
	return post, err
}

// nodeOf is what the API calls a post of a page.
func nodeOf(p simulation.Post) string { return p.Account + "_" + p.ID }

// createPost publishes in the page's feed.
func (s *simulator) createPost(v visit) {
	message := v.text("message")
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID, Text: message}, func(rw http.ResponseWriter) {
		v.rw = rw
		media, err := s.attached(v)
		switch {
		case err != nil:
		case v.text("scheduled_publish_time") != "" || v.fields["published"] == false:
			err = graph.Bad(100, 0, "(#100) The simulated page publishes at once")
		case utf8.RuneCountInString(message) > maxMessage:
			err = graph.Bad(100, 0, "(#100) Param message must be no longer than 63206 characters")
		case message == "" && v.text("link") == "" && len(media) == 0:
			err = graph.Bad(100, 0, "(#100) Missing message or attachment")
		case v.text("link") != "" && len(media) > 0:
			err = graph.Bad(100, 0, "(#100) Param link cannot stand beside attached_media")
		}
		var post simulation.Post
		if err == nil {
			post, err = s.add(v, simulation.Post{Text: message, Media: media}, postFields{Kind: aPost, Link: v.text("link"), Place: v.text("place")})
		}
		if err != nil {
			v.fail(err)
			return
		}
		graph.Answer(rw, http.StatusOK, map[string]string{"id": nodeOf(post)})
	})
}

// attached returns the photos that a post attaches.
func (s *simulator) attached(v visit) ([]simulation.Media, error) {
	items, _ := v.fields["attached_media"].([]any)
	if len(items) > maxAttached {
		return nil, graph.Bad(100, 0, "(#100) Too many attached_media")
	}
	var media []simulation.Media
	for _, item := range items {
		fields, _ := item.(map[string]any)
		id, _ := fields["media_fbid"].(string)
		photo, err := s.takePhoto(v, id)
		if err != nil {
			return nil, err
		}
		media = append(media, photo)
	}
	return media, nil
}

func (s *simulator) listPosts(v visit) {
	var posts []map[string]any
	for p := range s.world.Listed(v.account.ID) {
		fields := fieldsOf(p)
		if fields.Kind == aComment || fields.Kind == aStory {
			continue
		}
		posts = append(posts, map[string]any{
			"id": nodeOf(p), "message": p.Text, "created_time": p.CreatedAt.Format(timeFormat), "attachments": attachmentsOf(p, fields),
		})
	}
	s.list(v, posts)
}

// attachmentsOf shows the media of a post: several photos are an album, each by itself below.
func attachmentsOf(p simulation.Post, fields postFields) map[string]any {
	kind := "photo"
	if fields.Kind != aPost {
		kind = "video"
	}
	reference := func(id string) map[string]any {
		return map[string]any{"media_type": kind, "target": map[string]string{"id": id}}
	}
	switch {
	case fields.Link != "":
		return map[string]any{"data": []any{map[string]any{"media_type": "link", "target": map[string]string{"url": fields.Link}}}}
	case len(p.Media) == 0:
		return nil
	case len(p.Media) == 1:
		return map[string]any{"data": []any{reference(p.Media[0].ID)}}
	default:
		var inner []any
		for _, m := range p.Media {
			inner = append(inner, reference(m.ID))
		}
		return map[string]any{"data": []any{map[string]any{
			"media_type": "album", "target": map[string]string{"id": p.ID}, "subattachments": map[string]any{"data": inner},
		}}}
	}
}

// list answers with the part of a list that was asked for: the cursor is how many were before.
// Only the fields that were asked for are shown.
func (s *simulator) list(v visit, all []map[string]any) {
	query := v.r.URL.Query()
	start, _ := strconv.Atoi(query.Get("after"))
	start = max(0, min(start, len(all)))
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 {
		limit = defaultPage
	}
	end := min(start+min(limit, maxPage), len(all))
	fields := splitFields(query.Get("fields"))
	part := []map[string]any{}
	for _, item := range all[start:end] {
		object := map[string]any{"id": item["id"]}
		for name, value := range item {
			if slices.Contains(fields, name) && value != nil {
				object[name] = value
			}
		}
		part = append(part, object)
	}
	paging := map[string]any{"cursors": map[string]string{"before": strconv.Itoa(start), "after": strconv.Itoa(end)}}
	if end < len(all) {
		query.Set("after", strconv.Itoa(end))
		paging["next"] = s.address(v.r, query)
	}
	graph.Answer(v.rw, http.StatusOK, map[string]any{"data": part, "paging": paging})
}

// splitFields returns the names of a field expansion, without what stands in braces.
func splitFields(fields string) []string {
	var names []string
	depth, name := 0, strings.Builder{}
	for _, r := range fields + "," {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case depth > 0:
		case r == ',':
			names = append(names, name.String())
			name.Reset()
		default:
			name.WriteRune(r)
		}
	}
	return names
}

// post returns a post, or the video of one, by the name of its node.
func (s *simulator) post(v visit, node string) (simulation.Post, error) {
	if p, ok := s.world.Readable(v.account.ID, strings.TrimPrefix(node, v.account.ID+"_")); ok && fieldsOf(p).Kind != aComment {
		return p, nil
	}
	return simulation.Post{}, graph.NotFound(node)
}

func (s *simulator) createComment(v visit) {
	message := v.text("message")
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID, Text: message}, func(rw http.ResponseWriter) {
		v.rw = rw
		parent, err := s.commentable(v, v.r.PathValue("node"))
		switch {
		case err != nil:
		case fieldsOf(parent).Kind == aStory:
			err = graph.Bad(100, 0, "(#100) A story takes no comments")
		case message == "":
			err = graph.Bad(100, 0, "(#100) Missing message or attachment")
		}
		var post simulation.Post
		if err == nil {
			id := parent.ID + "_" + strconv.FormatInt(s.world.NewID(), 10)
			post, err = s.add(v, simulation.Post{ID: id, Text: message, ReplyTo: parent.ID}, postFields{Kind: aComment})
		}
		if err != nil {
			v.fail(err)
			return
		}
		graph.Answer(rw, http.StatusOK, map[string]string{"id": post.ID})
	})
}

func (s *simulator) listComments(v visit) {
	parent, err := s.commentable(v, v.r.PathValue("node"))
	if err != nil {
		v.fail(err)
		return
	}
	comments := s.commentsOn(v, parent)
	if v.r.URL.Query().Get("order") != "reverse_chronological" {
		slices.Reverse(comments)
	}
	s.list(v, comments)
}

func formOf(values url.Values) map[string]any {
	fields := map[string]any{}
	for name := range values {
		fields[name] = values.Get(name)
	}
	return fields
}
