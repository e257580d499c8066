package bluesky

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bluesky-social/indigo/atproto/syntax"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// stage is a simulator that is called by hand.
type stage struct {
	world *simulation.World
	base  string
	ahead atomic.Int64 // of the system's clock
}

func newStage(t *testing.T, limits limits) *stage {
	t.Helper()
	s := &stage{}
	s.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Bluesky, Now: s.now, BaseURL: func() string { return s.base },
	})
	server := httptest.NewServer(newSimulator(s.world, limits))
	s.base = server.URL
	t.Cleanup(server.Close)
	return s
}

func (s *stage) now() time.Time          { return time.Now().Add(time.Duration(s.ahead.Load())) }
func (s *stage) advance(d time.Duration) { s.ahead.Add(int64(d)) }

func (s *stage) raw(t *testing.T, verb, method, token, body string) (int, http.Header, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), verb, s.base+"/xrpc/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		t.Fatalf("%s answered no JSON: %v", method, err)
	}
	return response.StatusCode, response.Header, decoded
}

func (s *stage) wantPosts(t *testing.T, want int) {
	t.Helper()
	if posts := s.world.Posts(); len(posts) != want {
		t.Fatalf("the repository has %d posts, want %d", len(posts), want)
	}
}

// login returns an access token, a refresh token and a DID.
func (s *stage) login(t *testing.T, identifier string) (access, refresh, did string) {
	t.Helper()
	status, _, answer := s.raw(t, http.MethodPost, "com.atproto.server.createSession", "", `{"identifier": "`+identifier+`", "password": "p"}`)
	if status != http.StatusOK {
		t.Fatalf("createSession answered %d %v", status, answer)
	}
	return answer["accessJwt"].(string), answer["refreshJwt"].(string), answer["did"].(string)
}

const createdAt = `"createdAt": "2026-11-21T10:00:00.000Z"`

// putBody is the input of putRecord: a post of these fields, on an empty place.
func putBody(did, rkey, fields string) string {
	return `{"repo": "` + did + `", "collection": "app.bsky.feed.post", "rkey": "` + rkey +
		`", "swapRecord": null, "record": {"$type": "app.bsky.feed.post", ` + fields + `}}`
}

// wantRefusal checks a refusal's status and name.
func wantRefusal(t *testing.T, status int, answer map[string]any, wantStatus int, wantName string) {
	t.Helper()
	if status != wantStatus || answer["error"] != wantName {
		t.Errorf("answered %d %v, want %d %s", status, answer, wantStatus, wantName)
	}
}

func TestSimulatorRefusesBadTokens(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, refresh, _ := s.login(t, "alice.example.com")
	for name, tt := range map[string]struct {
		token  string
		later  time.Duration
		status int
		want   string
	}{
		"none":             {"", 0, http.StatusUnauthorized, "AuthMissing"},
		"no JWT":           {"token", 0, http.StatusBadRequest, invalidTokenText},
		"forged":           {access + "x", 0, http.StatusBadRequest, invalidTokenText},
		"a refresh token":  {refresh, 0, http.StatusBadRequest, invalidTokenText},
		"an expired token": {access, accessLife, http.StatusBadRequest, "ExpiredToken"},
	} {
		t.Run(name, func(t *testing.T) {
			s.advance(tt.later)
			defer s.advance(-tt.later)
			status, _, answer := s.raw(t, http.MethodGet, "com.atproto.server.getSession", tt.token, "")
			wantRefusal(t, status, answer, tt.status, tt.want)
		})
	}
}

const invalidTokenText = "InvalidToken"

func TestSimulatorRotatesRefreshTokens(t *testing.T) {
	s := newStage(t, pdsLimits())
	_, refresh, _ := s.login(t, "alice.example.com")
	status, _, first := s.raw(t, http.MethodPost, "com.atproto.server.refreshSession", refresh, "")
	if status != http.StatusOK {
		t.Fatalf("refreshSession answered %d %v", status, first)
	}
	if status, _, answer := s.raw(t, http.MethodPost, "com.atproto.server.refreshSession", refresh, ""); status != http.StatusOK {
		t.Errorf("within its grace a used token is answered %d %v", status, answer)
	}
	s.advance(refreshGrace + time.Minute)
	status, _, answer := s.raw(t, http.MethodPost, "com.atproto.server.refreshSession", refresh, "")
	wantRefusal(t, status, answer, http.StatusBadRequest, "ExpiredToken")
	if status, _, answer := s.raw(t, http.MethodPost, "com.atproto.server.refreshSession", first["refreshJwt"].(string), ""); status != http.StatusOK {
		t.Errorf("the new token is answered %d %v", status, answer)
	}
}

