package bluesky

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// recordInput is the input of putRecord and createRecord.
type recordInput struct {
	Repo       string          `json:"repo"`
	Collection string          `json:"collection"`
	RKey       string          `json:"rkey"`
	Record     json.RawMessage `json:"record"`
	// SwapRecord is nil when it was left out, and the text null when it was null.
	SwapRecord json.RawMessage `json:"swapRecord"`

	workspace schema.WorkspaceID // for whom it is
	by        string             // what the account is called
	handle    string             // of who writes
}

// stored is what the world keeps of a record beside its text.
type stored struct {
	CID    string          `json:"cid"`
	Record json.RawMessage `json:"record"`
	Handle string          `json:"handle,omitempty"`
}

// write puts what all writes share before one of them: token, points, the repository,
// and the marker in the text.
func (s *simulator) write(cost int, effect func(did string, input recordInput) (any, error)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		did, input, err := s.admit(rw, r, cost)
		run := s.answer(func(http.ResponseWriter, *http.Request) (any, error) {
			if err != nil {
				return nil, err
			}
			return effect(did, input)
		})
		if err != nil {
			run(rw, r)
			return
		}
		s.world.Publish(rw, r, simulation.VisibleCall{Dialect: s.dialect, Account: did, Text: textOf(input.Record)}, func(rw http.ResponseWriter) { run(rw, r) })
	}
}

func (s *simulator) admit(rw http.ResponseWriter, r *http.Request, cost int) (string, recordInput, error) {
	var input recordInput
	token, err := s.tokens.verify(r, accessScope)
	if err != nil {
		return "", input, err
	}
	if err := s.writes.take(rw.Header(), token.Subject, cost); err != nil {
		return "", input, err
	}
	if err := readInput(r, &input); err != nil {
		return "", input, err
	}
	input.workspace, input.by, input.handle = s.world.WorkspaceOf(r), s.world.NameOf(r), token.Handle
	if who, ok := s.identify(input.Repo); !ok || who.did != token.Subject {
		return "", input, refusal{http.StatusUnauthorized, "AuthenticationRequired", "Authentication Required"}
	}
	return token.Subject, input, nil
}

func textOf(record json.RawMessage) string {
	var p struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(record, &p) != nil {
		return ""
	}
	return p.Text
}

// put is putRecord. As on a PDS, putting what is there already is no change and
// succeeds, whatever swapRecord says; otherwise null means that nothing may be there.
func (s *simulator) put(did string, input recordInput) (any, error) {
	record, added, err := s.add(did, input)
	if err != nil {
		return nil, err
	}
	cid := cidOfRecord(input.Record)
	if there := record.cid(); !added && there != cid {
		return nil, s.refuseSwap(input, there)
	}
	s.deleted.Delete(record.ID)
	return map[string]string{"uri": record.ID, "cid": cid, "validationStatus": "valid"}, nil
}

// refuseSwap answers a put on a record that is there. Replacing one, which a real PDS
// does without swapRecord, is not simulated: what was published stays what it was.
func (s *simulator) refuseSwap(input recordInput, there string) error {
	if input.SwapRecord == nil {
		return refusal{http.StatusNotImplemented, "MethodNotImplemented", "records cannot be replaced here"}
	}
	return invalid(invalidSwap, "Record was at "+there)
}

var errRecordExists = errors.New("the repository has this record")

// create is createRecord, which fails on a key that is taken with an error of the
// repository that nobody words.
func (s *simulator) create(did string, input recordInput) (any, error) {
	if input.RKey == "" {
		input.RKey = tidOf(s.world.NewID())
	}
	record, added, err := s.add(did, input)
	if err != nil {
		return nil, err
	}
	if !added {
		return nil, errRecordExists
	}
	return map[string]string{"uri": record.ID, "cid": record.cid(), "validationStatus": "valid"}, nil
}

// remove is deleteRecord, which succeeds on a record that is not there too. What was
// published stays in the world, for whoever asks what ever was.
func (s *simulator) remove(did string, input recordInput) (any, error) {
	s.deleted.Store(uriOf(did, input.Collection, input.RKey), struct{}{})
	return struct{}{}, nil
}

func (s *simulator) isDeleted(p simulation.Post) bool {
	_, gone := s.deleted.Load(p.ID)
	return gone || s.world.IsTakenDown(p)
}

// written is a post of the world that is a record.
type written struct{ simulation.Post }

