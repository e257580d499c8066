package youtube

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const (
	maxRequest  = 1 << 20
	granule     = 256 << 10 // what parts but the last are multiples of
	sessionLife = 7 * 24 * time.Hour
	maxVideo    = 256 << 30
	// processing is how long the simulator works on a video.
	processing = 2 * time.Second
)

// session is what an upload has beside what every upload has.
type session struct {
	Resource  resource `json:"resource"`
	Parts     []string `json:"parts"`
	Length    int64    `json:"length"`
	Received  int64    `json:"received"`
	Video     string   `json:"video,omitempty"` // that it has made
	Thumbnail string   `json:"thumbnail,omitempty"`
	Playlists []string `json:"playlists,omitempty"`
}

// resource is what is told of a new video.
type resource struct {
	Snippet struct {
		Title                string   `json:"title"`
		Description          string   `json:"description"`
		Tags                 []string `json:"tags,omitempty"`
		CategoryID           string   `json:"categoryId,omitempty"`
		DefaultLanguage      string   `json:"defaultLanguage,omitempty"`
		DefaultAudioLanguage string   `json:"defaultAudioLanguage,omitempty"`
	} `json:"snippet"`
	Status struct {
		PrivacyStatus           string `json:"privacyStatus"`
		SelfDeclaredMadeForKids bool   `json:"selfDeclaredMadeForKids"`
		ContainsSyntheticMedia  bool   `json:"containsSyntheticMedia"`
		License                 string `json:"license"`
		Embeddable              *bool  `json:"embeddable,omitempty"`
		PublicStatsViewable     *bool  `json:"publicStatsViewable,omitempty"`
	} `json:"status"`
	Paid struct {
		Has bool `json:"hasPaidProductPlacement"`
	} `json:"paidProductPlacementDetails"`
}

// insertVideo begins a session, which is the only upload that the simulator takes.
func (s *simulator) insertVideo(v visit) {
	query := v.r.URL.Query()
	content, err := io.ReadAll(http.MaxBytesReader(v.rw, v.r.Body, maxRequest))
	var input resource
	var given map[string]json.RawMessage
	if err != nil || json.Unmarshal(content, &input) != nil || json.Unmarshal(content, &given) != nil {
		v.fail(badRequest("parseError", "Invalid JSON payload received."))
		return
	}
	length, err := strconv.ParseInt(v.r.Header.Get("X-Upload-Content-Length"), 10, 64)
	parts := v.parts()
	switch {
	case query.Get("uploadType") != "resumable":
		v.fail(badRequest("invalidUploadType", "Upload type is not supported."))
		return
	case err != nil || length <= 0 || length > maxVideo:
		v.fail(badRequest("mediaBodyRequired", "The request does not include the video content."))
		return
	}
	for name := range given {
		if !parts[name] {
			v.fail(badRequest("unexpectedPart", "'"+name+"'"))
			return
		}
	}
	if err := input.check(); err != nil {
		v.fail(err)
		return
	}
	if input.Status.PrivacyStatus == "" {
		input.Status.PrivacyStatus = "public" // since 2 November 2026
	}
	begun := session{Resource: input, Length: length}
	for name := range parts {
		begun.Parts = append(begun.Parts, name)
	}
	slices.Sort(begun.Parts)
	stored, err := s.put(simulation.Upload{Account: v.channel, Content: s.world.NewContent(), Type: v.r.Header.Get("X-Upload-Content-Type")}, begun)
	if err != nil {
		v.fail(err)
		return
	}
	v.rw.Header().Set("Location", s.world.BaseURL()+"/upload/youtube/v3/videos?uploadType=resumable&upload_id="+stored.ID)
	v.rw.WriteHeader(http.StatusOK)
}

// check refuses what a video may not be called (developers.google.com/youtube/v3/docs/videos).
func (r resource) check() error {
	tags := 0
	for _, tag := range r.Snippet.Tags {
		tags += utf8.RuneCountInString(tag) + 1
		if strings.Contains(tag, " ") {
			tags += 2
		}
	}
	switch title, text := r.Snippet.Title, r.Snippet.Description; {
	case title == "" || utf8.RuneCountInString(title) > 100 || strings.ContainsAny(title, "<>"):
		return badRequest("invalidTitle", "The request metadata specifies an invalid or empty video title.")
	case len(text) > 5000 || strings.ContainsAny(text, "<>"):
		return badRequest("invalidDescription", "The request metadata specifies an invalid video description.")
	case tags > 501:
		return badRequest("invalidTags", "The request metadata specifies invalid video keywords.")
	case !slices.Contains([]string{"", "public", "unlisted", "private"}, r.Status.PrivacyStatus):
		return badRequest("invalidPrivacyStatus", "The privacy status is not valid.")
	case !slices.Contains([]string{"", "youtube", "creativeCommon"}, r.Status.License):
		return badRequest("invalidVideoMetadata", "The request metadata is invalid.")
	default:
		return nil
	}
}

func (s *simulator) put(stored simulation.Upload, fields session) (simulation.Upload, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return stored, err
	}
	stored.Fields = encoded
	return s.world.PutUpload(stored)
}

