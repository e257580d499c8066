package twitter

import (
	"encoding/base32"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// The sizes of a page of posts.
const (
	minPage     = 5
	defaultPage = 10
	maxPage     = 100
)

// timeline is what is asked of an account's posts.
type timeline struct {
	size       int
	start, end time.Time
	below      string // id
	fields     []string
	expansions []string
	exclude    []string
}

// listPosts lists the caller's own posts, the newest first. An account that is not the
// caller's has none: the simulator's accounts do not meet.
func (s *simulator) listPosts(v visit) {
	options, err := timelineOf(v.inPosts(v.r.URL.Query()))
	if err == nil && v.r.PathValue("id") != v.account.ID {
		err = notFound("user", v.r.PathValue("id"))
	}
	if err != nil {
		v.fail(err)
		return
	}
	page, more := []object{}, false
	last := ""
	for post := range s.world.Listed(v.account.ID) {
		if !options.covers(post) {
			continue
		}
		if more = len(page) == options.size; more {
			break
		}
		page, last = append(page, s.entry(v.account, post, options)), post.ID
	}
	out, meta := object{}, object{"result_count": len(page)}
	if len(page) > 0 { // X leaves out what is empty
		out["data"] = page
		meta["newest_id"], meta["oldest_id"] = page[0]["id"], last
	}
	if slices.Contains(options.expansions, "in_reply_to_user_id") && len(page) > 0 {
		out["includes"] = object{"users": []object{user(v.account)}}
	}
	if more {
		meta["next_token"] = pageToken(last)
	}
	out["meta"] = meta
	answer(v.rw, http.StatusOK, v.named(out))
}

func timelineOf(query url.Values) (options timeline, err error) {
	options.size = defaultPage
	for name, values := range query {
		switch value := values[0]; name {
		case "max_results":
			options.size, err = strconv.Atoi(value)
			if err == nil && (options.size < minPage || options.size > maxPage) {
				err = invalidRequest("The `max_results` query parameter value is not between 5 and 100")
			}
		case "start_time":
			options.start, err = time.Parse(time.RFC3339, value)
		case "end_time":
			options.end, err = time.Parse(time.RFC3339, value)
		case "pagination_token":
			options.below, err = idOfToken(value)
		case "post.fields":
			options.fields = strings.Split(value, ",")
		case "expansions":
			options.expansions = strings.Split(value, ",")
		case "exclude":
			options.exclude = strings.Split(value, ",")
		default:
			err = invalidRequest(fmt.Sprintf("The query parameter [%s] is not one of the allowed ones", name))
		}
		if err != nil {
			return options, invalidRequest(err.Error())
		}
	}
	return options, nil
}

func (t timeline) covers(p simulation.Post) bool {
	return (t.start.IsZero() || !p.CreatedAt.Before(t.start)) && (t.end.IsZero() || p.CreatedAt.Before(t.end)) &&
		(t.below == "" || len(p.ID) < len(t.below) || len(p.ID) == len(t.below) && p.ID < t.below) &&
		(p.ReplyTo == "" || !slices.Contains(t.exclude, "replies"))
}

// pageToken is the token of the page that is below an id.
func pageToken(id string) string {
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(id)))
}

func idOfToken(token string) (string, error) {
	id, err := base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(token))
	return string(id), err
}

// entry is a post as the API shows it: its id and text, and what is asked for.
func (s *simulator) entry(a *simulation.Account, p simulation.Post, options timeline) object {
	f := fieldsOf(p)
	text, links := rendered(p.Text, shortener(p.ID), s.appended(a, p))
	out := object{"id": p.ID, "text": text, "edit_history_post_ids": []string{p.ID}}
	if weight(p.Text) > maxWeight {
		if slices.Contains(options.fields, "note_post") {
			out["note_post"] = object{"text": text, "entities": object{"urls": links}}
		}
		out["text"], links = cutOff(text, shortener(p.ID)), nil
	}
	if isSparse := strings.Contains(p.Text, markSparse); isSparse {
		links = withoutAddresses(links)
		options.fields = slices.DeleteFunc(slices.Clone(options.fields), func(field string) bool { return field == "attachments" })
	}
	if slices.Contains(options.fields, "created_at") {
		out["created_at"] = p.CreatedAt.UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
	}
	if slices.Contains(options.fields, "entities") && len(links) > 0 {
		out["entities"] = object{"urls": links}
	}
	if attached := attachments(p, f); slices.Contains(options.fields, "attachments") && len(attached) > 0 {
		out["attachments"] = attached
	}
	var references []object
	if p.ReplyTo != "" {
		references = append(references, object{"type": "replied_to", "id": p.ReplyTo})
		if slices.Contains(options.expansions, "in_reply_to_user_id") {
			out["in_reply_to_user_id"] = a.ID
		}
	}
	if f.Quotes != "" {
		references = append(references, object{"type": "quoted", "id": f.Quotes})
	}
	if len(references) > 0 && slices.Contains(options.expansions, "referenced_posts") {
		out["referenced_posts"] = references
	}
	return out
}

// cutOff is what the API shows of a longer post in the place of others' text.
func cutOff(text string, short func(n int) string) string {
	const left = 270 // characters
	return string([]rune(text)[:left]) + "… " + short(-1)
}

func attachments(p simulation.Post, f postFields) object {
	attached := object{}
	var keys []string
	for _, m := range p.Media {
		keys = append(keys, mediaKey(m.ID, m.Type))
	}
	if len(keys) > 0 {
		attached["media_keys"] = keys
	}
	if f.Poll != nil {
		attached["poll_ids"] = []string{f.Poll.ID}
	}
	return attached
}

// appended are the links that X puts after a text: one for all its media, one for what is
// quoted.
func (s *simulator) appended(a *simulation.Account, p simulation.Post) []link {
	var after []link
	if len(p.Media) > 0 {
		what := "photo"
		if strings.HasPrefix(p.Media[0].Type, "video/") {
			what = "video"
		}
		after = append(after, link{
			ExpandedURL: fmt.Sprintf("https://x.com/%s/status/%s/%s/1", a.Handle, p.ID, what),
			MediaKey:    mediaKey(p.Media[0].ID, p.Media[0].Type),
		})
	}
	if f := fieldsOf(p); f.Quotes != "" {
		after = append(after, link{ExpandedURL: "https://x.com/i/web/status/" + f.Quotes})
	}
	return after
}

// shortener makes the addresses under t.co that a post's links get.
func shortener(id string) func(n int) string {
	return func(n int) string {
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%s/%d", id, n)
		return "https://t.co/" + fmt.Sprintf("%010.10s", strconv.FormatUint(sum.Sum64(), 36))
	}
}

func newID(w *simulation.World) string { return strconv.FormatInt(w.NewID(), 10) }