func TestSimulatorKnowsAnAccountAgain(t *testing.T) {
	s := newStage(t, pdsLimits())
	_, _, byHandle := s.login(t, "Alice.Example.com")
	_, _, byDID := s.login(t, byHandle)
	if byHandle != byDID {
		t.Errorf("by handle %s, by DID %s", byHandle, byDID)
	}
	if _, err := syntax.ParseDID(byHandle); err != nil {
		t.Error(err)
	}
	for _, input := range []string{`{"identifier": "alice", "password": "p"}`, `{"identifier": "alice.example.com"}`} {
		status, _, answer := s.raw(t, http.MethodPost, "com.atproto.server.createSession", "", input)
		wantRefusal(t, status, answer, http.StatusUnauthorized, "AuthenticationRequired")
	}
}

func TestSimulatorHoldsRecordsToTheLexicon(t *testing.T) {
	const rkey = "3n2svgepjdo4k"
	s := newStage(t, pdsLimits())
	access, _, did := s.login(t, "alice.example.com")
	for name, tt := range map[string]struct {
		rkey, fields string
		want         string // name of the refusal; empty: taken
	}{
		"a post":                 {"3n2svgepjdo4a", `"text": "hello", ` + createdAt, ""},
		"an empty text":          {"3n2svgepjdo4b", `"text": "", ` + createdAt, ""},
		"no text":                {rkey, createdAt, "InvalidRequest"},
		"no time":                {rkey, `"text": "hello"`, "InvalidRequest"},
		"a time without a zone":  {rkey, `"text": "hello", "createdAt": "2026-11-21T10:00:00"`, "InvalidRequest"},
		"301 graphemes":          {rkey, `"text": "` + strings.Repeat("é", 301) + `", ` + createdAt, "InvalidRequest"},
		"3001 bytes":             {rkey, `"text": "` + strings.Repeat("👨‍👩‍👧‍👦", 121) + `", ` + createdAt, "InvalidRequest"},
		"a locale as language":   {rkey, `"text": "a", "langs": ["en", "pt_BR"], ` + createdAt, "InvalidRequest"},
		"four languages":         {rkey, `"text": "a", "langs": ["a", "b", "c", "d"], ` + createdAt, "InvalidRequest"},
		"a key that is no TID":   {"self", `"text": "hello", ` + createdAt, "InvalidRequest"},
		"a facet past the end":   {rkey, `"text": "a", "facets": [{"index": {"byteStart": 0, "byteEnd": 2}, "features": []}], ` + createdAt, "InvalidRequest"},
		"a facet in a character": {rkey, `"text": "é", "facets": [{"index": {"byteStart": 0, "byteEnd": 1}, "features": []}], ` + createdAt, "InvalidRequest"},
		"a reply to nothing":     {rkey, `"text": "a", "reply": {"root": {}, "parent": {}}, ` + createdAt, "InvalidRequest"},
		"a blob nobody uploaded": {rkey, `"text": "a", "embed": {"$type": "app.bsky.embed.images", "images": [{"alt": "", "image":
			{"$type": "blob", "ref": {"$link": "bafkreia"}, "mimeType": "image/png", "size": 5}}]}, ` + createdAt, "BlobNotFound"},
		"a blob over the limit": {rkey, `"text": "a", "embed": {"$type": "app.bsky.embed.images", "images": [{"alt": "", "image":
			{"$type": "blob", "ref": {"$link": "bafkreia"}, "mimeType": "image/png", "size": 2000001}}]}, ` + createdAt, "InvalidRequest"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, answer := s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, putBody(did, tt.rkey, tt.fields))
			if tt.want != "" {
				wantRefusal(t, status, answer, http.StatusBadRequest, tt.want)
				return
			}
			if status != http.StatusOK {
				t.Fatalf("answered %d %v", status, answer)
			}
			if cid, err := syntax.ParseCID(answer["cid"].(string)); err != nil || !strings.HasPrefix(cid.String(), "bafyrei") {
				t.Errorf("cid = %s, %v", cid, err)
			}
		})
	}
}

