package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/client"
)

// existing are the posts of a chunk's rows that are there already.
type existing map[int]*client.Post // by the number of the row

// openStates are those of posts that can be changed.
var openStates = []client.PostStatus{client.PostDraft, client.PostScheduled}

// looks is looking for the posts that rows of some chunks are of, once for all of them.
type looks struct {
	rows  []row
	done  chan struct{}             // closed once posts are there
	posts map[string][]*client.Post // by their ids, and by the caller's own
}

// newLooks are those of chunks, which get to know of them.
func newLooks(chunks []chunk) *looks {
	l := &looks{done: make(chan struct{})}
	for i := range chunks {
		l.rows, chunks[i].looks = append(l.rows, chunks[i].rows...), l
	}
	return l
}

// find looks for the posts of rows that name one: by id, then by the caller's own id.
func (l *looks) find(ctx context.Context, s *sender) error {
	var lookup client.PostLookup
	for _, r := range l.rows {
		if r.problem != nil {
			continue
		}
		if canBeOf(r.id, maxID) {
			lookup.IDs = append(lookup.IDs, r.id)
		}
		if canBeOf(r.externalID, maxExternalID) {
			lookup.ExternalIDs = append(lookup.ExternalIDs, r.externalID)
		}
	}
	if len(lookup.IDs)+len(lookup.ExternalIDs) > 0 {
		posts, err := s.api.Posts.Lookup(ctx, lookup)
		if err != nil {
			return fmt.Errorf("looking for the posts of rows %d to %d: %w", l.rows[0].number, l.rows[len(l.rows)-1].number, err)
		}
		l.posts = byNames(posts)
	}
	close(l.done)
	return nil
}

func byNames(posts []client.Post) map[string][]*client.Post {
	named := make(map[string][]*client.Post, len(posts))
	for i := range posts {
		p := &posts[i]
		named[ofID+p.ID] = []*client.Post{p}
		if p.ExternalID != "" {
			named[ofExternalID+p.ExternalID] = append(named[ofExternalID+p.ExternalID], p)
		}
	}
	return named
}

// The longest ids that posts have, in bytes.
const maxID, maxExternalID = 100, 255

