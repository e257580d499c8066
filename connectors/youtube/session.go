package youtube

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// The protocol of resumable uploads
// (developers.google.com/youtube/v3/guides/using_resumable_upload_protocol).
const (
	// granule is what all parts but the last are multiples of.
	granule   = 256 << 10
	usualPart = 32 * granule
	// statusResume answers a part: more is wanted, from where the header Range ends.
	statusResume = http.StatusPermanentRedirect
	// uploader is a header of all that Google's upload servers answer.
	uploader = "X-Guploader-Uploadid"
)

// sessionState is how far a session is.
type sessionState struct {
	sent  int64 // bytes that YouTube has
	video video // that the session has made; without an id: none yet
	gone  bool  // YouTube knows no such session, or no more
}

// isWhole reports whether a session has all of its video, and no more: such a one may make it at any
// time, or has made it without saying so (github.com/claudiob/yt, issue 192).
func (s sessionState) isWhole(of asset) bool { return !s.gone && s.video.ID == "" && s.sent == of.Size }

const unnamed = "YouTube has all of the video, and does not say what it made of it"

// begin begins a session. It counts in the day's uploads of the app.
func (c *Connector) begin(ctx context.Context, d schema.Delivery, s settings, file *media.File) (asset, error) {
	resource, parts := s.resource(d.Text)
	call := about(c.call(d.Account, d.Credentials, http.MethodPost, "/upload/youtube/v3/videos", opInsert), parts...)
	call.Kind, call.JSON = connectors.Media, resource
	call.Query.Set("uploadType", "resumable")
	if s.NotifySubscribers != nil {
		call.Query.Set("notifySubscribers", strconv.FormatBool(*s.NotifySubscribers))
	}
	call.Header = http.Header{
		"X-Upload-Content-Length": {strconv.FormatInt(file.Size, 10)}, "X-Upload-Content-Type": {file.Type},
	}
	response, err := c.do(ctx, d.Account, d.Credentials, call, nil)
	if err != nil {
		return asset{}, fmt.Errorf("beginning upload: %w", err)
	}
	session := response.Header.Get("Location")
	if !c.isOwn(session) {
		return asset{}, platform.Strange("does not say where to upload")
	}
	return asset{Session: session, Type: file.Type, Size: file.Size}, nil
}

// isOwn reports whether an address may be told the token: it is Google's own. That of a session
// from before crier was configured otherwise may not be.
func (c *Connector) isOwn(address string) bool {
	return connectors.IsOwn(address, c.api, apiHost, ".googleapis.com")
}

// toSession is a call of a session, about a range of the video.
func (c *Connector) toSession(d schema.Delivery, a asset, operation, contentRange string) connectors.Call {
	call := connectors.Call{
		Operation: operation, Method: http.MethodPut, URL: a.Session, Token: d.Credentials.AccessToken, Account: d.Account.ID,
		Kind: connectors.Media, Header: http.Header{"Content-Range": {contentRange}}, Accepts: statusResume,
	}
	if u, err := url.Parse(a.Session); err == nil {
		call.Secrets = []string{u.Query().Get("upload_id")}
	}
	return call
}

// ask asks how far a session is. It changes nothing, except that the video of a session that
// has all of its bytes is made.
func (c *Connector) ask(ctx context.Context, d schema.Delivery, a asset) (sessionState, error) {
	call := c.toSession(d, a, opSession, fmt.Sprintf("bytes */%d", a.Size))
	call.Kind = connectors.Status
	return c.readState(ctx, call, a.Size)
}

// part sends bytes of a video that are not its last.
func (c *Connector) part(ctx context.Context, d schema.Delivery, a asset, content io.Reader, n int64) (sessionState, error) {
	call := c.toSession(d, a, opPart, fmt.Sprintf("bytes %d-%d/%d", a.Sent, a.Sent+n-1, a.Size))
	call.Body, call.ContentType, call.ContentLength = content, a.Type, n
	return c.readState(ctx, call, a.Size)
}

// end sends the rest of a video, which makes it.
func (c *Connector) end(ctx context.Context, d schema.Delivery, a asset) (video, error) {
	call := c.toSession(d, a, opEnd, fmt.Sprintf("bytes %d-%d/%d", a.Sent, a.Size-1, a.Size)).Publishing(d)
	call.Body, call.ContentType, call.ContentLength = bytes.NewReader(a.Rest), a.Type, int64(len(a.Rest))
	now, err := c.readState(ctx, call, a.Size)
	switch {
	case err != nil:
		return video{}, err
	case now.gone:
		return video{}, anew()
	case now.isWhole(a):
		return video{}, &schema.Error{Kind: schema.Unknown, Message: unnamed}
	case now.video.ID == "":
		return video{}, &schema.Error{Kind: schema.Retryable, Message: "YouTube has not got all of the video"}
	default:
		return now.video, nil
	}
}

// anew is the error of an upload that YouTube has forgotten: nobody can send its end any more.
func anew() error {
	return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: "YouTube no longer has the upload: it begins again"}
}

// readState makes a call of a session and reads how far that is.
func (c *Connector) readState(ctx context.Context, call connectors.Call, size int64) (sessionState, error) {
	var now sessionState
	response, err := c.client.Do(ctx, call, &now.video)
	switch {
	case isGone(response):
		return sessionState{gone: true}, nil
	case err != nil:
		return sessionState{}, err
	case response.Status != statusResume && now.video.ID == "":
		return sessionState{}, unclear(call, "names no video")
	case response.Status != statusResume:
		return now, nil
	}
	sent, ok := sentOf(response.Header)
	if !ok || sent > size {
		return sessionState{}, unclear(call, "does not say how far the upload is")
	}
	return sessionState{sent: sent}, nil
}

// isGone reports whether YouTube's own upload server knows no such session.
func isGone(response *connectors.Response) bool {
	return response != nil && response.Header.Get(uploader) != "" &&
		(response.Status == http.StatusNotFound || response.Status == http.StatusGone)
}

// sentOf reads how many bytes have arrived; without a Range none have. A redirect of the same
// status names a place.
func sentOf(header http.Header) (sent int64, ok bool) {
	if header.Get("Location") != "" {
		return 0, false
	}
	ranges := header.Get("Range")
	if ranges == "" {
		return 0, true
	}
	last, ok := strings.CutPrefix(ranges, "bytes=0-")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(last, 10, 64)
	return n + 1, err == nil && n >= 0
}

// unclear is the error of an answer that says nothing: of the visible call, nobody knows then.
func unclear(call connectors.Call, what string) error {
	err := platform.Strange(what)
	if call.Visible {
		err.Kind = schema.Unknown
	}
	return err
}
