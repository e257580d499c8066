package connectortest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// reading is what a connector reads of what was published.
func reading() []clause {
	return []clause{
		{"metrics are those of the platform", tellsMetrics, metricsAreRead},
		{"as many posts as are taken are told apart", tellsMetrics, batchIsRead},
		{"a post that is gone is told", tellsGone, goneIsTold},
		{"followers are those of the platform", tellsOfAccount, followersAreRead},
		{"what a read meets does not hold publishing up", tellsMetrics, readsHoldNothingUp},
	}
}

func tellsMetrics(f Fixture) bool { return f.Tells != nil }

func tellsOfAccount(f Fixture) bool { return !f.Silent }

func tellsGone(f Fixture) bool { return tellsMetrics(f) && !f.Gone }

// published publishes a post until its platform has it.
func (s *stage) published(t *testing.T, text string) (schema.PublishedPost, simulation.Post) {
	t.Helper()
	before := len(s.world.Posts())
	d := s.delivery(text)
	receipt := s.publish(t, d)
	for range 20 {
		if !receipt.Open {
			break
		}
		s.clock.advance(schema.SettleTime)
		d.Receipts, d.Step = []schema.Receipt{receipt}, schema.StepFind
		found, verdict, err := s.connector.Find(t.Context(), d)
		if err != nil {
			t.Fatalf("Find of an open receipt: %v", err)
		}
		if verdict == schema.Found {
			receipt = found
		}
	}
	posts := s.world.Posts()
	if len(posts) != before+1 || receipt.Open {
		t.Fatalf("%d posts after %d, receipt %+v", len(posts), before, receipt)
	}
	return schema.PublishedPost{
		Post: schema.NewID[schema.PostID](s.clock.now()), NativeID: receipt.NativeID, URL: receipt.URL, PostedAt: receipt.PostedAt,
		Video: slices.ContainsFunc(d.Media, func(m schema.Media) bool { return m.Kind == schema.Video }),
	}, posts[before]
}

func (s *stage) reading() connectors.Reading {
	return connectors.Reading{Account: s.account, Credentials: s.fixture.Credentials(0)}
}

func (s *stage) metrics(t *testing.T, posts ...schema.PublishedPost) []schema.PostMetrics {
	t.Helper()
	source, ok := s.connector.(connectors.MetricsSource)
	if !ok {
		t.Fatal("the connector reads no metrics")
	}
	metrics, err := source.PostMetrics(t.Context(), s.reading(), posts)
	if err != nil {
		t.Fatalf("PostMetrics: %v", err)
	}
	if len(metrics) != len(posts) {
		t.Fatalf("metrics of %d posts, asked for %d", len(metrics), len(posts))
	}
	return metrics
}

func metricsAreRead(t *testing.T, s *stage) {
	published, post := s.published(t, "how does it do?")
	for range 2 {
		s.clock.advance(2 * time.Hour)
		before := s.world.Audience(post)
		got := s.metrics(t, published)[0]
		s.wantMetrics(t, got, before, s.world.Audience(post))
	}
}

// wantMetrics checks that the metrics are between two audiences, and all that the platform tells.
func (s *stage) wantMetrics(t *testing.T, got schema.PostMetrics, minimum, maximum simulation.Audience) {
	t.Helper()
	if got.Gone {
		t.Fatal("the post is gone")
	}
	m, known := got.Metrics, []string{}
	for name, figure := range map[string]struct {
		got      *int64
		min, max int64
	}{
		"impressions": {m.Impressions, minimum.Impressions, maximum.Impressions},
		"reach":       {m.Reach, minimum.Reach, maximum.Reach},
		"views":       {m.Views, minimum.Views, maximum.Views},
		"likes":       {m.Likes, minimum.Likes, maximum.Likes},
		"comments":    {m.Comments, minimum.Comments, maximum.Comments},
		"shares":      {m.Shares, minimum.Shares, maximum.Shares},
		"saves":       {m.Saves, minimum.Saves, maximum.Saves},
		"clicks":      {m.Clicks, minimum.Clicks, maximum.Clicks},
		"watch":       {m.WatchSeconds, minimum.WatchSeconds, maximum.WatchSeconds},
	} {
		if figure.got == nil {
			continue
		}
		known = append(known, name)
		if *figure.got < figure.min || *figure.got > figure.max {
			t.Errorf("%s = %d, want %d to %d", name, *figure.got, figure.min, figure.max)
		}
	}
	want := slices.Sorted(slices.Values(s.fixture.Tells))
	if slices.Sort(known); !slices.Equal(known, want) {
		t.Errorf("it tells %v, want %v", known, want)
	}
}

