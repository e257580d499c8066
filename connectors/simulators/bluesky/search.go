package bluesky

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// searched is how far back searches look at the generated stream, in its events.
const searched = 3000

// search finds posts of the generated stream that have every word that is asked for, the newest
// first; the cursor is the number of the last event that was looked at.
func (s *simulator) search(_ http.ResponseWriter, r *http.Request) (any, error) {
	if _, err := s.tokens.verify(r, accessScope); err != nil {
		return nil, err
	}
	query := r.URL.Query()
	limit := 25
	if text := query.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 100 {
			return nil, invalid("InvalidRequest", "limit must be between 1 and 100")
		}
	}
	words := strings.Fields(strings.ToLower(query.Get("q")))
	if len(words) == 0 {
		return nil, invalid("InvalidRequest", "Params must have the property \"q\"")
	}
	since, _ := time.Parse(time.RFC3339, query.Get("since"))
	newest := s.stream.Number(s.world.Now())
	n := newest - 1
	if text := query.Get("cursor"); text != "" {
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil || at > newest {
			return nil, invalid("InvalidRequest", "the cursor is none of ours")
		}
		n = at - 1
	}
	page := struct {
		Cursor string `json:"cursor,omitempty"`
		Posts  []any  `json:"posts"`
	}{Posts: []any{}}
	for ; n > newest-searched; n-- {
		e := s.stream.Entry(n)
		text := strings.ToLower(e.Text)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if e.Text == "" || e.At.Before(since) || slices.ContainsFunc(words, lacks) || query.Has("lang") && !slices.Contains(e.Langs, query.Get("lang")) {
			continue
		}
		page.Posts = append(page.Posts, s.view(e))
		if len(page.Posts) == limit {
			page.Cursor = strconv.FormatInt(n, 10)
			break
		}
	}
	return page, nil
}

// view is an event of the stream as app.bsky.feed.defs#postView.
func (s *simulator) view(e Entry) map[string]any {
	record := map[string]any{"$type": postRecords, "createdAt": e.At.Truncate(time.Millisecond), "text": e.Text}
	if e.Langs != nil {
		record["langs"] = e.Langs
	}
	encoded, _ := json.Marshal(record)
	return map[string]any{
		"uri": "at://" + e.DID + "/" + postRecords + "/" + e.RKey, "cid": cidOfRecord(encoded), "record": record, "indexedAt": e.At,
		"author": map[string]any{"did": e.DID, "handle": handleOf(e.DID)},
	}
}

// authorsByDID are the people of the stream.
var authorsByDID = sync.OnceValue(func() map[string]int {
	all := make(map[string]int, authors)
	for n := range authors {
		all[didOf(authorName(n))] = n
	}
	return all
})

func authorName(n int) string { return "author " + strconv.Itoa(n) }

const authorDomain = ".stream.test"

// handleOf is the handle of somebody of the stream.
func handleOf(did string) string {
	return "author" + strconv.Itoa(authorsByDID()[did]) + authorDomain
}

// publicProfile shows one of the stream's people. Nobody else has a public profile: it would tell
// one workspace of another's.
func publicProfile(actor string) (any, error) {
	if name, ok := strings.CutSuffix(actor, authorDomain); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "author"))
		if err == nil && n >= 0 && n < authors {
			actor = didOf(authorName(n))
		}
	}
	if !strings.HasPrefix(actor, "did:") && !isHandle(actor) {
		return nil, invalid("InvalidRequest", "Error: actor must be a valid did or a handle")
	}
	n, ok := authorsByDID()[actor]
	if !ok {
		return nil, invalid("InvalidRequest", "Profile not found")
	}
	return map[string]any{
		"did": actor, "handle": handleOf(actor), "displayName": "Author " + strconv.Itoa(n), "description": "Writes on the stream of the sandbox.",
		"followersCount": n % 1000, "followsCount": n % 300, "postsCount": n % 5000,
		"createdAt": "2024-01-01T00:00:00Z", "indexedAt": "2024-01-01T00:00:00Z",
	}, nil
}