func TestSimulatorRefusesAnotherRepository(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, _, _ := s.login(t, "alice.example.com")
	body := putBody(didOf("bob.example.com"), "3n2svgepjdo4k", `"text": "hello", `+createdAt)
	status, _, answer := s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, body)
	wantRefusal(t, status, answer, http.StatusUnauthorized, "AuthenticationRequired")
}

// What a PDS does with a key that is taken: createRecord fails badly, putRecord well,
// and putting the same again is no change.
func TestSimulatorOnATakenKey(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, _, did := s.login(t, "alice.example.com")
	body := putBody(did, "3n2svgepjdo4k", `"text": "hello", `+createdAt)
	other := putBody(did, "3n2svgepjdo4k", `"text": "another", `+createdAt)
	for range 2 {
		if status, _, answer := s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, body); status != http.StatusOK {
			t.Errorf("answered %d %v", status, answer)
		}
	}
	status, _, answer := s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, other)
	wantRefusal(t, status, answer, http.StatusBadRequest, "InvalidSwap")
	status, _, answer = s.raw(t, http.MethodPost, "com.atproto.repo.createRecord", access, body)
	wantRefusal(t, status, answer, http.StatusInternalServerError, "InternalServerError")
	s.wantPosts(t, 1)
}

func TestSimulatorReadsRecords(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, _, did := s.login(t, "alice.example.com")
	for i := range 5 {
		body := putBody(did, "3n2svgepjdo4"+strconv.Itoa(i+2), `"text": "`+strconv.Itoa(i)+`", `+createdAt)
		if status, _, answer := s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, body); status != http.StatusOK {
			t.Fatalf("answered %d %v", status, answer)
		}
	}
	query := "?repo=alice.example.com&collection=app.bsky.feed.post"
	status, _, answer := s.raw(t, http.MethodGet, "com.atproto.repo.getRecord"+query+"&rkey=3n2svgepjdo44", "", "")
	if value, ok := answer["value"].(map[string]any); status != http.StatusOK || !ok || value["text"] != "2" {
		t.Errorf("getRecord answered %d %v", status, answer)
	}
	status, _, answer = s.raw(t, http.MethodGet, "com.atproto.repo.getRecord"+query+"&rkey=3n2svgepjdo4z", "", "")
	wantRefusal(t, status, answer, http.StatusBadRequest, "RecordNotFound")

	var texts []string
	for cursor := ""; ; {
		_, _, answer := s.raw(t, http.MethodGet, "com.atproto.repo.listRecords"+query+"&limit=2&cursor="+cursor, "", "")
		for _, r := range answer["records"].([]any) {
			texts = append(texts, r.(map[string]any)["value"].(map[string]any)["text"].(string))
		}
		next, ok := answer["cursor"].(string)
		if !ok {
			break
		}
		cursor = next
	}
	if got := strings.Join(texts, " "); got != "4 3 2 1 0" {
		t.Errorf("listRecords = %s", got)
	}
}

func TestSimulatorDeletesRecords(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, _, did := s.login(t, "alice.example.com")
	body := putBody(did, "3n2svgepjdo4k", `"text": "hello", `+createdAt)
	query := "?repo=" + did + "&collection=app.bsky.feed.post"
	for _, method := range []string{"com.atproto.repo.putRecord", "com.atproto.repo.deleteRecord", "com.atproto.repo.deleteRecord"} {
		if status, _, answer := s.raw(t, http.MethodPost, method, access, body); status != http.StatusOK {
			t.Fatalf("%s answered %d %v", method, status, answer)
		}
	}
	status, _, answer := s.raw(t, http.MethodGet, "com.atproto.repo.getRecord"+query+"&rkey=3n2svgepjdo4k", "", "")
	wantRefusal(t, status, answer, http.StatusBadRequest, "RecordNotFound")
	if _, _, answer := s.raw(t, http.MethodGet, "com.atproto.repo.listRecords"+query, "", ""); len(answer["records"].([]any)) != 0 {
		t.Errorf("listRecords = %v", answer)
	}
}

