package wall

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// The bounds of a page.
const (
	pagePosts    = 200 // the newest whose threads are shown
	pageArticles = 600 // of these threads together
	threadDepth  = 50  // answers that are followed up to where a thread begins
)

//go:embed page.html
var pageSource string

//go:embed style.css
var style string

// policy lets a page have its own style, and media of its own host, and nothing else.
var policy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'sha256-" + hash(style) +
	"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(style) }, // crier's own
}).Parse(pageSource))

// pageData is what a page is made of.
type pageData struct {
	Title     string
	Platforms []platformLink
	Current   string // a platform; empty: the index
	Threads   []*article
	One       bool   // only the thread of one post
	Older     string // the next page; empty: there is none
	Posts     int
}

type platformLink struct {
	Name, Label string
	Posts       int
	Newest      string // when; empty: never
}

// article is one post as the page shows it.
type article struct {
	simulation.Shown
	Anchor  string
	Initial string
	Self    string // the page of its thread
	Pieces  []piece
	Media   []item
	At      time.Time
	Marked  bool
	Orphan  bool // it answers what is not there
	Replies []*article
}

// piece is a part of a text: an address or what stands between two.
type piece struct{ Text, Address string }

// item is a media item of a post.
type item struct {
	Kind    string // image, video or file
	Type    string
	Size    string
	AltText string
	Address string // empty: it is not kept
}

func (w *wall) links(v visit) []platformLink {
	var all []platformLink
	for _, world := range w.worlds {
		link := platformLink{Name: world.Platform().String(), Label: world.Label(), Posts: world.CountPublished(v.workspace)}
		if newest := world.Published(v.workspace, link.Posts, 1); len(newest) > 0 {
			link.Newest = newest[0].CreatedAt.UTC().Format(shownTime)
		}
		all = append(all, link)
	}
	return all
}

const shownTime = "2 January 2006, 15:04 UTC"

func (w *wall) index(v visit) {
	show(v, pageData{Title: "Sandbox", Platforms: w.links(v)})
}

// platform shows the newest posts of a platform, or with ?post= the thread of one.
func (w *wall) platform(v visit) {
	world := w.world(v.r.PathValue("platform"))
	if world == nil {
		notFound(v.rw, v.r)
		return
	}
	data := pageData{
		Title: world.Label(), Platforms: w.links(v), Current: world.Platform().String(), Posts: world.CountPublished(v.workspace),
	}
	query := v.r.URL.Query()
	if !query.Has("post") {
		below, err := strconv.Atoi(query.Get("below"))
		if err != nil {
			below = data.Posts
		}
		posts := world.Published(v.workspace, below, pagePosts)
		data.Threads = threadsOf(world, posts)
		if len(posts) == pagePosts && posts[len(posts)-1].Place > 0 {
			data.Older = fmt.Sprintf("?below=%d", posts[len(posts)-1].Place)
		}
		show(v, data)
		return
	}
	post, ok := world.PublishedAs(v.workspace, query.Get("post"))
	if !ok {
		notFound(v.rw, v.r)
		return
	}
	data.Threads, data.One = threadsOf(world, []simulation.Post{post}), true
	mark(data.Threads, post.Place)
	show(v, data)
}

func mark(articles []*article, at int) {
	for _, a := range articles {
		a.Marked = a.Anchor == anchorOf(at)
		mark(a.Replies, at)
	}
}

// threadsOf returns the threads that posts are in, each once, in the order of the posts.
func threadsOf(world *simulation.World, posts []simulation.Post) []*article {
	var threads []*article
	seen, room := map[int]bool{}, pageArticles
	for _, post := range posts {
		root := post
		for range threadDepth {
			parent, ok := world.Answered(root)
			if !ok {
				break
			}
			root = parent
		}
		if seen[root.Place] || room <= 0 {
			continue
		}
		threads = append(threads, grow(world, root, seen, &room))
	}
	return threads
}

// grow returns a post with the answers to it and to those, one below the other, as long as
// there is room.
func grow(world *simulation.World, root simulation.Post, seen map[int]bool, room *int) *article {
	thread := newArticle(world, root)
	seen[root.Place] = true
	*room--
	for open := world.Replies(root, *room); len(open) > 0 && *room > 0; {
		reply := open[0]
		open = open[1:]
		if seen[reply.Place] {
			continue
		}
		seen[reply.Place] = true
		*room--
		thread.Replies = append(thread.Replies, newArticle(world, reply))
		open = append(world.Replies(reply, *room), open...)
	}
	return thread
}

func newArticle(world *simulation.World, p simulation.Post) *article {
	shown := world.Shown(p)
	a := &article{
		Shown: shown, Anchor: anchorOf(p.Place), Initial: initialOf(shown.By), Self: "?post=" + url.QueryEscape(shown.NativeID),
		Pieces: piecesOf(shown.Text), At: p.CreatedAt.UTC(),
	}
	_, answersOwn := world.Answered(p)
	a.Orphan = p.ReplyTo != "" && !answersOwn
	for n, m := range p.Media {
		shown := item{Kind: kindOf(m.Type), Type: m.Type, Size: sizeOf(m.Size), AltText: m.AltText}
		if world.HasContent(m.Content) {
			shown.Address = fmt.Sprintf("%s/%d/%d", world.Platform(), p.Place, n)
		}
		a.Media = append(a.Media, shown)
	}
	return a
}

func anchorOf(at int) string { return "p" + strconv.Itoa(at) }

func initialOf(name string) string {
	for _, r := range strings.TrimLeft(name, "@") {
		return strings.ToUpper(string(r))
	}
	return "?"
}

func kindOf(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, "/")
	if !slices.Contains(shownTypes, mediaType) {
		return "file"
	}
	return kind
}

func sizeOf(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d kB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

var addresses = regexp.MustCompile(`https?://[^\s<>"]+`)

// piecesOf takes a text apart where there are addresses in it. A sign that ends a sentence
// belongs to none.
func piecesOf(text string) []piece {
	var pieces []piece
	at := 0
	for _, found := range addresses.FindAllStringIndex(text, -1) {
		address := strings.TrimRight(text[found[0]:found[1]], ".,;:!?)]}'")
		if found[0] > at {
			pieces = append(pieces, piece{Text: text[at:found[0]]})
		}
		at = found[0] + len(address)
		pieces = append(pieces, piece{Text: address, Address: address})
	}
	if at < len(text) {
		pieces = append(pieces, piece{Text: text[at:]})
	}
	return pieces
}

func show(v visit, data pageData) {
	var body bytes.Buffer
	if err := page.Execute(&body, data); err != nil {
		http.Error(v.rw, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	v.rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.rw.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	_, _ = v.rw.Write(body.Bytes()) // fails only when the client is gone
}
