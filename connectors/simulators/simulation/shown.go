package simulation

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"
	"time"

	"crier/schema"
)

// View is a post as its platform shows it to people, besides its media and its time.
type View struct {
	By         string // who it is by, as people see it
	NativeID   string // what the platform's API calls it; empty: as it is stored
	Kind       string // such as story; empty: a post as most are
	Title      string
	Spoiler    string // in front of what is hidden until somebody asks for it
	Sensitive  bool   // its media are hidden likewise
	Text       string
	Link       *Link
	Poll       *Poll
	Quotes     string   // the id or the address of a post that it shows within itself
	Visibility string   // in the platform's words; empty: everybody
	Labels     []string // what else stands beside it
}

// Link is a page that a post shows a preview of.
type Link struct{ URL, Title, Description string }

// Poll is a question with options.
type Poll struct {
	Question string
	Options  []string
	Multiple bool
	EndsAt   time.Time
}

// View returns a post as its platform shows it.
func (w *World) View(p Post) View {
	if w.show == nil {
		return View{By: p.Account, Text: p.Text, NativeID: p.ID}
	}
	view := w.show(p)
	view.By = cmp.Or(p.By, view.By)
	if view.NativeID == "" {
		view.NativeID = p.ID
	}
	return view
}

// WorkspaceOf returns for whom a call is made; zero where it does not say so.
func (w *World) WorkspaceOf(r *http.Request) schema.WorkspaceID {
	if w.workspace == nil {
		return schema.WorkspaceID{}
	}
	return w.workspace(r)
}

// NameOf returns what the account is called that makes a call; empty where it does not say so.
func (w *World) NameOf(r *http.Request) string {
	if w.name == nil {
		return ""
	}
	return w.name(r)
}

// ShowOnWall sends a browser to where a post is shown with all others. It is false where there
// is no such place for everybody.
func (w *World) ShowOnWall(rw http.ResponseWriter, r *http.Request, p Post) bool {
	if w.wall == nil {
		return false
	}
	http.Redirect(rw, r, w.wall(p), http.StatusSeeOther)
	return true
}

// published are the posts of workspaces.
type published struct {
	of   map[schema.WorkspaceID][]*Post // in order of creation
	byID map[place]*Post
	// replies are by the account and what they say they answer.
	replies map[name][]*Post
	// answers are by the account and the number that what they say they answer ends with: that of what a person said.
	answers map[name][]*Post
}

type place struct {
	workspace schema.WorkspaceID
	id        string
}

func newPublished() published {
	return published{of: map[schema.WorkspaceID][]*Post{}, byID: map[place]*Post{}, replies: map[name][]*Post{}, answers: map[name][]*Post{}}
}

func (o *published) insert(p *Post) {
	all := o.of[p.Workspace]
	p.Place = len(all)
	o.of[p.Workspace] = append(all, p)
	o.byID[place{p.Workspace, p.ID}] = p
	if p.ReplyTo != "" {
		answers := name{p.Account, p.ReplyTo}
		o.replies[answers] = append(o.replies[answers], p)
		if number := numberOf(p.ReplyTo); number != "" {
			spoken := name{p.Account, number}
			o.answers[spoken] = append(o.answers[spoken], p)
		}
	}
}

var lastNumber = regexp.MustCompile(`\d+\)?$`)

// numberOf returns the number that a platform's id of something ends with, such as that of a comment in
// urn:li:comment:(urn:li:activity:1,2); empty where it ends with none.
func numberOf(id string) string { return strings.TrimSuffix(lastNumber.FindString(id), ")") }

// Published returns the newest posts of a workspace whose Place is below another, the newest
// first, at most n.
func (w *World) Published(workspace schema.WorkspaceID, below, n int) []Post {
	w.mu.RLock()
	defer w.mu.RUnlock()
	all := w.published.of[workspace]
	below = min(max(below, 0), len(all))
	var posts []Post
	for at := below - 1; at >= max(0, below-n); at-- {
		posts = append(posts, *all[at])
	}
	return posts
}

// CountPublished returns how many posts a workspace has.
func (w *World) CountPublished(workspace schema.WorkspaceID) int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.published.of[workspace])
}

// PublishedAt returns the post of a workspace that has a Place.
func (w *World) PublishedAt(workspace schema.WorkspaceID, at int) (Post, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	all := w.published.of[workspace]
	if at < 0 || at >= len(all) {
		return Post{}, false
	}
	return *all[at], true
}

// PublishedAs returns the post of a workspace by what the platform's API calls it: the id that
// the simulator keeps it under, or one with something in front, such as urn:li:share:, the page's
// id and _, or v_pub_file~v2-1 and a dot.
func (w *World) PublishedAs(workspace schema.WorkspaceID, native string) (Post, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	_, afterPage, _ := strings.Cut(native, "_")
	for _, id := range []string{native, native[strings.LastIndexByte(native, ':')+1:], afterPage, native[strings.LastIndexByte(native, '.')+1:]} {
		if p, ok := w.published.byID[place{workspace, id}]; ok {
			return *p, true
		}
	}
	return Post{}, false
}

// Answered returns the post that another answers.
func (w *World) Answered(p Post) (Post, bool) {
	if p.ReplyTo == "" {
		return Post{}, false
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, id := range []string{p.ReplyTo, p.ReplyTo[strings.LastIndexByte(p.ReplyTo, ':')+1:]} {
		if parent, ok := w.byID[name{p.Account, id}]; ok && parent.Workspace == p.Workspace {
			return *parent, true
		}
	}
	return Post{}, false
}

// Replies returns the answers to a post, the oldest first, at most n.
func (w *World) Replies(p Post, n int) []Post {
	ids := []string{p.ID}
	if native := w.View(p).NativeID; native != p.ID {
		ids = append(ids, native)
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	var found []Post
	for _, id := range ids {
		found = appendOf(found, w.published.replies[name{p.Account, id}], p.Workspace, n)
	}
	return found
}

// appendOf appends those of posts that are a workspace's, until there are n.
func appendOf(found []Post, posts []*Post, workspace schema.WorkspaceID, n int) []Post {
	for _, post := range posts {
		if len(found) >= n {
			break
		}
		if post.Workspace == workspace {
			found = append(found, *post)
		}
	}
	return found
}

// AnswersTo returns a workspace's answers to what a person said, the oldest first, at most n.
func (w *World) AnswersTo(s Remark, workspace schema.WorkspaceID, n int) []Post {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return appendOf(nil, w.published.answers[name{s.Account, s.ID}], workspace, n)
}

// Commented returns the post under which a person said what another post answers.
func (w *World) Commented(p Post) (Post, bool) {
	number := numberOf(p.ReplyTo)
	if number == "" {
		return Post{}, false
	}
	remark, ok := w.Remark(p.Account, number)
	if !ok || remark.Under == "" {
		return Post{}, false
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	under, ok := w.byID[name{p.Account, remark.Under}]
	if !ok || under.Workspace != p.Workspace {
		return Post{}, false
	}
	return *under, true
}
