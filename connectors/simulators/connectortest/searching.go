package connectortest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/schema"
)

// searching is what a connector finds of what other people show to everybody.
func searching() []clause {
	return []clause{
		{"public posts are searched", searches, postsAreSearched},
		{"a search goes on where its page ended", searches, searchGoesOn},
		{"a search from a time on has nothing older", searches, searchFromATime},
		{"a public profile is read", showsProfiles, profileIsRead},
		{"a profile that does not exist is not found", showsProfiles, strangerIsNotFound},
	}
}

func searches(f Fixture) bool {
	return slices.Contains(schema.SearchPlatforms(), f.Constraints.Platform)
}

func showsProfiles(f Fixture) bool { return f.Constraints.Platform == schema.Bluesky }

// searchedFor is a word that simulators write often.
const searchedFor = "coffee"

func (s *stage) search(t *testing.T, q connectors.FeedQuery) connectors.FeedPage {
	t.Helper()
	searcher, ok := s.connector.(connectors.FeedSearcher)
	if !ok {
		t.Fatal("the connector does not search")
	}
	page, err := searcher.SearchFeed(t.Context(), s.reading(), q)
	if err != nil {
		t.Fatalf("SearchFeed: %v", err)
	}
	if len(page.Items) > q.Limit {
		t.Errorf("%d posts, asked for %d", len(page.Items), q.Limit)
	}
	for i, item := range page.Items {
		if item.Platform != s.fixture.Constraints.Platform || item.NativeID == "" || item.URL == "" || item.Author.URL == "" {
			t.Errorf("item = %+v", item)
		}
		if !strings.Contains(strings.ToLower(item.Text), q.Words) {
			t.Errorf("%q was found for %q", item.Text, q.Words)
		}
		if item.WrittenAt.IsZero() || item.WrittenAt.Before(q.Since) || i > 0 && item.WrittenAt.After(page.Items[i-1].WrittenAt) {
			t.Errorf("written at %v, after a post of %v and asked for since %v", item.WrittenAt, page.Items[max(0, i-1)].WrittenAt, q.Since)
		}
	}
	return page
}

func postsAreSearched(t *testing.T, s *stage) {
	if page := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 10}); len(page.Items) != 10 {
		t.Errorf("%d posts were found, want 10", len(page.Items))
	}
	if page := s.search(t, connectors.FeedQuery{Words: "nobody-writes-this", Limit: 10}); len(page.Items) != 0 || page.Next != "" {
		t.Errorf("of what nobody writes there is %+v", page)
	}
}

func searchGoesOn(t *testing.T, s *stage) {
	first := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 3})
	second := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 3, Cursor: first.Next})
	pages := slices.Concat(first.Items, second.Items)
	whole := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 20}).Items // perhaps of newer ones too
	if len(pages) != 6 || len(whole) != 20 {
		t.Fatalf("two pages have %d posts, a long one %d", len(pages), len(whole))
	}
	begin := slices.IndexFunc(whole, func(item connectors.FeedItem) bool { return item.NativeID == pages[0].NativeID })
	for i, item := range pages {
		if begin < 0 || item.NativeID != whole[begin+i].NativeID {
			t.Fatalf("post %d of two pages is %s, of one page: %v", i, item.NativeID, whole)
		}
	}
}

func searchFromATime(t *testing.T, s *stage) {
	all := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 50})
	since := all.Items[9].WrittenAt.Truncate(time.Second)
	page := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 50, Since: since})
	if n := len(page.Items); n < 10 || n == 50 {
		t.Errorf("%d posts since the tenth, want 10 and those of its second", n)
	}
}

func (s *stage) profile(t *testing.T, actor string) (connectors.PublicProfile, error) {
	t.Helper()
	reader, ok := s.connector.(connectors.ProfileReader)
	if !ok {
		t.Fatal("the connector reads no profiles")
	}
	nobody := schema.Account{Platform: s.fixture.Constraints.Platform}
	return reader.ReadProfile(t.Context(), connectors.Reading{Account: nobody}, actor)
}

func profileIsRead(t *testing.T, s *stage) {
	author := s.search(t, connectors.FeedQuery{Words: searchedFor, Limit: 1}).Items[0].Author
	for _, actor := range []string{author.ID, author.Handle} {
		got, err := s.profile(t, actor)
		if err != nil {
			t.Fatalf("ReadProfile: %v", err)
		}
		if got.ID != author.ID || got.Handle != author.Handle || got.URL != author.URL || got.Followers == nil || got.CreatedAt.IsZero() {
			t.Errorf("profile of %s = %+v, want that of %+v", actor, got, author)
		}
	}
}

func strangerIsNotFound(t *testing.T, s *stage) {
	_, err := s.profile(t, "nobody.example.com")
	wantKind(t, err, schema.NotFound)
}