func TestUnlimitedSimulator(t *testing.T) {
	s := newStage(t, limits{})
	for range 400 { // more than a day's logins
		s.login(t, "alice.example.com")
	}
}

func TestSimulatorSpendsPoints(t *testing.T) {
	limits := pdsLimits()
	limits.writes = []window{{5, time.Hour}, {100, 24 * time.Hour}}
	s := newStage(t, limits)
	access, _, did := s.login(t, "alice.example.com")
	put := func(key string) (int, http.Header, map[string]any) {
		return s.raw(t, http.MethodPost, "com.atproto.repo.putRecord", access, putBody(did, key, `"text": "hello", `+createdAt))
	}
	if status, header, _ := put("3n2svgepjdo4a"); status != http.StatusOK || header.Get("RateLimit-Remaining") != "3" {
		t.Errorf("answered %d with %s of %s points left", status, header.Get("RateLimit-Remaining"), header.Get("RateLimit-Limit"))
	}
	if status, header, _ := put("3n2svgepjdo4b"); status != http.StatusOK || header.Get("RateLimit-Policy") != "5;w=3600" {
		t.Errorf("answered %d under %s", status, header.Get("RateLimit-Policy"))
	}
	status, header, answer := put("3n2svgepjdo4c")
	wantRefusal(t, status, answer, http.StatusTooManyRequests, "RateLimitExceeded")
	reset, err := strconv.ParseInt(header.Get("RateLimit-Reset"), 10, 64)
	if wait := time.Unix(reset, 0).Sub(s.now()); err != nil || wait < 50*time.Minute || wait > time.Hour {
		t.Errorf("RateLimit-Reset = %s, %v ahead", header.Get("RateLimit-Reset"), wait)
	}
	s.advance(time.Hour)
	if access, _, _ = s.login(t, "alice.example.com"); access == "" {
		t.Fatal("no token")
	}
	if status, _, answer := put("3n2svgepjdo4c"); status != http.StatusOK {
		t.Errorf("in the next window: %d %v", status, answer)
	}
}

func TestSimulatorDescribesItself(t *testing.T) {
	s := newStage(t, pdsLimits())
	access, _, _ := s.login(t, "alice.example.com")
	for method, field := range map[string]string{
		"com.atproto.server.describeServer":                         "availableUserDomains",
		"com.atproto.identity.resolveHandle?handle=bob.example.com": "did",
		"com.atproto.server.getServiceAuth?aud=did:web:example.com": "token",
	} {
		status, _, answer := s.raw(t, http.MethodGet, method, access, "")
		if _, ok := answer[field]; status != http.StatusOK || !ok {
			t.Errorf("%s answered %d %v", method, status, answer)
		}
	}
	status, _, answer := s.raw(t, http.MethodGet, "app.bsky.video.getUploadLimits", access, "")
	wantRefusal(t, status, answer, http.StatusBadRequest, "InvalidToken")
	exp := strconv.FormatInt(s.now().Add(2*time.Hour).Unix(), 10)
	status, _, answer = s.raw(t, http.MethodGet, "com.atproto.server.getServiceAuth?aud=did:web:example.com&exp="+exp, access, "")
	wantRefusal(t, status, answer, http.StatusBadRequest, "BadExpiration")
	status, _, answer = s.raw(t, http.MethodGet, "app.bsky.feed.getTimeline", access, "")
	wantRefusal(t, status, answer, http.StatusNotImplemented, "MethodNotImplemented")
}

func TestCIDOfARecordIgnoresTheOrderOfKeys(t *testing.T) {
	first := cidOfRecord(json.RawMessage(`{"a": 1, "b": [2, 3]}`))
	if second := cidOfRecord(json.RawMessage(`{"b":[2,3],"a":1}`)); first != second {
		t.Errorf("%s is not %s", first, second)
	}
	if other := cidOfRecord(json.RawMessage(`{"a": 1, "b": [3, 2]}`)); first == other {
		t.Errorf("two records have CID %s", first)
	}
}
