package mastodon

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"crier/connectors/simulators/simulation"
)

const (
	// videoProcessing is how long the simulator processes a video; images are ready at once.
	videoProcessing = time.Second
	// maxField bounds a field of the upload's form that is no file.
	maxField = 64 << 10
)

// used is an upload's Fields once a status has it.
const used = `{"used":true}`

func isUsed(u simulation.Upload) bool { return string(u.Fields) == used }

// uploadMedia takes a file.
func (s *simulator) uploadMedia(v visit) {
	upload, err := s.readUpload(v.r)
	if err == nil {
		err = s.takes().checkUpload(upload)
	}
	if err == nil {
		err = checkSides(upload.Type, s.world.Measure(upload.Content))
	}
	if err != nil {
		v.fail(err)
		return
	}
	upload.Account = v.account.ID
	status := http.StatusOK
	if attachmentType(upload.Type) == "video" {
		upload.ReadyAt, status = s.world.Now().Add(videoProcessing), http.StatusAccepted
	}
	stored, err := s.world.PutUpload(upload)
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, status, s.attachment(stored.Media(), status == http.StatusOK))
}

func (s *simulator) readUpload(r *http.Request) (simulation.Upload, error) {
	var upload simulation.Upload
	form, err := r.MultipartReader()
	if err != nil {
		return upload, invalidRecord("File can't be blank")
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return upload, nil
		}
		if err == nil {
			err = s.readPart(part, &upload)
		}
		if err != nil {
			return upload, invalidRecord("File is invalid")
		}
	}
}

func (s *simulator) readPart(part *multipart.Part, upload *simulation.Upload) error {
	switch part.FormName() {
	case "file":
		found, rest, err := sniff(part)
		if err != nil {
			return err
		}
		upload.Type, upload.Content = found, s.world.NewContent()
		keeping := s.world.Keep(upload.Content, 0)
		upload.Size, err = io.Copy(keeping, rest)
		return errors.Join(err, keeping.Close())
	case "description":
		text, err := io.ReadAll(io.LimitReader(part, maxField))
		upload.AltText = string(text)
		return err
	default:
		return nil
	}
}

// sniff returns the type of content, and the content from its start.
func sniff(content io.Reader) (string, io.Reader, error) {
	head := make([]byte, 3072)
	n, err := io.ReadFull(content, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("reading file: %w", err)
	}
	return mimetype.Detect(head[:n]).String(), io.MultiReader(strings.NewReader(string(head[:n])), content), nil
}

func (a Allowance) checkUpload(u simulation.Upload) error {
	kind := attachmentType(u.Type)
	switch {
	case u.Size == 0:
		return invalidRecord("File can't be blank")
	case !slices.Contains(a.Types, u.Type):
		return invalidRecord("File content type is invalid, File is invalid")
	case kind == "video" && u.Size > a.VideoBytes:
		return invalidRecord(fmt.Sprintf("File file size must be less than %d MB, File is invalid", a.VideoBytes>>20))
	case kind != "video" && u.Size > a.ImageBytes:
		return invalidRecord(fmt.Sprintf("File file size must be less than %d MB, File is invalid", a.ImageBytes>>20))
	case simulation.Graphemes(u.AltText) > a.AltText:
		return invalidRecord(fmt.Sprintf("Description character limit of %d exceeded", a.AltText))
	}
	return nil
}

// The bounds of pictures and films (mastodon/mastodon app/models/concerns/attachmentable.rb and
// app/models/media_attachment.rb).
const (
	maxPixels     = 33_177_600
	maxGIFPixels  = 921_600
	maxFilmPixels = 8_294_400
	maxFrameRate  = 120
	measuring     = 0.02 // by how much a measured rate may miss
)

func checkSides(mediaType string, m simulation.Measured) error {
	kind, maximum := "images", int64(maxPixels)
	switch attachmentType(mediaType) {
	case "gifv":
		maximum = maxGIFPixels
	case "video":
		kind, maximum = "videos", maxFilmPixels
	}
	switch {
	case m.Pixels() > maximum:
		return unprocessable(fmt.Sprintf("%dx%d %s are not supported", m.Width, m.Height, kind))
	case kind == "videos" && m.FrameRate > maxFrameRate*(1+measuring):
		return unprocessable(fmt.Sprintf("%dfps videos are not supported", int(m.FrameRate)))
	default:
		return nil
	}
}

// attachmentType is what Mastodon calls a kind of media. A GIF becomes a video without
// sound.
func attachmentType(mediaType string) string {
	switch mediaType {
	case "image/jpeg", "image/png", "image/webp":
		return "image"
	case "image/gif":
		return "gifv"
	case "video/mp4", "video/quicktime", "video/webm":
		return "video"
	default:
		return "unknown"
	}
}

// showMedia shows an upload that no status has yet.
func (s *simulator) showMedia(v visit) {
	upload, ok := s.world.Upload(v.r.PathValue("id"))
	if !ok || upload.Account != v.account.ID || isUsed(upload) {
		v.fail(notFound())
		return
	}
	if s.world.Now().Before(upload.ReadyAt) {
		answer(v.rw, http.StatusPartialContent, s.attachment(upload.Media(), false))
		return
	}
	answer(v.rw, http.StatusOK, s.attachment(upload.Media(), true))
}

// uploads returns the uploads that a status asks for, or why it cannot have them.
func (s *simulator) uploads(account string, ids []string) ([]simulation.Upload, error) {
	var found []simulation.Upload
	var missing []string
	maximum := s.takes().Media
	for _, id := range ids {
		upload, ok := s.world.Upload(id)
		if !ok || upload.Account != account || isUsed(upload) {
			missing = append(missing, id)
			continue
		}
		found = append(found, upload)
	}
	switch {
	case len(ids) > maximum:
		return nil, unprocessable(fmt.Sprintf("Cannot attach more than %d files", maximum))
	case len(missing) > 0:
		return nil, unprocessable("Media " + strings.Join(missing, ", ") + " not found or already attached to another post")
	}
	for _, u := range found {
		if attachmentType(u.Type) == "video" && len(found) > 1 {
			return nil, unprocessable("Cannot attach a video to a post that already contains images")
		}
		if s.world.Now().Before(u.ReadyAt) {
			return nil, unprocessable("Cannot attach files that have not finished processing. Try again in a moment!")
		}
	}
	return found, nil
}

// use marks uploads as a status's.
func (s *simulator) use(uploads []simulation.Upload) error {
	for _, u := range uploads {
		u.Fields = []byte(used)
		if _, err := s.world.PutUpload(u); err != nil {
			return err
		}
	}
	return nil
}
