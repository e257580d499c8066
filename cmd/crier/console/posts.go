package console

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"crier/client"
)

// Posts are the commands about posts.
type Posts struct {
	Create PostsCreate `cmd:"" help:"Publish a post, or schedule it."`
	List   PostsList   `cmd:"" help:"List posts, those of the latest times first."`
	Get    PostsGet    `cmd:"" help:"Show a post and what became of it on each platform."`
	Retry  PostsRetry  `cmd:"" help:"Set the failed platforms of a post going again."`
	Cancel PostsCancel `cmd:"" help:"Cancel posts that are scheduled, and remove drafts."`
}

// PostsList lists posts.
type PostsList struct {
	Access
	Shape
	Status   string `env:"-" help:"draft, scheduled, processing, posted, partially_failed, failed or cancelled."`
	Platform string `env:"-" help:"That the posts go to."`
	Brand    string `env:"-" help:"Id of a brand."`
	External string `name:"external-id" env:"-" help:"Your own id of a post."`
	Search   string `env:"-" help:"Words that the texts or titles of a post have; the newest posts come first." placeholder:"WORDS"`
	After    string `env:"-" help:"Scheduled at or after this day or time." placeholder:"TIME"`
	Before   string `env:"-" help:"Scheduled at or before this day or time." placeholder:"TIME"`
	Limit    int    `default:"20" env:"-" help:"How many are shown at most."`
}

// Run reads no more pages than it shows.
func (p *PostsList) Run(ctx context.Context, t *Terminal, c *client.Client) (err error) {
	filter := client.PostFilter{
		Status: client.PostStatus(p.Status), Platform: client.Platform(p.Platform), BrandID: p.Brand, ExternalID: p.External, Search: p.Search, PageSize: min(p.Limit, 100),
	}
	if filter.After, err = ReadTime(p.After, time.Local); err != nil {
		return fmt.Errorf("--after: %w", err)
	}
	if filter.Before, err = ReadTime(p.Before, time.Local); err != nil {
		return fmt.Errorf("--before: %w", err)
	}
	var posts []*client.Post
	for post, err := range c.Posts.List(ctx, filter) {
		if err != nil {
			return err
		}
		if posts = append(posts, post); len(posts) >= p.Limit {
			break
		}
	}
	return lines(t, p.Shape, posts, row("POST", "STATUS", "WHEN", "PLATFORMS", "TEXT"), func(p *client.Post) string {
		return row(p.ID, string(p.Status), when(p.ScheduledFor), platformsOf(p), brief(p.Content))
	})
}

func platformsOf(p *client.Post) string {
	var names []string
	for _, target := range p.Platforms {
		names = append(names, string(target.Platform))
	}
	return strings.Join(names, ",")
}

// PostsGet shows a post.
type PostsGet struct {
	Access
	Shape
	Post     string `arg:"" env:"-" help:"Id of the post."`
	Attempts bool   `env:"-" help:"Show what was tried, and when."`
}

// Run shows the post, or its timeline.
func (p *PostsGet) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	if p.Attempts {
		return p.timeline(ctx, t, c)
	}
	post, err := c.Posts.Get(ctx, p.Post)
	if err != nil {
		return err
	}
	return t.post(p.Shape, post)
}

func (p *PostsGet) timeline(ctx context.Context, t *Terminal, c *client.Client) error {
	var all []*client.Attempt
	for attempt, err := range c.Posts.Attempts(ctx, p.Post) {
		if err != nil {
			return err
		}
		all = append(all, attempt)
	}
	return lines(t, p.Shape, all, row("WHEN", "WHAT", "PLATFORM", "ABOUT"), func(a *client.Attempt) string {
		about := []string{}
		if a.Code != "" {
			about = append(about, a.Code)
		}
		if text := cmp.Or(a.Message, a.URL); text != "" {
			about = append(about, text)
		}
		if !a.NextAt.IsZero() {
			about = append(about, "next at "+a.NextAt.Local().Format(time.DateTime))
		}
		return row(a.At.Local().Format(time.DateTime), string(a.Event), orDash(string(a.Platform)), strings.Join(about, ": "))
	})
}

// post shows a post: a line about it, and one of each platform.
func (t *Terminal) post(s Shape, post *client.Post) error {
	for _, w := range post.Warnings {
		fmt.Fprintf(t.Err, "warning: %s: %s\n", w.Field, w.Message)
	}
	if s.JSON {
		return t.object(post)
	}
	fmt.Fprintf(t.Out, "%s  %s  %s  %s\n", post.ID, post.Status, when(post.ScheduledFor), brief(post.Content))
	return lines(t, s, post.Platforms, row("PLATFORM", "ACCOUNT", "STATUS", "ABOUT"), func(target client.Target) string {
		return row(string(target.Platform), target.AccountID, string(target.Status), aboutTarget(target))
	})
}

// aboutTarget is where a target is, or why it is not there.
func aboutTarget(target client.Target) string {
	switch {
	case target.Error != nil:
		return target.Error.Code + ": " + target.Error.Message
	case target.Held != nil:
		return "held: " + string(target.Held.Reason)
	case target.PreviousError != "":
		return "tried again after: " + target.PreviousError
	default:
		return orDash(target.PostURL)
	}
}

// PostsRetry tries again what failed.
type PostsRetry struct {
	Access
	Shape
	Post            string        `arg:"" env:"-" help:"Id of the post."`
	Platform        []string      `env:"-" help:"A platform to try again; may be repeated. All that failed when it is left out."`
	Delay           time.Duration `env:"-" help:"How long to wait before."`
	AcceptDuplicate bool          `env:"-" help:"Publish again what may be there already, where nobody can look."`
}

// Run shows what is tried again.
func (p *PostsRetry) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	retry := client.PostRetry{Delay: int(p.Delay.Seconds()), AcceptDuplicate: p.AcceptDuplicate}
	for _, name := range p.Platform {
		retry.Platforms = append(retry.Platforms, client.Platform(name))
	}
	post, err := c.Posts.Retry(ctx, p.Post, retry)
	if err != nil {
		return err
	}
	return t.post(p.Shape, post)
}

// PostsCancel cancels posts.
type PostsCancel struct {
	Access
	Posts []string `arg:"" env:"-" name:"post" help:"Ids of posts."`
}

// Run cancels one after the other, and ends at the first that cannot be.
func (p *PostsCancel) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	for _, id := range p.Posts {
		if err := c.Posts.Cancel(ctx, id); err != nil {
			return fmt.Errorf("cancelling %s: %w", id, err)
		}
		fmt.Fprintln(t.Out, id, "cancelled")
	}
	return nil
}
