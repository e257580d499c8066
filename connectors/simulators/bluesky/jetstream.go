package bluesky

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"crier/schema/sleep"
)

// Stream is a Jetstream whose posts are generated. What stands at a time follows from the seed
// and that time alone, so that a stream can be resumed anywhere, by any process, and whoever
// knows the seed knows what was on it.
type Stream struct{ config StreamConfig }

// StreamConfig is what a Stream is made of.
type StreamConfig struct {
	Rate  int // events a second; at most a million
	Seed  uint64
	Words []string // of posts, the frequent ones first
	Now   func() time.Time
	// Skew is how much later than others this host meets an event.
	Skew time.Duration
	// Since is before which there are no events; zero: there are some of a day and a half ago.
	Since time.Time
	// Cut is asked after each event whether the connection breaks; nil: it does not.
	Cut func() bool
}

// replayTime is how far back a Jetstream keeps events.
const replayTime = 36 * time.Hour

// NewStream makes a stream.
func NewStream(c StreamConfig) *Stream { return &Stream{c} }

// Entry is an event of the stream.
type Entry struct {
	N         int64 // from the beginning of time
	DID       string
	RKey      string
	Rev       string
	Operation string // create, update or delete; empty: no commit
	Text      string
	Langs     []string
	At        time.Time // when the first host met it
}

// Number returns the first event that is not before a time.
func (s *Stream) Number(at time.Time) int64 {
	period := s.period()
	return (at.UnixMicro() + period - 1) / period
}

func (s *Stream) period() int64 { return int64(time.Second/time.Microsecond) / int64(s.config.Rate) }

// Entry returns an event.
func (s *Stream) Entry(n int64) Entry {
	random := rand.New(rand.NewPCG(s.config.Seed, uint64(n)))
	at := time.UnixMicro(n * s.period()).UTC()
	e := Entry{N: n, At: at, DID: didOf(authorName(random.IntN(authors))), RKey: streamTID(at, random), Rev: streamTID(at, random)}
	switch of := random.IntN(100); {
	case of < 90:
		e.Operation = "create"
	case of < 92:
		e.Operation = "update"
	case of < 96:
		e.Operation = "delete"
		return e
	default:
		return e
	}
	e.Text = s.text(random)
	switch of := random.IntN(10); {
	case of < 6:
		e.Langs = []string{"en"}
	case of < 7:
		e.Langs = []string{"pt-BR", "en"}
	case of < 8:
		e.Langs = []string{"de"}
	}
	return e
}

// authors is how many people write on the stream.
const authors = 5000

// text writes a post: the words of the front of the list are in more of them.
func (s *Stream) text(random *rand.Rand) string {
	var text strings.Builder
	for i := range 4 + random.IntN(20) {
		if i > 0 {
			text.WriteString([]string{" ", " ", " ", " ", ", ", ". ", "\n", " #"}[random.IntN(8)])
		}
		f := random.Float64()
		word := s.config.Words[int(f*f*f*float64(len(s.config.Words)))]
		switch random.IntN(12) {
		case 0:
			word = strings.ToUpper(word)
		case 1:
			_, first := utf8.DecodeRuneInString(word)
			word = strings.ToUpper(word[:first]) + word[first:]
		}
		text.WriteString(word)
	}
	return text.String()
}

const sortable = "234567abcdefghijklmnopqrstuvwxyz"

// streamTID is an identifier of a time as records and revisions have them.
func streamTID(at time.Time, random *rand.Rand) string {
	value := uint64(at.UnixMicro())<<10 | uint64(random.IntN(1<<10))
	tid := make([]byte, 13)
	for i := len(tid) - 1; i >= 0; i-- {
		tid[i] = sortable[value&31]
		value >>= 5
	}
	return string(tid)
}

// message writes an event as the stream does (version 1 of its format).
func (s *Stream) message(e Entry) []byte {
	at := e.At.Add(s.config.Skew).UnixMicro()
	event := map[string]any{"did": e.DID, "time_us": at, "kind": "commit"}
	stamp := e.At.Truncate(time.Millisecond)
	switch e.Operation {
	case "":
		event["kind"] = "identity"
		event["identity"] = map[string]any{"did": e.DID, "seq": e.N, "time": stamp}
	case "delete":
		event["commit"] = map[string]any{"rev": e.Rev, "operation": e.Operation, "collection": postRecords, "rkey": e.RKey}
	default:
		record := map[string]any{"$type": postRecords, "createdAt": stamp, "text": e.Text}
		if e.Langs != nil {
			record["langs"] = e.Langs
		}
		event["commit"] = map[string]any{
			"rev": e.Rev, "operation": e.Operation, "collection": postRecords, "rkey": e.RKey, "record": record,
			"cid": "bafyrei" + strings.Repeat("a", 52),
		}
	}
	encoded, _ := json.Marshal(event) // strings and numbers
	return encoded
}

const postRecords = "app.bsky.feed.post"

// ServeHTTP serves the stream over a websocket from the cursor on, or from now.
func (s *Stream) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	from := s.config.Now()
	if text := r.URL.Query().Get("cursor"); text != "" {
		cursor, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			http.Error(rw, "invalid cursor", http.StatusBadRequest)
			return
		}
		if at := time.UnixMicro(cursor); at.Before(from) {
			from = at
		}
	}
	if oldest := s.config.Now().Add(-replayTime); from.Before(oldest) {
		from = oldest
	}
	from = from.Add(-s.config.Skew)
	if from.Before(s.config.Since) {
		from = s.config.Since
	}
	conn, err := websocket.Accept(rw, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	// Nobody writes to this stream; reading answers pings and notices the end.
	ctx := conn.CloseRead(r.Context())
	s.serve(ctx, conn, from, r.URL.Query()["wantedCollections"])
}

// serve writes events as they become due until the connection ends.
func (s *Stream) serve(ctx context.Context, conn *websocket.Conn, from time.Time, wanted []string) {
	for n := s.Number(from); ; {
		for due := s.Number(s.config.Now().Add(-s.config.Skew)); n < due; n++ {
			e := s.Entry(n)
			if e.Operation != "" && len(wanted) > 0 && !slices.Contains(wanted, postRecords) {
				continue
			}
			if conn.Write(ctx, websocket.MessageText, s.message(e)) != nil || s.config.Cut != nil && s.config.Cut() {
				return
			}
		}
		if sleep.For(ctx, max(streamTick, time.Second/time.Duration(s.config.Rate))) != nil {
			return
		}
	}
}

// streamTick is how often due events are written.
const streamTick = 5 * time.Millisecond
