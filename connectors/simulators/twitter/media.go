package twitter

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const (
	// uploadLife is how long X keeps what no post uses.
	uploadLife = 24 * time.Hour
	// processingTime is how long the simulator processes a video or a GIF; images are ready
	// at once.
	processingTime = 2 * time.Second
	checkAfter     = 1 // seconds

	maxSegmentBytes = 5 << 20
	maxSegments     = 1000
	maxAltText      = 1000
	maxField        = 1 << 10 // of a form, except for its file
)

// The most bytes of each category (docs.x.com/x-api/media/quickstart).
func maxBytes(category string) int64 {
	return map[string]int64{"tweet_image": 5 << 20, "tweet_gif": 15 << 20, "tweet_video": 512 << 20}[category]
}

// uploadFields is what an upload has beside what every upload has.
type uploadFields struct {
	Category string  `json:"category"`
	Total    int64   `json:"total"`
	Segments []int64 `json:"segments,omitempty"` // bytes, by index; -1: not there
	Whole    bool    `json:"whole,omitempty"`
	Used     bool    `json:"used,omitempty"`
	Failed   string  `json:"failed,omitempty"` // why it could not be processed
}

func uploadOf(u simulation.Upload) (f uploadFields) {
	if json.Unmarshal(u.Fields, &f) != nil {
		return uploadFields{}
	}
	return f
}

func (s *simulator) put(u simulation.Upload, f uploadFields) (simulation.Upload, error) {
	fields, err := json.Marshal(f)
	if err != nil {
		return u, err
	}
	u.Fields = fields
	return s.world.PutUpload(u)
}

// initialize begins an upload.
func (s *simulator) initialize(v visit) {
	var input struct {
		Category string   `json:"media_category"`
		Type     string   `json:"media_type"`
		Total    int64    `json:"total_bytes"`
		Owners   []string `json:"additional_owners"`
		Shared   bool     `json:"shared"`
	}
	err := decode(v, &input)
	maximum := maxBytes(input.Category)
	switch {
	case err != nil:
	case maximum == 0 || input.Total < 1 || input.Total > maximum:
		err = invalidRequest("`total_bytes` is more than the category " + input.Category + " allows")
	case !slices.Contains([]string{"image/jpeg", "image/png", "image/webp", "image/gif", "video/mp4", "video/quicktime"}, input.Type):
		err = invalidRequest("`media_type` is not one of its values")
	}
	if err != nil {
		v.fail(err)
		return
	}
	upload, err := s.put(simulation.Upload{Account: v.account.ID, Type: input.Type, Content: s.world.NewContent()}, uploadFields{Category: input.Category, Total: input.Total})
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, object{"data": object{
		"id": upload.ID, "media_key": mediaKey(upload.ID, upload.Type), "expires_after_secs": int(uploadLife.Seconds()),
	}})
}

// mediaKey is how posts name media: by what it is, and its id.
func mediaKey(id, mediaType string) string {
	kind := "3"
	if strings.HasPrefix(mediaType, "video/") {
		kind = "7"
	}
	return kind + "_" + id
}

// find returns an upload of the caller's that is not too old.
func (s *simulator) find(v visit, id string) (simulation.Upload, uploadFields, error) {
	u, ok := s.world.Upload(id)
	if !ok || u.Account != v.account.ID || s.world.Now().After(u.CreatedAt.Add(uploadLife)) {
		return u, uploadFields{}, notFound("media", id)
	}
	return u, uploadOf(u), nil
}

