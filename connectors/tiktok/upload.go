package tiktok

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"crier/connectors"
	"crier/schema"
)

// partTime bounds one part that nobody sees.
const partTime = 2 * time.Minute

// send sends the parts that are missing except the last, which is kept for Publish. A part whose
// answer was lost is not wanted again: TikTok is asked how far it is.
func (t turn) send(ctx context.Context) error {
	content, err := t.file.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	for hasResumed := false; !t.p.isReady(); {
		status, err := t.sendPart(ctx, content)
		switch {
		case err == nil:
			t.p.Sent++
		case status == http.StatusRequestedRangeNotSatisfiable && !hasResumed:
			if hasResumed, err = true, t.resume(ctx); err != nil {
				return err
			}
		case schema.KindOf(err) == schema.Refused:
			*t.p = progress{}
			return &schema.Error{Kind: schema.Retryable, Message: "TikTok takes no more of the video that was begun; it begins anew", Err: err}
		default:
			return err
		}
		if t.now().Sub(t.began) > connectors.LongestTurn {
			break
		}
	}
	if !t.p.isReady() {
		return nil
	}
	from, size := t.p.rest()
	return t.lastParts.keep(t.p.ID, io.NewSectionReader(content, from, size), t.p.Until)
}

// sendPart sends the next part. TikTok answers each with 206 but the last, after which it
// publishes: that is not sent here.
func (t turn) sendPart(ctx context.Context, content io.ReaderAt) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	call := t.partCall(t.d, *t.p, t.p.Sent*t.p.Part, t.p.Part)
	call.Body = io.NewSectionReader(content, t.p.Sent*t.p.Part, t.p.Part)
	response, err := t.client.Do(ctx, call, nil)
	if response != nil {
		status = response.Status
	}
	switch {
	case err != nil:
		return status, fmt.Errorf("sending part %d of %d: %w", t.p.Sent+1, t.p.Parts, err)
	case status != http.StatusPartialContent:
		return status, platform.Strange("does not say that it has the part")
	}
	return status, nil
}

// partCall is the call that sends a part. Its address is the proof, so it gets no token.
func (c *Connector) partCall(d schema.Delivery, p progress, from, size int64) connectors.Call {
	span := "bytes " + strconv.FormatInt(from, 10) + "-" + strconv.FormatInt(from+size-1, 10) + "/" + strconv.FormatInt(p.Size, 10)
	return connectors.Call{
		Operation: opPart, Method: http.MethodPut, URL: p.URL, Account: d.Account.ID,
		Header: http.Header{"Content-Range": {span}}, ContentType: p.Type, ContentLength: size,
		Secrets: []string{p.URL, d.Credentials.AccessToken, d.Credentials.RefreshToken},
	}
}

// resume asks how much of the video arrived. What ends within a part, or needs no last one, is
// not continued.
func (t turn) resume(ctx context.Context) error {
	found, err := t.status(ctx, t.d, t.p.ID)
	if err != nil {
		return err
	}
	sent := found.Uploaded / t.p.Part
	if found.Status != statusUpload || found.Uploaded%t.p.Part != 0 || sent >= t.p.Parts {
		*t.p = progress{}
		return &schema.Error{Kind: schema.Retryable, Message: "TikTok does not go on with the video that was begun; it begins anew"}
	}
	t.p.Sent = sent
	return nil
}

// Publish sends the last part, from which on TikTok goes on by itself.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	p, err := connectors.ProgressOf[progress](d)
	switch {
	case err != nil:
		return schema.Receipt{}, err
	case !p.isReady() || !c.isOwn(p.URL):
		return schema.Receipt{}, unprepared("the video is not sent yet", nil)
	}
	if d.CallsAgain() { // a part that came late may be there by now
		if err := c.isMissing(ctx, d, p, nil); err != nil {
			return schema.Receipt{}, err
		}
	}
	if !c.now().Before(p.Until) {
		return schema.Receipt{}, unprepared("the time to send the video is over", nil)
	}
	last, err := c.lastPart(ctx, d, p)
	if err != nil {
		return schema.Receipt{}, err
	}
	receipt, err := c.publish(ctx, d, p, last)
	if err != nil {
		c.lastParts.giveBack(p.ID, last)
		return schema.Receipt{}, err
	}
	_ = last.Close() // it is read
	return receipt, nil
}

