package facebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/media"
	"crier/schema"
)

// edgeOf returns where a video of such an entry is uploaded and published.
func edgeOf(s settings) (edge, operation string) {
	switch s.MediaType {
	case asReel:
		return "/video_reels", opReels
	case asStory:
		return "/video_stories", opVideoStories
	default:
		return "/videos", opVideos
	}
}

// addressOfVideo returns where a video is shown; a story has no address that lasts.
func addressOfVideo(s settings, id string) string {
	switch s.MediaType {
	case asReel:
		return "/reel/" + id + "/"
	case asStory:
		return ""
	default:
		return "/watch/?v=" + id
	}
}

// turn is one call of Prepare that uploads a video.
type turn struct {
	*Connector
	d     schema.Delivery
	s     settings
	began time.Time
}

// upload takes the video as far as it can. An upload that Facebook refuses to continue
// begins again with the next call.
func (t *turn) upload(ctx context.Context, file *media.File, a *asset) error {
	isNew := a.ID == ""
	if isNew {
		begun, err := t.begin(ctx, file)
		if err != nil {
			return err
		}
		*a = begun
	}
	err := t.send(ctx, file, a, isNew)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.Refused && !isNew {
		*a = asset{}
		return &schema.Error{Kind: schema.Retryable, Message: "Facebook did not go on with the upload: " + e.Message, Err: err}
	}
	return err
}

func (t *turn) send(ctx context.Context, file *media.File, a *asset, isNew bool) error {
	if t.s.MediaType == asPost {
		return t.transfer(ctx, file, a)
	}
	if !isNew {
		if err := t.askHowFar(ctx, a); err != nil {
			return err
		}
	}
	return t.stream(ctx, file, a)
}

// offsets is the part of a video that Facebook wants next; they are equal at the end.
type offsets struct {
	Start string `json:"start_offset"`
	End   string `json:"end_offset"`
}

// set keeps what is wanted next; false where an answer does not say.
func (o offsets) set(a *asset, size int64) bool {
	start, err := strconv.ParseInt(o.Start, 10, 64)
	end, endErr := strconv.ParseInt(o.End, 10, 64)
	if err != nil || endErr != nil || start < 0 || end < start || end > size {
		return false
	}
	a.Next, a.End = start, end
	return true
}

// begin asks for an id and, for a video of the feed, how large its parts are to be.
func (t *turn) begin(ctx context.Context, file *media.File) (asset, error) {
	call := t.edge()
	body := map[string]any{"upload_phase": "start"}
	if t.s.MediaType == asPost {
		body["file_size"] = file.Size
	}
	call.JSON = body
	var begun struct {
		offsets
		VideoID string `json:"video_id"`
		Session string `json:"upload_session_id"`
		URL     string `json:"upload_url"`
	}
	if _, err := t.client.Do(ctx, call, &begun); err != nil {
		return asset{}, fmt.Errorf("beginning upload: %w", err)
	}
	a := asset{ID: begun.VideoID, Video: true, Session: begun.Session, URL: begun.URL}
	isWhole := t.isOwn(begun.URL)
	if t.s.MediaType == asPost {
		isWhole = begun.Session != "" && begun.set(&a, file.Size) && a.End > a.Next
	}
	if a.ID == "" || !isWhole {
		return asset{}, platform.Strange("does not say where to upload")
	}
	return a, nil
}

// edge is a call about the upload.
func (t *turn) edge() connectors.Call {
	edge, operation := edgeOf(t.s)
	call := t.call(t.d.Account, t.d.Credentials, http.MethodPost, pageOf(t.d)+edge, operation)
	if t.s.MediaType == asPost {
		call.URL = t.video + "/" + version + "/" + pageOf(t.d) + edge
	}
	call.Kind = connectors.Media
	return call
}

// transfer sends the parts that Facebook asks for, one after another.
func (t *turn) transfer(ctx context.Context, file *media.File, a *asset) error {
	content, err := file.Open()
	if err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	for at, sent := int64(0), 0; a.Next < a.End; sent++ {
		if sent > 0 && t.now().Sub(t.began) > connectors.LongestTurn {
			return connectors.ErrPause
		}
		if a.Next < at { // asked for once more
			return platform.Strange("goes back in the video")
		}
		if _, err := io.CopyN(io.Discard, content, a.Next-at); err != nil {
			return fmt.Errorf("reading media: %w", err)
		}
		at = a.End
		if err := t.transferPart(ctx, a, io.LimitReader(content, a.End-a.Next), file.Size); err != nil {
			return err
		}
	}
	a.Ready = a.Next == file.Size
	if !a.Ready {
		*a = asset{}
		return platform.Strange("ends the upload before the video")
	}
	return nil
}

// subcodeOffset is of a part that Facebook has: the refusal says which it wants
// (video-api/guides/publishing).
const subcodeOffset = 1363037

func (t *turn) transferPart(ctx context.Context, a *asset, content io.Reader, size int64) error {
	call := t.edge()
	call.Form = url.Values{
		"upload_phase": {"transfer"}, "upload_session_id": {a.Session}, "start_offset": {strconv.FormatInt(a.Next, 10)},
	}
	call.Files = []connectors.FilePart{{
		Field: "video_file_chunk", Name: "part", Type: "application/octet-stream", Size: a.End - a.Next, Content: content,
	}}
	var wanted offsets
	response, err := t.client.Do(ctx, call, &wanted)
	if refused, ok := errors.AsType[graph.Error](err); ok && refused.Subcode == subcodeOffset {
		wanted, err = offsetsIn(response.Body), nil
	}
	if err != nil {
		return fmt.Errorf("uploading video: %w", err)
	}
	if !wanted.set(a, size) {
		return platform.Strange("does not say how far the upload is")
	}
	return nil
}

func offsetsIn(body []byte) offsets {
	var refused struct {
		Error struct {
			Data offsets `json:"error_data"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &refused) != nil {
		return offsets{}
	}
	return refused.Error.Data
}

// stream sends all of a video from where Facebook has it up to.
func (t *turn) stream(ctx context.Context, file *media.File, a *asset) error {
	content, err := file.Open()
	if err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	if _, err := io.CopyN(io.Discard, content, a.Next); err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	token := t.d.Credentials.AccessToken
	call := connectors.Call{
		Operation: opUpload, Method: http.MethodPost, URL: a.URL, Account: t.d.Account.ID, Kind: connectors.Media,
		Secrets: []string{token}, Body: content, ContentType: "application/octet-stream", ContentLength: file.Size - a.Next,
		Header: http.Header{
			"Authorization": {"OAuth " + token}, "Offset": {strconv.FormatInt(a.Next, 10)}, "File_size": {strconv.FormatInt(file.Size, 10)},
		},
	}
	var done struct {
		Success bool `json:"success"`
	}
	if _, err := t.client.Do(ctx, call, &done); err != nil {
		return fmt.Errorf("uploading video: %w", err)
	}
	if !done.Success {
		return platform.Strange("does not say that it has the video")
	}
	a.Ready = true
	return nil
}

// askHowFar reads how much of a video arrived before the upload was cut off.
func (t *turn) askHowFar(ctx context.Context, a *asset) error {
	film, err := t.videoStatus(ctx, t.d, a.ID)
	if err != nil {
		return err
	}
	a.Next = film.Status.Uploading.Bytes
	return nil
}

// isOwn reports whether an address may be told the token: it is Facebook's own.
func (c *Connector) isOwn(address string) bool {
	return connectors.IsOwn(address, c.graph, graphHost, ".facebook.com")
}
