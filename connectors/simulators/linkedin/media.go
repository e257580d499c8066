package linkedin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

const (
	// partSize is how large the parts of a video are; only the last is smaller (videos-api).
	partSize = 4 << 20
	// videoProcessing is how long the simulator processes a video and a document.
	videoProcessing = time.Second
	maxVideo        = 500 << 20
	maxDocument     = 100 << 20
	maxPixels       = 36_152_320 // below which an image has to be (images-api)
	maxFilm         = 30 * time.Minute
	uploadLife      = 24 * time.Hour
)

// mediaFields is what an upload has beside what every upload has.
type mediaFields struct {
	Kind   string         `json:"kind"` // image, video or document
	Owner  string         `json:"owner"`
	Size   int64          `json:"size"` // that was announced; of videos alone
	Token  string         `json:"token,omitempty"`
	Parts  map[int]string `json:"parts,omitempty"` // ETags by number
	Done   bool           `json:"done,omitempty"`
	Failed string         `json:"failed,omitempty"` // why it could not be processed
}

// parts is how many pieces a file is wanted in.
func (f mediaFields) parts() int {
	if f.Kind != "video" {
		return 1
	}
	return int((f.Size + partSize - 1) / partSize)
}

// media returns an upload by its URN.
func (s *simulator) media(urn string) (simulation.Upload, mediaFields, bool) {
	stored, ok := s.world.Upload(urn[strings.LastIndexByte(urn, ':')+1:])
	var fields mediaFields
	if !ok || json.Unmarshal(stored.Fields, &fields) != nil || urn != "urn:li:"+fields.Kind+":"+stored.ID {
		return stored, fields, false
	}
	return stored, fields, true
}

func (s *simulator) put(stored simulation.Upload, fields mediaFields) (simulation.Upload, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return stored, err
	}
	stored.Fields = encoded
	return s.world.PutUpload(stored)
}

// actOnMedia begins an upload, or ends one of a video.
func (s *simulator) actOnMedia(v visit) {
	kind := strings.TrimSuffix(strings.TrimPrefix(v.r.URL.Path, "/rest/"), "s")
	switch action := v.r.URL.Query().Get("action"); {
	case action == "initializeUpload":
		s.initialize(v, kind)
	case action == "finalizeUpload" && kind == "video":
		s.finalize(v)
	default:
		v.fail(badInput("PARAM_INVALID", "there is no such action"))
	}
}

