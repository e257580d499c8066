package wall

import (
	"fmt"
	"net/url"
	"time"

	"crier/connectors/simulators/simulation"
)

// threadDepth is how many answers are followed up to where a thread begins.
const threadDepth = 50

// published is a post with where it was published.
type published struct {
	world *simulation.World
	simulation.Post
}

func of(world *simulation.World, posts ...simulation.Post) []published {
	all := make([]published, len(posts))
	for i, post := range posts {
		all[i] = published{world, post}
	}
	return all
}

// article is one post, or what a person said, as the page shows it.
type article struct {
	simulation.View
	Platform, Label string
	Handle          string // of a person
	Anchor          string // empty: it is a person's
	Self            string // the page of its thread
	Pieces          []piece
	Media           []item
	At              time.Time
	Marked          bool
	Orphan          bool       // it answers what is not there
	Replies         []*article // what the account has answered it
	Comments        []*article // what people have said under it
}

// grower makes threads of posts, of each platform those that fit the page together.
type grower struct {
	seen map[string]bool // by anchor
	room int
}

// threadsOf returns the threads that posts are in, each once, in the order of the posts.
func threadsOf(posts []published) []*article {
	var threads []*article
	g := grower{map[string]bool{}, pageArticles}
	for _, post := range posts {
		root := rootOf(post)
		if g.seen[anchorOf(root.world, root.Post)] || g.room <= 0 {
			continue
		}
		threads = append(threads, g.grow(root.world, root.Post))
	}
	return threads
}

// rootOf returns the post that a thread begins with, of which one is part.
func rootOf(post published) published {
	root := post
	for range threadDepth {
		parent, ok := root.world.Answered(root.Post)
		if !ok {
			parent, ok = root.world.Commented(root.Post)
		}
		if !ok {
			break
		}
		root.Post = parent
	}
	return root
}

// grow returns a post with the answers to it and to those, one below the other, as long as
// there is room.
func (g *grower) grow(world *simulation.World, root simulation.Post) *article {
	thread := g.add(world, root)
	for open := world.Replies(root, g.room); len(open) > 0 && g.room > 0; {
		reply := open[0]
		open = open[1:]
		if g.seen[anchorOf(world, reply)] {
			continue
		}
		thread.Replies = append(thread.Replies, g.add(world, reply))
		open = append(world.Replies(reply, g.room), open...)
	}
	return thread
}

// add makes the article of a post, with what people have said under it.
func (g *grower) add(world *simulation.World, post simulation.Post) *article {
	root := newArticle(world, post)
	g.seen[root.Anchor] = true
	g.room--
	byID := map[string]*article{}
	for _, remark := range world.RemarksUnder(post) {
		if g.room <= 0 {
			break
		}
		g.room--
		comment := newComment(world, remark)
		byID[remark.ID] = comment
		for _, answer := range world.AnswersTo(remark, post.Workspace, g.room) {
			if anchor := anchorOf(world, answer); !g.seen[anchor] && g.room > 0 {
				comment.Replies = append(comment.Replies, g.grow(world, answer))
			}
		}
		if under := byID[remark.Answers]; under != nil {
			under.Comments = append(under.Comments, comment)
			continue
		}
		root.Comments = append(root.Comments, comment)
	}
	return root
}

func newArticle(world *simulation.World, p simulation.Post) *article {
	view := world.View(p)
	platform := world.Platform().String()
	a := &article{
		View: view, Platform: platform, Label: world.Label(), Anchor: anchorOf(world, p),
		Self: platform + "?post=" + url.QueryEscape(view.NativeID), Pieces: piecesOf(view.Text), At: p.CreatedAt.UTC(),
	}
	if _, answersOwn := world.Answered(p); p.ReplyTo != "" && !answersOwn {
		_, answersPerson := world.Commented(p)
		a.Orphan = !answersPerson
	}
	for n, m := range p.Media {
		media := item{Kind: kindOf(m.Type), Type: m.Type, Size: sizeOf(m.Size), AltText: m.AltText}
		if world.HasContent(m.Content) {
			media.Address = fmt.Sprintf("%s/%d/%d", platform, p.Place, n)
		}
		a.Media = append(a.Media, media)
	}
	return a
}

// newComment shows what a person said.
func newComment(world *simulation.World, remark simulation.Remark) *article {
	return &article{
		View: simulation.View{By: remark.By.Name, Text: remark.Text}, Platform: world.Platform().String(), Handle: "@" + remark.By.Handle,
		Pieces: piecesOf(remark.Text), At: remark.At.UTC(),
	}
}

// anchorOf names a post on the page.
func anchorOf(world *simulation.World, p simulation.Post) string {
	return fmt.Sprintf("%s-%d", world.Platform(), p.Place)
}