func (w written) stored() stored {
	var record stored
	if json.Unmarshal(w.Fields, &record) != nil {
		return stored{}
	}
	return record
}

func (w written) cid() string { return w.stored().CID }

// add stores a valid record, unless its key is taken.
func (s *simulator) add(did string, input recordInput) (written, bool, error) {
	record, media, err := s.check(did, input)
	if err != nil {
		return written{}, false, err
	}
	fields, err := json.Marshal(stored{CID: cidOfRecord(input.Record), Record: input.Record, Handle: input.handle})
	if err != nil {
		return written{}, false, fmt.Errorf("encoding record: %w", err)
	}
	p := simulation.Post{
		Account: did, ID: uriOf(did, input.Collection, input.RKey), Key: input.RKey,
		Text: record.Text, Media: media, Fields: fields, Workspace: input.workspace, By: input.by,
	}
	if record.Reply != nil {
		p.ReplyTo = record.Reply.Parent.URI
	}
	post, added, err := s.world.Add(p)
	return written{post}, added, err
}

func uriOf(did, collection, rkey string) string {
	return "at://" + did + "/" + collection + "/" + rkey
}

func (s *simulator) getRecord(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	who, ok := s.identify(query.Get("repo"))
	if !ok {
		return nil, invalid("InvalidRequest", "repo must be a handle or a DID")
	}
	p, ok := s.world.PostOfKey(who.did, query.Get("rkey"))
	record := written{p}.stored()
	if !ok || s.isDeleted(p) || query.Get("collection") != postCollection || query.Has("cid") && query.Get("cid") != record.CID {
		return nil, invalid(recordNotFound, "Could not locate record: "+uriOf(who.did, query.Get("collection"), query.Get("rkey")))
	}
	return listed{p.ID, record.CID, record.Record}, nil
}

type listed struct {
	URI   string          `json:"uri"`
	CID   string          `json:"cid"`
	Value json.RawMessage `json:"value"`
}

const (
	defaultRecords = 50
	maxRecords     = 100
)

// listRecords lists the newest keys first; the cursor is the last key of a page.
func (s *simulator) listRecords(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	limit := defaultRecords
	if text := query.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxRecords {
			return nil, invalid("InvalidRequest", "limit must be between 1 and 100")
		}
	}
	who, ok := s.identify(query.Get("repo"))
	if !ok {
		return nil, invalid("InvalidRequest", "repo must be a handle or a DID")
	}
	posts := s.recordsOf(who.did, query.Get("collection"), query.Get("reverse") == "true")
	if cursor := query.Get("cursor"); cursor != "" {
		posts = posts[slices.IndexFunc(posts, func(p simulation.Post) bool { return p.Key == cursor })+1:]
	}
	page := struct {
		Records []listed `json:"records"`
		Cursor  string   `json:"cursor,omitempty"`
	}{Records: []listed{}}
	for _, p := range posts[:min(limit, len(posts))] {
		record := written{p}.stored()
		page.Records = append(page.Records, listed{p.ID, record.CID, record.Record})
	}
	if len(posts) > limit {
		page.Cursor = posts[limit-1].Key
	}
	return page, nil
}

func (s *simulator) recordsOf(did, collection string, oldestFirst bool) []simulation.Post {
	if collection != postCollection {
		return nil
	}
	posts := slices.DeleteFunc(slices.SortedFunc(s.world.Newest(did), func(a, b simulation.Post) int { return strings.Compare(b.Key, a.Key) }), s.isDeleted)
	if oldestFirst {
		slices.Reverse(posts)
	}
	return posts
}

var tidPattern = regexp.MustCompile(`^[234567a-j][234567a-z]{12}$`)

// check holds a record to its lexicon and returns the media it embeds.
func (s *simulator) check(did string, input recordInput) (post, []simulation.Media, error) {
	if input.Collection != postCollection {
		return post{}, nil, invalid("InvalidRequest", "only "+postCollection+" is simulated")
	}
	if !tidPattern.MatchString(input.RKey) {
		return post{}, nil, badRecord("the key is no TID")
	}
	var record post
	if err := json.Unmarshal(input.Record, &record); err != nil {
		return post{}, nil, badRecord("it is no post")
	}
	if err := checkPost(record, input.Record); err != nil {
		return post{}, nil, err
	}
	media, err := s.embedded(did, record.Embed)
	return record, media, err
}

func badRecord(message string) refusal {
	return invalid("InvalidRequest", "Invalid "+postCollection+" record: "+message)
}
