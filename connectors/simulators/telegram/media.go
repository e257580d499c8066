package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"crier/connectors/simulators/simulation"
)

// input is the arguments of a method, in whichever of the Bot API's forms they came.
type input struct {
	world  *simulation.World
	fields map[string]string
	files  map[string]simulation.Media // by the name of their part
}

func (in input) field(name string) string { return in.fields[name] }

const largestField = 1 << 20

func (s *simulator) readInput(r *http.Request) (input, error) {
	in := input{world: s.world, fields: map[string]string{}, files: map[string]simulation.Media{}}
	for name, values := range r.URL.Query() {
		in.fields[name] = values[0]
	}
	if r.Header.Get("Content-Type") == "" { // no body
		return in, nil
	}
	contentType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return in, err
	case contentType == "multipart/form-data":
		return in, in.readParts(multipart.NewReader(r.Body, params["boundary"]))
	case contentType == "application/json":
		return in, in.readJSON(io.LimitReader(r.Body, largestField))
	default:
		return in, in.readForm(r)
	}
}

func (in input) readForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	for name, values := range r.PostForm {
		in.fields[name] = values[0]
	}
	return nil
}

// readJSON keeps texts as they are and all else as its JSON, as a form has it.
func (in input) readJSON(body io.Reader) error {
	var values map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&values); err != nil {
		return err
	}
	for name, value := range values {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		in.fields[name] = text
	}
	return nil
}

func (in input) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := in.readPart(part); err != nil {
			return err
		}
	}
}

// readPart keeps of a file what it is; its bytes are the world's.
func (in input) readPart(part *multipart.Part) error {
	if part.FileName() == "" {
		value, err := io.ReadAll(io.LimitReader(part, largestField))
		in.fields[part.FormName()] = string(value)
		return err
	}
	var head bytes.Buffer
	found, err := mimetype.DetectReader(io.TeeReader(part, &head))
	if err != nil {
		return err
	}
	content := in.world.NewContent()
	size, err := keep(in.world.Keep(content, 0), io.MultiReader(&head, part))
	if err != nil {
		return err
	}
	in.files[part.FormName()] = simulation.Media{ID: part.FormName(), Type: found.String(), Size: size, Content: content}
	return nil
}

func keep(into io.WriteCloser, content io.Reader) (int64, error) {
	size, err := io.Copy(into, content)
	return size, errors.Join(err, into.Close())
}

func (s *simulator) sendPhoto(v visit) { s.sendFile(v, photo) }
func (s *simulator) sendVideo(v visit) { s.sendFile(v, video) }

func (s *simulator) sendFile(v visit, kind string) {
	to, ok := s.chat(v)
	if !ok || s.isStopped(v, to, "sendMessage") {
		return
	}
	caption := v.input.field("caption")
	visible, problem := checkCaption(caption, v.input.field("parse_mode"))
	file, there := v.input.attached(v.input.field(kind), kind)
	if problem == "" {
		problem = v.input.check(file, there, kind)
	}
	if problem != "" {
		refuse(v.rw, http.StatusBadRequest, problem)
		return
	}
	s.send(v, to, caption, []simulation.Media{file}, func(first int64, at time.Time) any {
		return to.message(first, at, mediaContent(first, file, kind, visible))
	})
}

// sendMediaGroup keeps an album as one post with the caption of its first item.
func (s *simulator) sendMediaGroup(v visit) {
	to, ok := s.chat(v)
	if !ok || s.isStopped(v, to, "sendMessage") {
		return
	}
	var items []inputMedia
	if json.Unmarshal([]byte(v.input.field("media")), &items) != nil {
		refuse(v.rw, http.StatusBadRequest, "Bad Request: can't parse media JSON object")
		return
	}
	files, problem := v.input.album(items)
	if problem != "" {
		refuse(v.rw, http.StatusBadRequest, problem)
		return
	}
	s.send(v, to, items[0].Caption, files, func(first int64, at time.Time) any {
		return albumMessages(to, first, at, items, files)
	})
}

