package wall

import (
	"bytes"
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/face"
)

// The bounds of a page.
const (
	pagePosts    = 200 // the newest whose threads are shown
	pageArticles = 600 // of these threads together
)

//go:embed page.html
var pageSource string

//go:embed style.css
var style string

var pageStyle = face.New(style)

// policy lets a page have its own style, and media of its own host, and nothing else.
var policy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src " + pageStyle.Source() +
	"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var page = template.Must(template.New("page").Funcs(pageStyle.Funcs()).Parse(pageSource))

// pageData is what a page is made of.
type pageData struct {
	Title     string
	Platforms []platformLink
	Current   string // a platform; empty: all of them
	Missing   bool   // there is nothing at the address
	Threads   []*article
	One       bool   // only the thread of one post
	Older     string // the next page; empty: there is none
	Posts     int
}

type platformLink struct {
	Name, Label string
	Posts       int
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
		all = append(all, platformLink{world.Platform().String(), world.Label(), world.CountPublished(v.workspace)})
	}
	return all
}

// stream shows the newest posts of all platforms in one, or with ?before= those before a time.
func (w *wall) stream(v visit) {
	before, err := time.Parse(time.RFC3339Nano, v.r.URL.Query().Get("before"))
	if err != nil {
		before = farAhead
	}
	posts := w.newest(v.workspace, before)
	data := pageData{Title: "Sandbox", Platforms: w.links(v), Threads: threadsOf(posts)}
	if len(posts) == pagePosts {
		data.Older = "?before=" + url.QueryEscape(posts[len(posts)-1].CreatedAt.Format(time.RFC3339Nano))
	}
	show(v, http.StatusOK, data)
}

// farAhead is after all posts.
var farAhead = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// newest returns the newest posts of all platforms before a time, the newest first.
func (w *wall) newest(workspace schema.WorkspaceID, before time.Time) []published {
	var all []published
	for _, world := range w.worlds {
		below := sort.Search(world.CountPublished(workspace), func(place int) bool {
			post, ok := world.PublishedAt(workspace, place)
			return !ok || !post.CreatedAt.Before(before)
		})
		for _, post := range world.Published(workspace, below, pagePosts) {
			all = append(all, published{world, post})
		}
	}
	slices.SortStableFunc(all, func(a, b published) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return all[:min(len(all), pagePosts)]
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
		data.Threads = threadsOf(of(world, posts...))
		if len(posts) == pagePosts && posts[len(posts)-1].Place > 0 {
			data.Older = fmt.Sprintf("?below=%d", posts[len(posts)-1].Place)
		}
		show(v, http.StatusOK, data)
		return
	}
	post, ok := world.PublishedAs(v.workspace, query.Get("post"))
	if !ok {
		notFound(v.rw, v.r)
		return
	}
	data.Threads, data.One = threadsOf(of(world, post)), true
	mark(data.Threads, anchorOf(world, post))
	show(v, http.StatusOK, data)
}

func mark(articles []*article, anchor string) {
	for _, a := range articles {
		a.Marked = a.Anchor == anchor
		mark(a.Replies, anchor)
		mark(a.Comments, anchor)
	}
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

func show(v visit, status int, data pageData) {
	var body bytes.Buffer
	if err := page.Execute(&body, data); err != nil {
		http.Error(v.rw, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	v.rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.rw.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	v.rw.WriteHeader(status)
	_, _ = v.rw.Write(body.Bytes()) // fails only when the client is gone
}