func (s *simulator) initialize(v visit, kind string) {
	var body struct {
		Request struct {
			Owner string `json:"owner"`
			Size  int64  `json:"fileSizeBytes"`
		} `json:"initializeUploadRequest"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&body); err != nil {
		v.fail(badInput("INVALID_JSON", "the request body could not be parsed"))
		return
	}
	request := body.Request
	switch {
	case !v.mayActAs(request.Owner):
		v.fail(denied(kind + "s.ACTION-initializeUpload as " + request.Owner))
		return
	case kind == "video" && (request.Size <= 0 || request.Size > maxVideo):
		v.fail(badInput("INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of its bounds"))
		return
	}
	fields := mediaFields{Kind: kind, Owner: request.Owner, Size: request.Size, Token: "token-of-" + kind}
	stored, err := s.put(simulation.Upload{Account: request.Owner, Content: s.world.NewContent()}, fields)
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, map[string]any{"value": s.instructions(stored, fields)})
}

// instructions says where the bytes of an upload go.
func (s *simulator) instructions(stored simulation.Upload, fields mediaFields) map[string]any {
	address := func(part int) string { return fmt.Sprintf("%s/dms-uploads/%s/%d", s.world.BaseURL(), stored.ID, part) }
	expires := s.world.Now().Add(uploadLife).UnixMilli()
	value := map[string]any{fields.Kind: "urn:li:" + fields.Kind + ":" + stored.ID}
	if fields.Kind != "video" {
		value["uploadUrl"], value["uploadUrlExpiresAt"] = address(0), expires
		return value
	}
	var instructions []map[string]any
	for part := range fields.parts() {
		first := int64(part) * partSize
		instructions = append(instructions, map[string]any{
			"uploadUrl": address(part), "firstByte": first, "lastByte": min(first+partSize, fields.Size) - 1,
		})
	}
	value["uploadInstructions"], value["uploadToken"], value["uploadUrlsExpireAt"] = instructions, fields.Token, expires
	return value
}

// takePart takes the bytes of an upload. Its address is secret: no token
// is asked for.
func (s *simulator) takePart(rw http.ResponseWriter, r *http.Request) {
	v := visit{rw: rw, r: r}
	stored, ok := s.world.Upload(r.PathValue("id"))
	part, err := strconv.Atoi(r.PathValue("part"))
	var fields mediaFields
	if !ok || err != nil || json.Unmarshal(stored.Fields, &fields) != nil || part < 0 || part >= fields.parts() {
		v.fail(notFound("there is no such upload"))
		return
	}
	mediaType, size, err := s.world.Receive(stored.Content, int64(part)*partSize, r.Body)
	if err != nil {
		v.fail(badInput("INVALID_UPLOAD", "the upload was cut off"))
		return
	}
	if part == 0 {
		stored.Type, stored.Size = mediaType, 0
	}
	stored.Size += size
	if fields.Kind != "video" {
		fields.Done, fields.Failed = true, failure(fields.Kind, stored, s.world.Measure(stored.Content))
		if _, err := s.put(stored, fields); err != nil {
			v.fail(err)
			return
		}
		rw.WriteHeader(http.StatusCreated)
		return
	}
	if want := min(int64(part+1)*partSize, fields.Size) - int64(part)*partSize; size != want {
		v.fail(badInput("INVALID_UPLOAD", fmt.Sprintf("part %d has %d bytes, not %d", part, size, want)))
		return
	}
	if fields.Parts == nil {
		fields.Parts = map[int]string{}
	}
	fields.Parts[part] = fmt.Sprintf("etag-%s-%d", stored.ID, part)
	if _, err := s.put(stored, fields); err != nil {
		v.fail(err)
		return
	}
	rw.Header().Set("ETag", fields.Parts[part])
	rw.WriteHeader(http.StatusOK)
}

// failure says why LinkedIn could not process what was uploaded; empty if it could.
func failure(kind string, stored simulation.Upload, m simulation.Measured) string {
	types := map[string][]string{
		"image": {"image/jpeg", "image/png", "image/gif"}, "video": {"video/mp4"}, "document": {"application/pdf", "application/zip"},
	}[kind]
	switch {
	case !slices.Contains(types, stored.Type):
		return "the format " + stored.Type + " is not supported"
	case kind == "document" && stored.Size > maxDocument:
		return "the document is too large"
	case kind == "image" && m.Pixels() >= maxPixels:
		return "the image has too many pixels"
	case kind == "video" && m.Duration > maxFilm:
		return "the video is too long"
	default:
		return ""
	}
}

// finalize puts the parts of a video together, in the order in which they are named.
func (s *simulator) finalize(v visit) {
	var body struct {
		Request struct {
			Video string   `json:"video"`
			Token string   `json:"uploadToken"`
			Parts []string `json:"uploadedPartIds"`
		} `json:"finalizeUploadRequest"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&body); err != nil {
		v.fail(badInput("INVALID_JSON", "the request body could not be parsed"))
		return
	}
	stored, fields, ok := s.media(body.Request.Video)
	switch {
	case !ok || !v.mayActAs(fields.Owner):
		v.fail(notFound("there is no such video"))
		return
	case body.Request.Token != fields.Token:
		v.fail(badInput("INVALID_VALUE_FOR_FIELD", "uploadToken is another upload's"))
		return
	case !fields.isWhole(body.Request.Parts):
		v.fail(badInput("INVALID_VALUE_FOR_FIELD", "uploadedPartIds are not those of the parts"))
		return
	}
	fields.Done, fields.Failed = true, failure("video", stored, s.world.Measure(stored.Content))
	stored.ReadyAt = s.world.Now().Add(videoProcessing)
	if _, err := s.put(stored, fields); err != nil {
		v.fail(err)
		return
	}
	v.rw.WriteHeader(http.StatusOK)
}

func (f mediaFields) isWhole(ids []string) bool {
	if len(ids) != f.parts() {
		return false
	}
	for part, id := range ids {
		if f.Parts[part] != id {
			return false
		}
	}
	return true
}

// showMedia says how far an upload is.
func (s *simulator) showMedia(v visit) {
	urn := v.r.PathValue("urn")
	stored, fields, ok := s.media(urn)
	if !ok || !v.mayActAs(fields.Owner) {
		v.fail(notFound(urn + " is not found"))
		return
	}
	object := map[string]any{"id": urn, "owner": fields.Owner, "status": "AVAILABLE"}
	switch {
	case !fields.Done:
		object["status"] = "WAITING_UPLOAD"
	case s.world.Now().Before(stored.ReadyAt):
		object["status"] = "PROCESSING"
	case fields.Failed != "":
		object["status"], object["processingFailureReason"] = "PROCESSING_FAILED", fields.Failed
	}
	answer(v.rw, http.StatusOK, object)
}