// publish makes the visible call.
func (c *Connector) publish(ctx context.Context, d schema.Delivery, p progress, last *lastPart) (schema.Receipt, error) {
	from, size := p.rest()
	call := c.partCall(d, p, from, size).Publishing(d)
	body := &countedReader{Reader: io.NewSectionReader(last, 0, size)}
	call.Body = body
	response, err := c.client.Do(ctx, call, nil)
	switch {
	case response == nil && schema.KindOf(err) == schema.Unknown && c.isDivisible(p) && body.read.Load() < size:
		return schema.Receipt{}, unprepared("the video did not arrive within the time of one call: it is sent in parts", err)
	case response != nil && response.Status == http.StatusRequestedRangeNotSatisfiable:
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "TikTok says that it is further in the video, or less far", Err: err}
	case response != nil && isGone(response.Status) && schema.KindOf(err) == schema.Refused:
		return schema.Receipt{}, c.isMissing(ctx, d, p, err)
	case err != nil:
		return schema.Receipt{}, fmt.Errorf("sending the last part: %w", err)
	case response.Status != http.StatusCreated:
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "TikTok's answer does not say that it has the whole video"}
	}
	return schema.Receipt{Entry: d.Entry, NativeID: p.ID, PostedAt: c.now().UTC(), Open: true}, nil
}

// isDivisible reports whether a video that was begun as one part can be sent in several: less of it has to
// arrive within the time of the visible call then.
func (c *Connector) isDivisible(p progress) bool {
	_, parts := c.shape.smaller().of(p.Size)
	return p.Parts == 1 && parts > 1
}

// countedReader counts what is read of it. Of a body whose end was never read, no server has all.
type countedReader struct {
	io.Reader
	read atomic.Int64
}

func (r *countedReader) Read(buffer []byte) (int, error) {
	n, err := r.Reader.Read(buffer)
	r.read.Add(int64(n))
	return n, err
}

// isGone reports whether TikTok takes nothing more at an address: its time is over, or there is
// no such upload.
func isGone(status int) bool {
	return status == http.StatusForbidden || status == http.StatusNotFound || status == http.StatusGone
}

// isMissing asks whether the last part is still to come; nil: it is, and can. refused is why it
// cannot be sent; nil: nothing was sent.
func (c *Connector) isMissing(ctx context.Context, d schema.Delivery, p progress, refused error) error {
	found, err := c.status(ctx, d, p.ID)
	switch {
	case err != nil && refused != nil:
		return &schema.Error{Kind: schema.Unknown, Message: "TikTok refused the last part, and does not say whether it has it", Err: errors.Join(err, refused)}
	case err != nil:
		return fmt.Errorf("asking for what was sent before: %w", err)
	case found.isTaken(p):
		return &schema.Error{Kind: schema.Duplicate, Message: "TikTok has the whole video", Err: refused}
	case found.Status == statusFailed || refused != nil:
		return unprepared("TikTok takes no more of the video that was begun; it begins anew", refused)
	default:
		return nil
	}
}

func unprepared(message string, cause error) *schema.Error {
	return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: message, Err: cause}
}

// openTime is how long the media may take to be opened again within a visible call.
const openTime = schema.CallDeadline / 3

// lastPart returns the last part of a video: the one that Prepare has kept or, where another
// process did, the media's. What takes too long to fetch for that is prepared again.
func (c *Connector) lastPart(ctx context.Context, d schema.Delivery, p progress) (*lastPart, error) {
	if last := c.lastParts.take(p.ID); last != nil {
		return last, nil
	}
	opening, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	file, err := c.media.Open(opening, d.Media[0])
	if err != nil && opening.Err() != nil {
		return nil, unprepared("the video could not be read in time", err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	defer file.Close() // its content is copied
	if file.Size != p.Size {
		return nil, unprepared("the video is another one than was begun", nil)
	}
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	from, size := p.rest()
	return newLastPart(io.NewSectionReader(content, from, size), p.Until)
}