// append takes a segment. One that comes again replaces the
// first.
func (s *simulator) append(v visit) {
	v.profile.acting.Lock()
	defer v.profile.acting.Unlock()
	u, f, err := s.find(v, v.r.PathValue("id"))
	if err == nil && f.Whole {
		err = invalidRequest("The upload is finalized")
	}
	var part segment
	if err == nil {
		part, err = s.readSegment(v.r, u, f)
	}
	if err != nil {
		io.Copy(io.Discard, v.r.Body) // or the client may miss the answer
		v.fail(err)
		return
	}
	for len(f.Segments) <= part.index {
		f.Segments = append(f.Segments, -1)
	}
	f.Segments[part.index] = part.size
	if part.index == 0 && part.kind != "application/octet-stream" { // which is of what cannot be told
		u.Type = part.kind
	}
	if _, err := s.put(u, f); err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, object{"data": object{"expires_at": u.CreatedAt.Add(uploadLife).Unix()}})
}

// segment is what one append brings.
type segment struct {
	index int
	size  int64
	kind  string // by content
}

func (s *simulator) readSegment(r *http.Request, u simulation.Upload, f uploadFields) (part segment, err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return part, invalidRequest("The body is no form")
	}
	part.index = -1
	for {
		field, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.read(&part, field, u, f)
		}
		if err != nil {
			return part, invalidRequest("The form cannot be read")
		}
	}
	if part.index < 0 || part.index >= maxSegments || part.size < 1 || part.size > maxSegmentBytes {
		return part, invalidRequest("`segment_index` or `media` is out of bounds")
	}
	return part, nil
}

func (s *simulator) read(p *segment, field *multipart.Part, u simulation.Upload, f uploadFields) (err error) {
	switch field.FormName() {
	case "media":
		offset, known := f.offset(p.index)
		if !known {
			p.kind, p.size, err = simulation.Sniff(field)
			return err
		}
		p.kind, p.size, err = s.world.Receive(u.Content, offset, field)
		return err
	case "segment_index":
		text, err := io.ReadAll(io.LimitReader(field, maxField))
		if err != nil {
			return err
		}
		p.index, err = strconv.Atoi(string(text))
		return err
	default:
		return errors.New("a field that is not known")
	}
}

// offset is where a segment begins, which is known once those before it are there.
func (f uploadFields) offset(index int) (offset int64, known bool) {
	if index < 0 || index > len(f.Segments) {
		return 0, false
	}
	for _, size := range f.Segments[:index] {
		if size < 0 {
			return 0, false
		}
		offset += size
	}
	return offset, true
}

// finalize ends an upload that has all its segments, once.
func (s *simulator) finalize(v visit) {
	v.profile.acting.Lock()
	defer v.profile.acting.Unlock()
	u, f, err := s.find(v, v.r.PathValue("id"))
	if err == nil {
		u.Size, err = f.size()
	}
	if err != nil {
		v.fail(err)
		return
	}
	f.Whole = true
	measured := s.world.Measure(u.Content)
	if f.Category != "tweet_image" {
		u.ReadyAt, f.Failed = s.world.Now().Add(processingTime), failureOf(u.Type, measured)
	} else if measured.Width > 0 && min(measured.Width, measured.Height) < minSide {
		v.fail(invalidRequest("The image is too small"))
		return
	}
	if u, err = s.put(u, f); err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, object{"data": s.status(u)})
}

// size returns how much an upload has, which must be all.
func (f uploadFields) size() (total int64, err error) {
	for _, size := range f.Segments {
		if size < 0 {
			return 0, invalidRequest("A segment is missing")
		}
		total += size
	}
	if f.Whole || total != f.Total {
		return 0, invalidRequest("The upload does not have its total_bytes, or is finalized")
	}
	return total, nil
}

func (s *simulator) mediaStatus(v visit) {
	query := v.r.URL.Query()
	u, f, err := s.find(v, query.Get("media_id"))
	if command := query.Get("command"); command != "" && command != "STATUS" {
		err = invalidRequest("The `command` is not one of its values")
	}
	if err == nil && !f.Whole {
		err = notFound("media", u.ID)
	}
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, object{"data": s.status(u)})
}

