package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"crier/client"
	"crier/schema/sleep"
)

// Config is whom the demo calls and whom it tells.
type Config struct {
	URL     string // of the REST API, without /api/v1
	Metrics string // host:port of the admin listener, to name it
	Keys    Keys
	Out     io.Writer
}

// Run shows the keys, publishes a post with the test key and shows what comes of it. A demo that
// fails ends nothing: the accounts of the sandbox may have had their posts of the day.
func Run(ctx context.Context, c Config) {
	fmt.Fprintf(c.Out, "\ncrier serves %s/api/v1\n  live key  %s\n  test key  %s\n\n", c.URL, c.Keys.Live, c.Keys.Test)
	s := &show{api: client.New(c.Keys.Test, client.WithServer(c.URL)), out: c.Out, started: time.Now()}
	outcome := "Everything works."
	if err := s.run(ctx); err != nil {
		outcome = fmt.Sprintf("The demo's post did not go all its way: %v\ncrier serves nevertheless.", err)
	}
	if ctx.Err() == nil {
		fmt.Fprintf(c.Out, "\n%s Metrics and health: http://%s/metrics, /readyz. Stop with Ctrl-C.\n", outcome, c.Metrics)
	}
}

// show is one run.
type show struct {
	api     *client.Client
	out     io.Writer
	started time.Time
	post    *client.Post
}

func (s *show) say(format string, args ...any) {
	fmt.Fprintf(s.out, "%6.2fs  %s\n", time.Since(s.started).Seconds(), fmt.Sprintf(format, args...))
}

func (s *show) run(ctx context.Context) error {
	hook, err := s.subscribe(ctx)
	if err != nil {
		return err
	}
	defer s.unsubscribe(hook)
	before, err := s.counted(ctx)
	if err != nil {
		return err
	}
	if err := s.publish(ctx); err != nil {
		return err
	}
	if err := s.await(ctx, "the post", s.posted); err != nil {
		return err
	}
	s.say("posted on %d platforms: %s", len(s.post.Platforms), s.postURLs())
	if err := s.await(ctx, "the webhook", func(context.Context) (bool, error) { return hook.received(s.post.ID) }); err != nil {
		return err
	}
	s.say("webhook post.published received, its signature verified")
	if err := s.await(ctx, "ClickHouse", func(ctx context.Context) (bool, error) {
		after, err := s.counted(ctx)
		return after >= before+len(s.post.Platforms), err
	}); err != nil {
		return err
	}
	s.say("counted in ClickHouse (GET /analytics/posts)")
	if err := s.await(ctx, "the first comments", s.commented); err != nil {
		return err
	}
	s.say("first comments are there, where the platform has them: %s", s.commentURLs())
	return nil
}

// targets names an account of each platform: somebody who follows the documentation connects others
// beside it.
func (s *show) targets(ctx context.Context, platforms ...client.Platform) ([]client.Target, error) {
	accounts, err := s.api.Accounts.List(ctx, client.AccountFilter{})
	if err != nil {
		return nil, fmt.Errorf("listing accounts: %w", err)
	}
	targets := client.To(platforms...)
	for i := range targets {
		for _, a := range accounts { // the oldest, which the demo was given, comes first
			if a.Platform == targets[i].Platform && a.IsConnected {
				targets[i].AccountID = a.ID
				break
			}
		}
	}
	return targets, nil
}

func (s *show) publish(ctx context.Context) (err error) {
	targets, err := s.targets(ctx, client.Mastodon, client.Bluesky, client.Telegram)
	if err != nil {
		return err
	}
	s.post, err = s.api.Posts.Create(ctx, client.Post{
		Content:      fmt.Sprintf("Hello from crier, at %s. https://example.com #crier", time.Now().UTC().Format(time.RFC3339Nano)),
		Platforms:    targets,
		PublishNow:   true,
		FirstComment: "And a first comment, 15 seconds later.",
		// Nothing is read from outside for it.
		PlatformSettings: client.PlatformSettings{Bluesky: client.BlueskySettings{Card: client.WithoutCard()}},
	})
	if err != nil {
		return fmt.Errorf("creating a post: %w", err)
	}
	s.say("accepted: %s", s.post.ID)
	for _, w := range s.post.Warnings {
		s.say("warning: %s: %s", w.Field, w.Message)
	}
	return nil
}

func (s *show) read(ctx context.Context) (err error) {
	s.post, err = s.api.Posts.Get(ctx, s.post.ID)
	return err
}

func (s *show) posted(ctx context.Context) (bool, error) {
	if err := s.read(ctx); err != nil {
		return false, err
	}
	switch s.post.Status {
	case client.PostPosted:
		return true, nil
	case client.PostFailed, client.PostPartiallyFailed:
		return false, fmt.Errorf("%s is %s", s.post.ID, s.post.Status)
	}
	return false, nil
}

func (s *show) commented(ctx context.Context) (bool, error) {
	if err := s.read(ctx); err != nil {
		return false, err
	}
	posted := 0
	for _, c := range s.comments() {
		switch c.Status {
		case client.CommentFailed:
			return false, fmt.Errorf("a first comment of %s failed", s.post.ID)
		case client.CommentPosted:
			posted++
		}
	}
	return posted == 2, nil // telegram has none
}

func (s *show) comments() []client.CommentRecord {
	var all []client.CommentRecord
	for _, p := range s.post.Platforms {
		all = append(all, p.FirstComments...)
	}
	return all
}

func (s *show) postURLs() string {
	var urls []string
	for _, p := range s.post.Platforms {
		urls = append(urls, p.PostURL)
	}
	return strings.Join(urls, "  ")
}

func (s *show) commentURLs() string {
	var urls []string
	for _, c := range s.comments() {
		urls = append(urls, c.URL)
	}
	return strings.Join(urls, "  ")
}

// counted returns how many posts ClickHouse knows as posted.
func (s *show) counted(ctx context.Context) (posted int, err error) {
	report, err := s.api.Analytics.Posts(ctx, client.PostReportFilter{})
	if err != nil {
		return 0, err
	}
	return report.Totals[string(client.CountPosted)], nil
}

// await asks until something is there.
func (s *show) await(ctx context.Context, what string, there func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		ok, err := there(ctx)
		if err != nil || ok {
			return err
		}
		if err := sleep.For(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
	}
}