func (s *simulator) sessionOf(id string) (simulation.Upload, session, bool) {
	stored, ok := s.world.Upload(id)
	var fields session
	ok = ok && json.Unmarshal(stored.Fields, &fields) == nil && s.world.Now().Before(stored.CreatedAt.Add(sessionLife))
	return stored, fields, ok
}

// bytesRange is what a call of a session sends.
type bytesRange struct {
	isQuestion        bool
	first, last, size int64
}

func parseRange(header string) (sent bytesRange, ok bool) {
	if _, err := fmt.Sscanf(header, "bytes */%d", &sent.size); err == nil {
		sent.isQuestion = true
		return sent, sent.size > 0
	}
	n, err := fmt.Sscanf(header, "bytes %d-%d/%d", &sent.first, &sent.last, &sent.size)
	return sent, err == nil && n == 3 && sent.first >= 0 && sent.last >= sent.first && sent.last < sent.size
}

// continueUpload takes bytes of a video, or tells how far its upload is
// (developers.google.com/youtube/v3/guides/using_resumable_upload_protocol).
func (s *simulator) continueUpload(v visit) {
	stored, fields, ok := s.sessionOf(v.r.URL.Query().Get("upload_id"))
	if !ok || stored.Account != v.channel {
		http.Error(v.rw, "Not Found", http.StatusNotFound)
		return
	}
	sent, ok := parseRange(v.r.Header.Get("Content-Range"))
	length := sent.last - sent.first + 1
	switch {
	case !ok || sent.size != fields.Length:
		http.Error(v.rw, "Failed to parse Content-Range header.", http.StatusBadRequest)
	case fields.Video != "":
		s.answerVideo(v, fields)
	case sent.isQuestion:
		resume(v.rw, fields.Received)
	case sent.first > fields.Received:
		http.Error(v.rw, "Invalid request. There are bytes missing.", http.StatusBadRequest)
	case sent.last+1 < sent.size && length%granule != 0:
		http.Error(v.rw, "Invalid request. The number of bytes uploaded is required to be equal or greater than 262144, except for the final request.", http.StatusBadRequest)
	default:
		s.receive(v, stored, fields, sent)
	}
}

// resume says how much has arrived.
func resume(rw http.ResponseWriter, received int64) {
	if received > 0 {
		rw.Header().Set("Range", fmt.Sprintf("bytes=0-%d", received-1))
	}
	rw.WriteHeader(http.StatusPermanentRedirect)
}

// receive keeps what arrives, without what it has. Of a part that is cut off whole granules stay.
func (s *simulator) receive(v visit, stored simulation.Upload, fields session, sent bytesRange) {
	body := io.LimitReader(v.r.Body, sent.last-sent.first+1)
	if _, err := io.CopyN(io.Discard, body, min(fields.Received, sent.last+1)-sent.first); err != nil {
		return // the client is gone
	}
	counted := &counter{Reader: body}
	mediaType, _, err := s.world.Receive(stored.Content, fields.Received, counted)
	if fields.Received == 0 && mediaType != "application/octet-stream" { // else it is believed what it was said to be
		stored.Type = mediaType
	}
	received := fields.Received + counted.n
	isWhole := err == nil && received == fields.Length
	if err != nil {
		received = received / granule * granule
	}
	if isWhole {
		stored.Size = received
		s.finish(v, stored, fields)
		return
	}
	fields.Received = max(fields.Received, received)
	if _, err := s.put(stored, fields); err != nil {
		v.fail(err)
		return
	}
	resume(v.rw, fields.Received)
}

type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// finish makes the video of an upload that is whole.
func (s *simulator) finish(v visit, stored simulation.Upload, fields session) {
	text := fields.Resource.Snippet.Description
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.channel, Text: text}, func(rw http.ResponseWriter) {
		v.rw = rw
		id := base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(s.world.NewID())<<8|0x5a))
		encoded, err := json.Marshal(madeBy{stored.ID})
		if err != nil {
			v.fail(err)
			return
		}
		fields.Received, fields.Video = fields.Length, id
		if _, err := s.put(stored, fields); err != nil {
			v.fail(err)
			return
		}
		_, _, err = s.world.Add(simulation.Post{
			Account: v.channel, ID: id, Text: text, Media: []simulation.Media{stored.Media()}, Fields: encoded, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
		})
		if err != nil {
			v.fail(err)
			return
		}
		s.answerVideo(v, fields)
	})
}

// madeBy is what a video keeps.
type madeBy struct {
	Session string `json:"session"`
}

// answerVideo answers with the video of a session, in the parts that it was begun with.
func (s *simulator) answerVideo(v visit, fields session) {
	p, ok := s.world.Post(v.channel, fields.Video)
	if !ok {
		v.fail(notFound("videoNotFound", "The video cannot be found."))
		return
	}
	q := v.r.URL.Query()
	q.Set("part", strings.Join(fields.Parts, ","))
	v.r.URL.RawQuery = q.Encode()
	answer(v.rw, http.StatusOK, v.partsOf(s.videoOf(p, fields)))
}