// status is an upload as X shows it. What it says of the processing disappears with the
// processing.
func (s *simulator) status(u simulation.Upload) object {
	now := s.world.Now()
	left := int(u.CreatedAt.Add(uploadLife).Sub(now).Seconds())
	out := object{"id": u.ID, "media_key": mediaKey(u.ID, u.Type), "size": u.Size, "expires_after_secs": left}
	if wait := u.ReadyAt.Sub(now); wait > 0 {
		state, percent := "pending", 0
		if wait < processingTime {
			state, percent = "in_progress", int(100*(processingTime-wait)/processingTime)
		}
		out["processing_info"] = object{"state": state, "check_after_secs": checkAfter, "progress_percent": percent}
		return out
	}
	if failed := uploadOf(u).Failed; failed != "" {
		out["processing_info"] = object{"state": "failed", "progress_percent": 0, "error": object{"code": 1, "name": "InvalidMedia", "message": failed}}
	}
	return out
}

// The bounds of pictures and films (docs.x.com/x-api/media/quickstart/best-practices).
const (
	minSide     = 4
	minFilmSide = 32
	minFilm     = 500 * time.Millisecond
	maxFilm     = 20 * time.Minute
)

// failureOf says why X cannot process what was uploaded; empty: it can.
func failureOf(mediaType string, m simulation.Measured) string {
	switch {
	case !slices.Contains([]string{"video/mp4", "video/quicktime", "image/gif"}, mediaType):
		return "Unsupported video format"
	case m.Duration > 0 && m.Duration < minFilm:
		return "Duration too short, minimum:500"
	case m.Duration > maxFilm:
		return "Duration too long, maximum:1200000"
	case mediaType != "image/gif" && m.Width > 0 && min(m.Width, m.Height) < minFilmSide:
		return "Dimensions must be between 32x32 and 1280x1024"
	case m.Codec != "" && !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Codec):
		return "Unsupported video format"
	default:
		return ""
	}
}

// describe gives an upload its alternative text.
func (s *simulator) describe(v visit) {
	v.profile.acting.Lock()
	defer v.profile.acting.Unlock()
	var input struct {
		ID       string `json:"id"`
		Metadata struct {
			AltText struct {
				Text string `json:"text"`
			} `json:"alt_text"`
		} `json:"metadata"`
	}
	err := decode(v, &input)
	var u simulation.Upload
	var f uploadFields
	if err == nil {
		u, f, err = s.find(v, input.ID)
	}
	if err == nil && utf8.RuneCountInString(input.Metadata.AltText.Text) > maxAltText {
		err = invalidRequest("`metadata.alt_text.text` is longer than 1000 characters")
	}
	if err == nil {
		u.AltText = input.Metadata.AltText.Text
		_, err = s.put(u, f)
	}
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, object{"data": object{
		"id": u.ID, "associated_metadata": object{"alt_text": object{"text": u.AltText}},
	}})
}

// uploads returns the uploads that a post asks for, or why it cannot have them.
func (s *simulator) uploads(account string, ids []string) ([]simulation.Upload, error) {
	var found []simulation.Upload
	for _, id := range ids {
		u, ok := s.world.Upload(id)
		f, now := uploadOf(u), s.world.Now()
		if !ok || u.Account != account || !f.Whole || f.Failed != "" || f.Used || now.Before(u.ReadyAt) || now.After(u.CreatedAt.Add(uploadLife)) {
			return nil, invalidRequest("Your media IDs are invalid.")
		}
		if len(ids) > 1 && f.Category != "tweet_image" {
			return nil, invalidRequest("A post has up to 4 images, or 1 video or GIF.")
		}
		found = append(found, u)
	}
	return found, nil
}

// use marks uploads as a post's.
func (s *simulator) use(uploads []simulation.Upload) error {
	for _, u := range uploads {
		f := uploadOf(u)
		f.Used = true
		if _, err := s.put(u, f); err != nil {
			return err
		}
	}
	return nil
}
