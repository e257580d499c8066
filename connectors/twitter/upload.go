package twitter

import (
	"cmp"
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
	"crier/connectors/media"
	"crier/schema"
)

const (
	// segmentSize is what one append carries: X takes 5 MB (docs.x.com/x-api/media/quickstart)
	// and 1,000 segments, which are far more than the largest video.
	segmentSize = 4 << 20
	// segmentTime bounds one append.
	segmentTime = 2 * time.Minute
)

// transfer brings one item to X.
type transfer struct {
	c    *Connector
	d    schema.Delivery
	u    *upload
	file *media.File
}

// run sends what X does not have, for as long as there is time, and returns when to look at
// what X makes of it. An upload of an earlier run that X does not take any more is given up,
// and the next run begins again.
func (t transfer) run(ctx context.Context, until time.Time) (again time.Duration, err error) {
	resumed := t.u.ID != ""
	if resumed && t.u.Size != t.file.Size { // it is not what was begun with
		*t.u, resumed = upload{}, false
	}
	again, err = t.steps(ctx, until)
	if resumed && t.u.ID != "" && schema.KindOf(err) == schema.Refused { // without an id X has seen the whole, and could not process it
		*t.u = upload{}
		return 0, &schema.Error{Kind: schema.Retryable, Message: "X does not take more of the upload that was begun; it begins again", Err: err}
	}
	return again, err
}

func (t transfer) steps(ctx context.Context, until time.Time) (again time.Duration, err error) {
	if t.u.ID == "" {
		if err := t.initialize(ctx); err != nil {
			return 0, fmt.Errorf("beginning upload: %w", err)
		}
	}
	if t.u.Closing {
		if again, ok, err := t.closed(ctx); err != nil || ok {
			return again, err
		}
	}
	if err := t.appendRest(ctx, until); err != nil {
		return 0, fmt.Errorf("uploading media: %w", err)
	}
	if t.u.Sent < t.u.Size {
		return 0, nil
	}
	return t.finalize(ctx)
}

func (t transfer) initialize(ctx context.Context) error {
	call := t.c.mediaCall(t.d, http.MethodPost, "/2/media/upload/initialize", opInitialize)
	call.JSON = map[string]any{
		"media_type": t.file.Type, "total_bytes": t.file.Size, "media_category": category(t.file.MediaFacts),
	}
	info, err := t.c.ask(ctx, call)
	if err != nil {
		return err
	}
	*t.u = upload{ID: info.ID, Size: t.file.Size}
	if info.ExpiresAfter > 0 {
		t.u.Expires = t.c.now().Add(time.Duration(info.ExpiresAfter) * time.Second)
	}
	return nil
}

// category is what X is told that an upload is for. A GIF that does not move is an image.
func category(facts schema.MediaFacts) string {
	switch {
	case facts.Kind == schema.Video:
		return "tweet_video"
	case facts.Kind == schema.GIF && facts.Animated:
		return "tweet_gif"
	default:
		return "tweet_image"
	}
}

// appendRest sends segments until all is sent or the time is over.
func (t transfer) appendRest(ctx context.Context, until time.Time) error {
	if t.u.Sent == t.u.Size {
		return nil
	}
	content, err := t.file.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	if _, err := io.CopyN(io.Discard, content, t.u.Sent); err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	for t.u.Sent < t.u.Size {
		size := min(segmentSize, t.u.Size-t.u.Sent)
		if err := t.append(ctx, io.LimitReader(content, size), size); err != nil {
			return err
		}
		t.u.Sent, t.u.Segments = t.u.Sent+size, t.u.Segments+1
		if !t.c.now().Before(until) {
			return nil
		}
	}
	return nil
}

func (t transfer) append(ctx context.Context, segment io.Reader, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, segmentTime)
	defer cancel()
	call := t.c.mediaCall(t.d, http.MethodPost, "/2/media/upload/"+url.PathEscape(t.u.ID)+"/append", opAppend)
	call.Form = url.Values{"segment_index": {strconv.Itoa(t.u.Segments)}}
	call.Files = []connectors.FilePart{{Field: "media", Name: "segment", Type: "application/octet-stream", Size: size, Content: segment}}
	// Any 2xx counts: the OpenAPI has a body, docs.x.com/x-api/media/quickstart and X's API Playground none.
	hasBody, err := t.c.tell(ctx, call)
	if err != nil {
		return err
	}
	t.u.Unsure = t.u.Unsure || !hasBody
	return nil
}

// tell makes a call of whose answer nothing is needed: X need not give it a body. It returns whether the
// answer has one; one that is no JSON is somebody else's.
func (c *Connector) tell(ctx context.Context, call connectors.Call) (hasBody bool, err error) {
	response, err := c.client.Do(ctx, call, nil)
	if err != nil {
		return false, err
	}
	var out struct {
		Data json.RawMessage `json:"data"`
	}
	if len(response.Body) > 0 && json.Unmarshal(response.Body, &out) != nil {
		return false, notUnderstood()
	}
	return len(out.Data) > 0, nil
}

