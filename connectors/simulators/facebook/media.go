package facebook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

const (
	maxPhoto = 10_000_000
	maxVideo = 10_000_000_000 // ayrshare.com/docs/media-guidelines/facebook-pages
	// partSize is how much of a video the simulator wants at a time; Facebook's are of its
	// choosing too.
	partSize = 4 << 20
	// videoProcessing is how long the simulator processes a video that was published.
	videoProcessing = time.Second
	maxField        = 64 << 10
	maxFilm         = 4 * time.Hour
)

// uploadFields is what an upload has beside what every upload has.
type uploadFields struct {
	Kind      string `json:"kind"`              // photo, or that of a video's post
	Session   string `json:"session,omitempty"` // of a video of the feed
	Want      int64  `json:"want,omitempty"`    // bytes in all
	Published bool   `json:"published,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
}

const aPhoto = "photo"

func (s *simulator) put(u simulation.Upload, fields uploadFields) (simulation.Upload, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return u, err
	}
	u.Fields = encoded
	return s.world.PutUpload(u)
}

// upload returns an upload of the page by its id.
func (s *simulator) upload(v visit, id string) (simulation.Upload, uploadFields, error) {
	u, ok := s.world.Upload(id)
	var fields uploadFields
	if !ok || u.Account != v.account.ID || json.Unmarshal(u.Fields, &fields) != nil {
		return u, fields, graph.NotFound(id)
	}
	return u, fields, nil
}

// taking reads a file to its end, with the fields that came before it.
type taking func(before url.Values, file io.Reader) (mediaType string, size int64, err error)

func form(r *http.Request, file string, take taking) (fields map[string]any, mediaType string, size int64, err error) {
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, "", 0, graph.Bad(100, 0, "(#100) No file was uploaded")
	}
	values := url.Values{}
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return formOf(values), mediaType, size, nil
		}
		if err != nil {
			return nil, "", 0, graph.Bad(1, 99, "An unknown error occurred while the file was read")
		}
		if part.FormName() == file {
			mediaType, size, err = take(values, part)
		} else {
			var content []byte
			content, err = io.ReadAll(io.LimitReader(part, maxField))
			values.Set(part.FormName(), string(content))
		}
		if err != nil {
			return nil, "", 0, graph.Bad(1, 99, "An unknown error occurred while the file was read")
		}
	}
}

// uploadPhoto takes a photo that is not published.
func (s *simulator) uploadPhoto(v visit) {
	content := s.world.NewContent()
	fields, mediaType, size, err := form(v.r, "source", func(_ url.Values, file io.Reader) (string, int64, error) {
		return s.world.Receive(content, 0, file)
	})
	v.fields = fields
	switch {
	case err != nil:
	case v.text("published") != "false":
		err = graph.Bad(100, 0, "(#100) The simulated page takes photos for posts alone")
	case !slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/bmp", "image/webp"}, mediaType):
		err = graph.Bad(324, 2069019, "(#324) Missing or invalid image file")
	case size > maxPhoto:
		err = graph.Bad(1, 2069019, "The photo is larger than 4 MB")
	}
	var u simulation.Upload
	if err == nil {
		u, err = s.put(simulation.Upload{
			Account: v.account.ID, Type: mediaType, Size: size, AltText: v.text("alt_text_custom"), Content: content,
		}, uploadFields{Kind: aPhoto})
	}
	if err != nil {
		v.fail(err)
		return
	}
	graph.Answer(v.rw, http.StatusOK, map[string]string{"id": u.ID})
}

// takePhoto publishes a photo that was uploaded.
func (s *simulator) takePhoto(v visit, id string) (simulation.Media, error) {
	u, fields, err := s.upload(v, id)
	switch {
	case err != nil || fields.Kind != aPhoto:
		return simulation.Media{}, graph.Bad(100, 0, "(#100) Param attached_media[0] must be a valid photo")
	case fields.Published:
		return simulation.Media{}, graph.Bad(1366046, 0, "The photo was published already")
	}
	fields.Published = true
	_, err = s.put(u, fields)
	return u.Media(), err
}

func (s *simulator) createPhotoStory(v visit) {
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID}, func(rw http.ResponseWriter) {
		v.rw = rw
		photo, err := s.takePhoto(v, v.text("photo_id"))
		var post simulation.Post
		if err == nil {
			post, err = s.add(v, simulation.Post{Media: []simulation.Media{photo}}, postFields{Kind: aStory})
		}
		if err != nil {
			v.fail(err)
			return
		}
		graph.Answer(rw, http.StatusOK, map[string]any{"success": true, "post_id": post.ID})
	})
}

// actOnVideo is the upload of a video of the feed, in parts of Facebook's choosing.
func (s *simulator) actOnVideo(v visit) {
	if v.r.Header.Get("Content-Type") != "application/json" {
		s.transfer(v)
		return
	}
	switch v.text("upload_phase") {
	case "start":
		size, _ := v.fields["file_size"].(float64)
		if size < 1 || size > maxVideo {
			v.fail(graph.Bad(100, 0, "(#100) Param file_size is missing or out of its bounds"))
			return
		}
		u, err := s.put(simulation.Upload{Account: v.account.ID, Content: s.world.NewContent()}, uploadFields{Kind: aVideo, Want: int64(size)})
		if err != nil {
			v.fail(err)
			return
		}
		wanted := wantedOf(u, uploadFields{Want: int64(size)})
		wanted["video_id"], wanted["upload_session_id"] = u.ID, u.ID
		graph.Answer(v.rw, http.StatusOK, wanted)
	case "finish":
		s.finish(v, v.text("upload_session_id"), aVideo)
	default:
		v.fail(graph.Bad(100, 0, "(#100) Param upload_phase must be one of {start, transfer, finish, cancel}"))
	}
}

// wantedOf names the part that is wanted next. Offsets are texts.
func wantedOf(u simulation.Upload, fields uploadFields) map[string]any {
	return map[string]any{
		"start_offset": strconv.FormatInt(u.Size, 10), "end_offset": strconv.FormatInt(min(u.Size+partSize, fields.Want), 10),
	}
}

func (s *simulator) transfer(v visit) {
	input, mediaType, size, err := form(v.r, "video_file_chunk", func(before url.Values, file io.Reader) (string, int64, error) {
		begun, _, err := s.upload(v, before.Get("upload_session_id"))
		if err != nil || before.Get("start_offset") != strconv.FormatInt(begun.Size, 10) {
			return simulation.Sniff(file) // it is refused
		}
		return s.world.Receive(begun.Content, begun.Size, file)
	})
	v.fields = input
	var u simulation.Upload
	var fields uploadFields
	if err == nil {
		u, fields, err = s.upload(v, v.text("upload_session_id"))
	}
	switch {
	case err != nil:
	case v.text("upload_phase") != "transfer" || fields.Kind != aVideo:
		err = graph.Bad(100, 0, "(#100) Param upload_phase must be one of {start, transfer, finish, cancel}")
	case v.text("start_offset") != strconv.FormatInt(u.Size, 10):
		refused := graph.Bad(6000, 1363037, "There was a problem uploading your video file. Please try again with another offset.")
		refused.Data = wantedOf(u, fields)
		err = refused
	case size != min(partSize, fields.Want-u.Size):
		err = graph.Bad(6000, 1363031, "The part is not of the size that was asked for")
	}
	if err == nil {
		if u.Size == 0 {
			u.Type = mediaType
		}
		u.Size += size
		u, err = s.put(u, fields)
	}
	if err != nil {
		v.fail(err)
		return
	}
	graph.Answer(v.rw, http.StatusOK, wantedOf(u, fields))
}

// actOnReel is the upload of a reel, or of a story's video.
func (s *simulator) actOnReel(v visit) {
	kind := aReel
	if strings.HasSuffix(v.r.URL.Path, "/video_stories") {
		kind = aStory
	}
	switch v.text("upload_phase") {
	case "start":
		u, err := s.put(simulation.Upload{Account: v.account.ID, Content: s.world.NewContent()}, uploadFields{Kind: kind})
		if err != nil {
			v.fail(err)
			return
		}
		graph.Answer(v.rw, http.StatusOK, map[string]string{
			"video_id": u.ID, "upload_url": fmt.Sprintf("%s/video-upload/%s/videos/%s", s.world.BaseURL(), v.r.PathValue("version"), u.ID),
		})
	case "finish":
		if v.text("video_state") != "PUBLISHED" {
			v.fail(graph.Bad(100, 0, "(#100) The simulated page publishes at once"))
			return
		}
		s.finish(v, v.text("video_id"), kind)
	default:
		v.fail(graph.Bad(100, 0, "(#100) Param upload_phase must be one of {START, FINISH}"))
	}
}

// streamVideo takes a reel from an offset on. What arrives of one that is cut off is kept.
func (s *simulator) streamVideo(v visit) {
	u, fields, err := s.upload(v, v.r.PathValue("video"))
	offset, offsetErr := strconv.ParseInt(v.r.Header.Get("Offset"), 10, 64)
	size, sizeErr := strconv.ParseInt(v.r.Header.Get("File_size"), 10, 64)
	switch {
	case err != nil:
	case offsetErr != nil || sizeErr != nil || offset != u.Size:
		err = graph.Bad(6000, 1363037, "The offset is not where the upload is")
	}
	if err != nil {
		v.fail(err)
		return
	}
	mediaType, taken, readErr := s.world.Receive(u.Content, u.Size, v.r.Body)
	if u.Size == 0 {
		u.Type = mediaType
	}
	u.Size, fields.Want = u.Size+taken, size
	if _, err := s.put(u, fields); err != nil {
		v.fail(err)
		return
	}
	if readErr != nil || u.Size != size {
		v.fail(graph.Bad(6000, 1363030, "The upload was cut off"))
		return
	}
	graph.Answer(v.rw, http.StatusOK, map[string]bool{"success": true})
}

// finish publishes a video, which goes on to be processed.
func (s *simulator) finish(v visit, id, kind string) {
	text := v.text("description")
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID, Text: text}, func(rw http.ResponseWriter) {
		v.rw = rw
		u, fields, err := s.upload(v, id)
		switch {
		case err != nil:
		case fields.Kind != kind || fields.Published:
			err = graph.Bad(6000, 1363033, "The upload session is over")
		case u.Size == 0 || u.Size != fields.Want:
			err = graph.Bad(6000, 1363130, "The video is not uploaded")
		}
		if err == nil {
			fields.Published = true
			fields.Failed = !strings.HasPrefix(u.Type, "video/") || s.world.Measure(u.Content).Duration > maxFilm
			u.ReadyAt = s.world.Now().Add(videoProcessing)
			_, err = s.put(u, fields)
		}
		post := simulation.Post{ID: u.ID}
		if err == nil && !fields.Failed { // which it turns out to be once it is processed
			post, err = s.add(v, simulation.Post{ID: u.ID, Text: text, Media: []simulation.Media{u.Media()}},
				postFields{Kind: kind, Title: v.text("title"), Place: v.text("place")})
		}
		if err != nil {
			v.fail(err)
			return
		}
		body := map[string]any{"success": true}
		if kind == aStory {
			body["post_id"] = post.ID
		}
		graph.Answer(rw, http.StatusOK, body)
	})
}

// showVideo says how far a video is.
func (s *simulator) showVideo(v visit) {
	u, fields, err := s.upload(v, v.r.PathValue("node"))
	if err != nil || fields.Kind == aPhoto {
		v.fail(graph.NotFound(v.r.PathValue("node")))
		return
	}
	phase := func(status string) map[string]any { return map[string]any{"status": status} }
	uploading, processing, publishing := phase("in_progress"), phase("not_started"), phase("not_started")
	uploading["bytes_transferred"] = u.Size
	video := "uploading"
	if fields.Want > 0 && u.Size == fields.Want {
		uploading["status"] = "complete"
	}
	switch isDone := !s.world.Now().Before(u.ReadyAt); {
	case !fields.Published:
	case !isDone:
		video, processing, publishing = "processing", phase("in_progress"), phase("in_progress")
	case fields.Failed:
		video, processing = "error", phase("error")
		processing["error"] = map[string]string{"message": "The file is no video."}
	default:
		video, processing, publishing = "ready", phase("complete"), phase("complete")
	}
	graph.Answer(v.rw, http.StatusOK, map[string]any{"id": u.ID, "status": map[string]any{
		"video_status": video, "uploading_phase": uploading, "processing_phase": processing, "publishing_phase": publishing,
	}})
}
