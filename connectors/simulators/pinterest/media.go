package pinterest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors/simulators/simulation"
)

const (
	maxVideoBytes = 2 << 30
	maxField      = 4 << 10
	maxFilm       = 15 * time.Minute
	// videoWork is how long the simulator processes a video.
	videoWork = 2 * time.Second
)

// uploadFields is what an upload has beside what every upload has.
type uploadFields struct {
	Sent   bool `json:"sent,omitempty"`
	Failed bool `json:"failed,omitempty"`
}

// registerMedia tells where a video is to be sent.
func (s *simulator) registerMedia(v visit) {
	var input struct {
		Type string `json:"media_type"`
	}
	if json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input) != nil || input.Type != "video" {
		v.fail(bad("Invalid request: 'media_type' is not one of ['video']"))
		return
	}
	u, err := s.world.PutUpload(simulation.Upload{Account: v.account.ID, Content: s.world.NewContent()})
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusCreated, map[string]any{
		"media_id": u.ID, "media_type": "video", "upload_url": s.world.BaseURL() + "/media-uploads/" + u.ID,
		"upload_parameters": s.form(u),
	})
}

// form is the fields that a file has to be sent with.
func (s *simulator) form(u simulation.Upload) map[string]string {
	return map[string]string{
		"Content-Type": "multipart/form-data", "key": "uploads/video/" + u.ID, "policy": "policy-of-" + u.ID,
		"x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": "simulated/" + u.ID,
		"x-amz-date": u.CreatedAt.Format("20060102T150405Z"), "x-amz-security-token": "security-token-of-" + u.ID,
		"x-amz-signature": "signature-of-" + u.ID,
	}
}

// takeFile is the storage, which answers in XML and wants the file last.
func (s *simulator) takeFile(rw http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code string) {
		rw.Header().Set("Content-Type", "application/xml")
		rw.WriteHeader(status)
		io.WriteString(rw, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>`+code+`</Code></Error>`)
	}
	u, ok := s.world.Upload(r.PathValue("media"))
	parts, err := r.MultipartReader()
	if !ok || err != nil || r.Header.Get("Authorization") != "" {
		refuse(http.StatusForbidden, "AccessDenied")
		return
	}
	sent := url.Values{}
	for {
		part, err := parts.NextPart()
		if err != nil {
			refuse(http.StatusBadRequest, "MalformedPOSTRequest")
			return
		}
		if part.FormName() == "file" {
			if !s.isWhole(u, sent) {
				refuse(http.StatusForbidden, "AccessDenied")
				return
			}
			if err := s.keepFile(u, part); err != nil {
				refuse(http.StatusBadRequest, "IncompleteBody")
				return
			}
			rw.WriteHeader(http.StatusNoContent)
			return
		}
		content, err := io.ReadAll(io.LimitReader(part, maxField))
		if err != nil {
			refuse(http.StatusBadRequest, "IncompleteBody")
			return
		}
		sent.Set(part.FormName(), string(content))
	}
}

// isWhole reports whether all fields were sent that the form has.
func (s *simulator) isWhole(u simulation.Upload, sent url.Values) bool {
	for name, value := range s.form(u) {
		if sent.Get(name) != value {
			return false
		}
	}
	return true
}

func (s *simulator) keepFile(u simulation.Upload, file io.Reader) (err error) {
	u.Type, u.Size, err = s.world.Receive(u.Content, 0, file)
	if err != nil {
		return err
	}
	u.ReadyAt = s.world.Now().Add(videoWork)
	u.Fields, err = json.Marshal(uploadFields{Sent: true, Failed: !isVideo(u.Type) || u.Size > maxVideoBytes || s.world.Measure(u.Content).Duration > maxFilm})
	if err != nil {
		return err
	}
	_, err = s.world.PutUpload(u)
	return err
}

// isVideo reports whether content may be a video: the beginning of some tells nobody, such as
// QuickTime's.
func isVideo(mediaType string) bool {
	return slices.Contains([]string{"video/mp4", "video/quicktime", "application/octet-stream"}, mediaType)
}

// upload returns an upload of the person by its id, and how far it is.
func (s *simulator) upload(v visit, id string) (u simulation.Upload, status string, err error) {
	u, ok := s.world.Upload(id)
	if !ok || u.Account != v.account.ID {
		return u, "", &refusal{http.StatusNotFound, 404, "Media not found."}
	}
	var fields uploadFields
	if len(u.Fields) > 0 && json.Unmarshal(u.Fields, &fields) != nil {
		return u, "", errors.New("the upload cannot be read")
	}
	switch {
	case !fields.Sent:
		return u, "registered", nil
	case s.world.Now().Before(u.ReadyAt):
		return u, "processing", nil
	case fields.Failed:
		return u, "failed", nil
	default:
		return u, "succeeded", nil
	}
}

func (s *simulator) showMedia(v visit) {
	u, status, err := s.upload(v, v.r.PathValue("media"))
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, map[string]string{"media_id": u.ID, "media_type": "video", "status": status})
}

// video returns a video that can be pinned.
func (s *simulator) video(v visit, id string) (simulation.Media, error) {
	u, status, err := s.upload(v, id)
	if err == nil && status != "succeeded" {
		err = bad("Sorry, the video is not ready.")
	}
	return u.Media(), err
}