// finalize tells X that it has all. Once that was asked it may be so: see closed. It also tells whether X
// has the segments whose answers said nothing.
func (t transfer) finalize(ctx context.Context) (again time.Duration, err error) {
	t.u.Closing = true
	info, err := t.c.ask(ctx, t.c.mediaCall(t.d, http.MethodPost, "/2/media/upload/"+url.PathEscape(t.u.ID)+"/finalize", opFinalize))
	switch {
	case schema.KindOf(err) == schema.Refused && t.u.Unsure:
		*t.u = upload{}
		return 0, &schema.Error{Kind: schema.Retryable, Message: "X does not have all of the upload; it begins again", Err: err}
	case err != nil:
		return 0, fmt.Errorf("ending upload: %w", err)
	}
	return t.whole(info)
}

// closed asks X what became of an upload whose end was not answered. It knows nothing of
// one that did not end.
func (t transfer) closed(ctx context.Context) (again time.Duration, ok bool, err error) {
	info, err := t.c.status(ctx, t.d, t.u.ID)
	switch {
	case schema.KindOf(err) == schema.Refused:
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	again, err = t.whole(info)
	return again, true, err
}

func (t transfer) whole(info mediaInfo) (again time.Duration, err error) {
	t.u.Closing, t.u.Whole = false, true
	return t.u.settle(info)
}

// settle notes what X says of its processing, and returns when to look again.
func (u *upload) settle(info mediaInfo) (again time.Duration, err error) {
	switch p := info.Processing; {
	case p == nil || p.State == processed:
		u.Ready = true
		return 0, nil
	case p.State == failed:
		*u = upload{} // a retry begins again
		return 0, connectors.Refuse("X could not process the media: %s", cmp.Or(p.Error.Message, "it gave no reason"))
	default:
		wait := time.Duration(p.CheckAfter) * time.Second
		return min(cmp.Or(max(wait, 0), lookAgain), longestLook), nil
	}
}

// lookAtMedia asks once for each item that X was still processing.
func (c *Connector) lookAtMedia(ctx context.Context, d schema.Delivery, p progress) (wait time.Duration, err error) {
	for i := range p.Media {
		u := &p.Media[i]
		if !u.Whole || u.Ready {
			continue
		}
		info, err := c.status(ctx, d, u.ID)
		if schema.KindOf(err) == schema.Refused {
			*u = upload{}
			return 0, &schema.Error{Kind: schema.Retryable, Message: "X has lost the media; the upload begins again", Err: err}
		}
		if err != nil {
			return 0, fmt.Errorf("looking at media: %w", err)
		}
		again, err := u.settle(info)
		if err != nil {
			return 0, err
		}
		wait = max(wait, again)
	}
	return wait, nil
}

func (c *Connector) status(ctx context.Context, d schema.Delivery, id string) (mediaInfo, error) {
	call := c.mediaCall(d, http.MethodGet, "/2/media/upload", opMediaStatus)
	call.Kind, call.Query = connectors.Status, url.Values{"command": {"STATUS"}, "media_id": {id}}
	return c.ask(ctx, call)
}

// describe gives X the alternative texts. Of a video it may not want one: that is no reason
// not to publish it.
func (c *Connector) describe(ctx context.Context, d schema.Delivery, p progress) error {
	for i := range p.Media {
		u, item := &p.Media[i], d.Media[i]
		if item.AltText == "" || u.AltText {
			continue
		}
		call := c.mediaCall(d, http.MethodPost, "/2/media/metadata", opDescribe)
		call.JSON = map[string]any{"id": u.ID, "metadata": map[string]any{"alt_text": map[string]string{"text": item.AltText}}}
		_, err := c.tell(ctx, call)
		if err != nil && (item.KnownKind() != schema.Video || schema.KindOf(err) != schema.Refused) {
			return fmt.Errorf("describing media: %w", err)
		}
		u.AltText = true
	}
	return nil
}

func (c *Connector) mediaCall(d schema.Delivery, method, path, operation string) connectors.Call {
	call := c.call(d.Account, d.Credentials, method, path, operation)
	call.Kind = connectors.Media
	return call
}

// ask makes a call whose answer is about an upload.
func (c *Connector) ask(ctx context.Context, call connectors.Call) (mediaInfo, error) {
	var out struct {
		Data mediaInfo `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil {
		return mediaInfo{}, err
	}
	if out.Data.ID == "" {
		return mediaInfo{}, notUnderstood()
	}
	return out.Data, nil
}

func notUnderstood() error {
	return &schema.Error{Kind: schema.Retryable, Message: "X's answer names no media", Err: errors.New("no data in answer")}
}