// canBeOf reports whether a post can have an id. A lookup with another is refused as a whole; the creation
// of such a row is refused alone.
func canBeOf(id string, maximum int) bool {
	return id != "" && len(id) <= maximum && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// find returns the posts of a chunk's rows that are there.
func (s *sender) find(ctx context.Context, c chunk) (existing, error) {
	if c.looks == nil {
		c.looks = newLooks([]chunk{c})
		if err := c.looks.find(ctx, s); err != nil {
			return nil, err
		}
	}
	select {
	case <-c.looks.done:
		return c.match(c.looks.posts), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// match finds the row of each post. A row whose own id several open posts have is refused: nobody
// can tell which is meant.
func (c chunk) match(posts map[string][]*client.Post) existing {
	found := existing{}
	for i := range c.rows {
		r := &c.rows[i]
		if r.problem != nil || !r.isIdentified() {
			continue
		}
		if same := posts[ofID+r.id]; r.id != "" && same != nil {
			found[r.number] = same[0]
			continue
		}
		var open, ended []*client.Post
		for _, p := range posts[ofExternalID+r.externalID] {
			if slices.Contains(openStates, p.Status) {
				open = append(open, p)
			} else {
				ended = append(ended, p)
			}
		}
		switch {
		case len(open) > 1:
			r.problem = &problem{field: ofExternalID, code: codeDuplicate, message: fmt.Sprintf("%d posts that are not published yet have %q: name one by its id", len(open), clipped(r.externalID))}
		case len(open) == 1:
			found[r.number] = open[0]
		case len(ended) > 0:
			found[r.number] = ended[len(ended)-1]
		}
	}
	return found
}

// checkNew refuses rows that would make a post that no row can make, now that it is known which
// posts are there.
func (c chunk) checkNew(found existing) {
	for i := range c.rows {
		r := &c.rows[i]
		if r.problem != nil || found[r.number] != nil {
			continue
		}
		switch {
		case r.thread:
			r.problem = &problem{field: "threadId", code: codeUnsupported, message: "the post is a thread's, which no row can make: POST /threads does"}
		case r.ended != "":
			r.problem = &problem{field: "status", code: codeUnsupported, message: fmt.Sprintf("%q: the post is published already", clipped(r.ended))}
		case r.id != "":
			r.problem = &problem{field: ofID, code: codeNoPost, message: fmt.Sprintf("no post has the id %q: correct it, or leave the cell empty to make a new post (--ignore id: of all rows)", clipped(r.id))}
		}
	}
}

// settle changes the posts that are there to what their rows say, and returns what became of these.
func (s *sender) settle(ctx context.Context, c chunk, found existing) (map[int]outcome, error) {
	outcomes := map[int]outcome{}
	for _, r := range c.rows {
		post := found[r.number]
		if post == nil || r.problem != nil {
			continue
		}
		o, err := s.change(ctx, r, post)
		if err != nil {
			return nil, err
		}
		outcomes[r.number] = o
	}
	return outcomes, nil
}

func (s *sender) change(ctx context.Context, r row, post *client.Post) (outcome, error) {
	o := outcomeOfPost(r.number, unchanged, post)
	if !slices.Contains(openStates, post.Status) {
		o.status = skipped
		o.notes = []note{{"status", string(post.Status), fmt.Sprintf("the post is %s, and stays as it is", post.Status)}}
		return o, nil
	}
	change, wrong, err := r.difference(post, s.timezone)
	if err != nil {
		return o, err
	}
	leftOut := r.warnings
	for _, name := range r.added {
		if !r.speaksOf("content") && (name != "link" || change["platformSettings"] == nil) {
			leftOut = append(slices.Clone(leftOut), name+": changes nothing: the file has no column of texts")
		}
	}
	switch {
	case wrong != nil:
		r.problem = wrong
		o = r.refused()
		o.postID = post.ID
		return o, nil
	case len(change) == 0:
		if !s.began.IsZero() && post.CreatedAt.After(s.began) { // by an earlier run of this import
			o.status = created
		}
		o.warn(leftOut, nil)
		return o, nil
	}
	done := updated
	if s.dryRun {
		done, change["dryRun"] = toUpdate, true
	}
	body, err := encode(change)
	if err != nil {
		return o, fmt.Errorf("writing the change of row %d: %w", r.number, err)
	}
	post, err = s.update(ctx, r, post.ID, body)
	s.note(err)
	if refused := refusedAlone(err); refused != nil {
		if s.dryRun {
			o.scheduledFor = cmp.Or(r.scheduledFor(s.timezone), o.scheduledFor)
		}
		o.status, o.notes = failed, notesOf(refused.Code, refused.Message, refused.Details)
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("changing the post of row %d: %w", r.number, err)
	}
	s.answered()
	o = outcomeOfPost(r.number, done, post)
	o.warn(leftOut, post.Warnings)
	return o, nil
}

// update sends a row's change of a post. Where that publishes it, its answer may be lost and the client send it again:
// it is not refused then, the post is out as the row has it.
func (s *sender) update(ctx context.Context, r row, id string, body []byte) (*client.Post, error) {
	post, err := s.api.Posts.UpdateJSON(ctx, id, body)
	refused := refusedAlone(err)
	if refused == nil || refused.Code != client.CodeInvalidState || s.dryRun {
		return post, err
	}
	is, reading := s.api.Posts.Get(ctx, id)
	if reading != nil {
		return nil, reading
	}
	if !r.isPublishedAs(is, s.timezone) {
		return nil, err
	}
	return is, nil
}

// later gives drafts their times: a creation takes none.
func (s *sender) later(ctx context.Context, c chunk, outcomes []outcome) error {
	for i, r := range c.rows {
		if !c.sends(r) || r.draftFor == "" || outcomes[i].status != created || outcomes[i].postID == "" {
			continue
		}
		change := map[string]string{"scheduledFor": r.draftFor}
		if zone := r.timezone(s.timezone); zone != "" {
			change["timezone"] = zone
		}
		body, err := encode(change)
		if err != nil {
			return fmt.Errorf("writing the time of row %d: %w", r.number, err)
		}
		post, err := s.api.Posts.UpdateJSON(ctx, outcomes[i].postID, body)
		if refused := refusedAlone(err); refused != nil {
			outcomes[i].warn([]string{"scheduledFor: the draft is there without its time: " + refused.Message}, nil)
			continue
		}
		if err != nil {
			return fmt.Errorf("setting the time of row %d: %w", r.number, err)
		}
		outcomes[i].scheduledFor = outcomeOfPost(r.number, created, post).scheduledFor
	}
	return nil
}