func batchIsRead(t *testing.T, s *stage) {
	source, ok := s.connector.(connectors.MetricsSource)
	if !ok {
		t.Fatal("the connector reads no metrics")
	}
	const maximum = 3 // a platform's own bound is far above, and each post takes its time
	var posts []schema.PublishedPost
	of := map[string]simulation.Post{}
	for i := range min(maximum, source.MetricsBatch()) {
		published, post := s.published(t, fmt.Sprintf("number %d", i))
		posts, of[published.NativeID] = append(posts, published), post
		s.clock.advance(s.fixture.Repeats + time.Minute)
	}
	slices.Reverse(posts)
	calls := s.calls.Load()
	before := map[string]simulation.Audience{}
	for id, post := range of {
		before[id] = s.world.Audience(post)
	}
	for i, got := range s.metrics(t, posts...) {
		id := posts[i].NativeID
		s.wantMetrics(t, got, before[id], s.world.Audience(of[id]))
	}
	if n := s.calls.Load() - calls; n != 1 {
		t.Errorf("%d posts took %d calls", len(posts), n)
	}
	if len(slices.Collect(maps.Keys(of))) != len(posts) {
		t.Error("two posts have one id")
	}
}

func goneIsTold(t *testing.T, s *stage) {
	source, ok := s.connector.(connectors.MetricsSource)
	if !ok {
		t.Fatal("the connector reads no metrics")
	}
	gone, post := s.published(t, "it will be gone")
	s.clock.advance(s.fixture.Repeats + time.Minute)
	there, _ := s.published(t, "it stays")
	s.world.TakeDown(post)
	posts := []schema.PublishedPost{gone, there}
	if source.MetricsBatch() == 1 {
		if got := s.metrics(t, there)[0]; got.Gone {
			t.Error("the post that stays is gone")
		}
		posts = posts[:1]
	}
	for i, got := range s.metrics(t, posts...) {
		if got.Gone != (i == 0) {
			t.Errorf("post %d: gone = %t", i, got.Gone)
		}
	}
}

func followersAreRead(t *testing.T, s *stage) {
	source, ok := s.connector.(connectors.FollowersSource)
	if !ok {
		if s.fixture.Constraints.Platform.Collects(schema.CollectFollowers) {
			t.Fatal("the connector reads no followers")
		}
		return
	}
	s.published(t, "the first")
	s.clock.advance(30 * 24 * time.Hour)
	if _, err := s.verify(t, s.account, s.fixture.Credentials(0)); err != nil {
		s.clock.advance(-30 * 24 * time.Hour) // its token does not last as long
	}
	account := s.world.Posts()[0].Account
	before := s.world.Crowd(account)
	got, err := source.Followers(t.Context(), s.reading())
	if err != nil {
		t.Fatalf("Followers: %v", err)
	}
	after := s.world.Crowd(account)
	for name, figure := range map[string]struct {
		got      *int64
		min, max int64
	}{
		"followers": {got.Followers, before.Followers, after.Followers},
		"following": {got.Following, before.Following, after.Following},
		"posts":     {got.Posts, before.Posts, after.Posts},
	} {
		if figure.got != nil && (*figure.got < figure.min || *figure.got > figure.max) {
			t.Errorf("%s = %d, want %d to %d", name, *figure.got, figure.min, figure.max)
		}
	}
	if got.Followers == nil {
		t.Error("it does not tell how many followers there are")
	}
	if got.Day != "" {
		t.Errorf("it is of day %q, which is for others to say", got.Day)
	}
}

// readsHoldNothingUp has reads refused until their breaker opens.
func readsHoldNothingUp(t *testing.T, s *stage) {
	source, ok := s.connector.(connectors.MetricsSource)
	if !ok {
		t.Fatal("the connector reads no metrics")
	}
	published, _ := s.published(t, "before")
	for i, fault := range []simulation.Fault{{Status: 429, Times: 1}, {Status: 503, Times: 6}} {
		s.inject(t, fault)
		for range fault.Times {
			if _, err := source.PostMetrics(t.Context(), s.reading(), []schema.PublishedPost{published}); err == nil {
				t.Fatal("a read that fails has no error")
			}
		}
		s.world.Heal()
		s.clock.advance(s.fixture.Repeats + time.Minute)
		s.publish(t, s.delivery(fmt.Sprintf("after fault %d", i)))
	}
}
