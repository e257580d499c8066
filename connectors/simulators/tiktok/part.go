package tiktok

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

// takePart takes the next part of a video. The last one publishes it. The address is the proof:
// no token comes with it.
func (s *simulator) takePart(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	u, known := s.world.Upload(query.Get("upload_id"))
	var fields uploadFields
	switch {
	case !known || json.Unmarshal(u.Fields, &fields) != nil:
		http.Error(rw, "no such task", http.StatusNotFound)
		return
	case query.Get("upload_token") != fields.Token || !s.world.Now().Before(u.CreatedAt.Add(urlLife)):
		http.Error(rw, "the url has expired", http.StatusForbidden)
		return
	case !slices.Contains([]string{"video/mp4", "video/quicktime", "video/webm"}, r.Header.Get("Content-Type")):
		http.Error(rw, "wrong content type", http.StatusBadRequest)
		return
	}
	first, last, ok := rangeOf(r, fields.Source)
	if !ok {
		http.Error(rw, "wrong content range", http.StatusBadRequest)
		return
	}
	if fields.Whole || first != u.Size {
		outOfStep(rw, u, fields)
		return
	}
	part := part{mediaType: u.Type, last: last}
	mediaType, size, err := s.world.Receive(u.Content, u.Size, r.Body)
	if err != nil || size != last-first+1 {
		http.Error(rw, "the part was cut off", http.StatusBadRequest)
		return
	}
	if first == 0 {
		part.mediaType = mediaType
	}
	if part.mediaType == "application/octet-stream" { // many brands of films are not told by their bytes
		part.mediaType = r.Header.Get("Content-Type")
	}
	if part.first = first; last+1 < fields.Source.Size {
		s.keep(rw, r, u.ID, part)
		return
	}
	s.world.Publish(rw, r, simulation.VisibleCall{Dialect: s.dialect, Account: u.Account, Text: fields.Post.Title}, func(rw http.ResponseWriter) { s.keep(rw, r, u.ID, part) })
}

// part is what has come of a video, and where it belongs.
type part struct {
	first, last int64
	mediaType   string
}

// keep adds a part to its upload, unless another call has brought it meanwhile. The last one
// makes a post of the video; that it is none turns out while it is processed.
func (s *simulator) keep(rw http.ResponseWriter, r *http.Request, id string, p part) {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	u, _ := s.world.Upload(id)
	var fields uploadFields
	if json.Unmarshal(u.Fields, &fields) != nil || fields.Whole || u.Size != p.first {
		outOfStep(rw, u, fields)
		return
	}
	u.Size, u.Type = p.last+1, p.mediaType
	status := http.StatusPartialContent
	if u.Size == fields.Source.Size {
		status, fields.Whole, u.ReadyAt = http.StatusCreated, true, s.world.Now().Add(processing)
		fields.Failed = failureOf(u.Type, s.world.Measure(u.Content))
	}
	_, err := s.put(u, fields)
	if err == nil && fields.Whole && fields.Failed == "" {
		_, _, err = s.world.Add(simulation.Post{
			ID: u.ID, Account: u.Account, Text: fields.Post.Title, Media: []simulation.Media{u.Media()},
			Fields: encode(fields.Post), Workspace: s.world.WorkspaceOf(r), By: s.world.NameOf(r),
		})
	}
	if err != nil {
		outage().writeTo(rw)
		return
	}
	rw.Header().Set("Content-Range", received(u.Size, fields.Source))
	rw.WriteHeader(status)
}

// failureOf is the fail_reason of a video, by what the media transfer guide asks for; empty: there is none.
func failureOf(mediaType string, m simulation.Measured) string {
	isSide := func(side int) bool { return side == 0 || side >= minSide && side <= maxSide }
	switch {
	case !slices.Contains([]string{"video/mp4", "video/quicktime", "video/webm"}, mediaType),
		m.Codec != "" && !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1", "vp08", "vp09"}, m.Codec):
		return "file_format_check_failed"
	case m.Duration > longestVideo*time.Second:
		return "duration_check_failed"
	case m.FrameRate > 0 && (m.FrameRate < minFrameRate*(1-measuring) || m.FrameRate > maxFrameRate*(1+measuring)):
		return "frame_rate_check_failed"
	case !isSide(m.Width) || !isSide(m.Height):
		return "picture_size_check_failed"
	default:
		return ""
	}
}

func outOfStep(rw http.ResponseWriter, u simulation.Upload, fields uploadFields) {
	rw.Header().Set("Content-Range", received(u.Size, fields.Source))
	http.Error(rw, "the range is not where the upload is", http.StatusRequestedRangeNotSatisfiable)
}

func received(size int64, source sourceInfo) string {
	return fmt.Sprintf("bytes 0-%d/%d", size, source.Size)
}

// rangeOf reads which bytes come, and holds them to the parts that were agreed on.
func rangeOf(r *http.Request, source sourceInfo) (first, last int64, ok bool) {
	text, isBytes := strings.CutPrefix(r.Header.Get("Content-Range"), "bytes ")
	span, total, _ := strings.Cut(text, "/")
	from, to, _ := strings.Cut(span, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	last, lastErr := strconv.ParseInt(to, 10, 64)
	if !isBytes || err != nil || lastErr != nil || total != strconv.FormatInt(source.Size, 10) || r.ContentLength != last-first+1 {
		return 0, 0, false
	}
	end := first + source.Part
	if first == source.Part*(source.Parts-1) {
		end = source.Size
	}
	return first, last, first%source.Part == 0 && last == end-1
}

func encode(post postInfo) json.RawMessage {
	post.Title = ""
	encoded, err := json.Marshal(post)
	if err != nil {
		panic(err) // not reached: texts, numbers and switches
	}
	return encoded
}