func albumMessages(to *chat, first int64, at time.Time, items []inputMedia, files []simulation.Media) []map[string]any {
	sent := make([]map[string]any, len(items))
	for i, item := range items {
		id := first + int64(i)
		caption, _ := parsed(item.Caption, item.ParseMode)
		sent[i] = to.message(id, at, mediaContent(id, files[i], item.Type, caption))
		sent[i]["media_group_id"] = strconv.FormatInt(first, 10)
	}
	return sent
}

// album returns the files of an album, or what is wrong with it.
func (in input) album(items []inputMedia) ([]simulation.Media, string) {
	if len(items) < 2 {
		return nil, "Bad Request: an album must have at least 2 items"
	}
	if len(items) > maxAlbum {
		return nil, "Bad Request: too many messages to send as an album"
	}
	files := make([]simulation.Media, len(items))
	for i, item := range items {
		file, there := in.attached(item.Media, "")
		if _, problem := checkCaption(item.Caption, item.ParseMode); problem != "" {
			return nil, problem
		}
		problem := in.check(file, there, item.Type)
		if code, ok := strings.CutPrefix(problem, "Bad Request: "); ok && (code == imageProcessFailed || code == invalidDimensions) {
			problem = ofItem(i, code)
		}
		if problem != "" {
			return nil, problem
		}
		files[i] = file
	}
	return files, ""
}

// attached returns the file that a value refers to, or the part of that name. Files
// by url or by id are not simulated.
func (in input) attached(value, part string) (simulation.Media, bool) {
	if name, ok := strings.CutPrefix(value, "attach://"); ok {
		part = name
	}
	file, there := in.files[part]
	return file, there
}

// imageProcessFailed is what Telegram's servers, behind the Bot API server, say of a file that is no photo.
const imageProcessFailed = "IMAGE_PROCESS_FAILED"

// invalidDimensions is what they say of one whose sides are over their bounds.
const invalidDimensions = "PHOTO_INVALID_DIMENSIONS"

// isPhoto holds a photo to the bounds of its sides (core.telegram.org/bots/api#sendphoto).
func isPhoto(m simulation.Measured) bool {
	return m.Width+m.Height <= maxSides && max(m.Width, m.Height) <= maxRatio*max(1, min(m.Width, m.Height))
}

func (in input) check(file simulation.Media, there bool, kind string) string {
	switch {
	case kind != photo && kind != video:
		return fmt.Sprintf("Bad Request: can't parse InputMedia: type %q is unsupported", kind)
	case !there:
		return "Bad Request: there is no " + kind + " in the request"
	case file.Size == 0:
		return "Bad Request: file must be non-empty"
	case kind == photo && file.Size > maxPhotoBytes:
		return fmt.Sprintf("Bad Request: file of size %d bytes is too big for a photo; the maximum size is %d bytes", file.Size, maxPhotoBytes)
	case kind == photo && file.Type != jpegType && file.Type != pngType:
		return "Bad Request: " + imageProcessFailed
	case kind == photo && !isPhoto(in.world.Measure(file.Content)):
		return "Bad Request: " + invalidDimensions
	case kind == video && file.Type != mp4Type:
		return "Bad Request: wrong file type"
	case kind == video && file.Size > maxVideoBytes:
		return "Bad Request: file is too big"
	default:
		return ""
	}
}

// mediaContent is the part of a Message about its media.
func mediaContent(id int64, file simulation.Media, kind, caption string) map[string]any {
	name := fmt.Sprintf("file-%d", id)
	described := map[string]any{"file_id": name, "file_unique_id": name, "file_size": file.Size, "width": 1, "height": 1}
	content := map[string]any{video: described}
	if kind == photo {
		content = map[string]any{photo: []any{described}} // one for each size
	} else {
		described["duration"], described["mime_type"] = 0, file.Type
	}
	if caption != "" {
		content["caption"] = caption
	}
	return content
}
