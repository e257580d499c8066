package linkedin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// turn is one call of Prepare that uploads.
type turn struct {
	*Connector
	d     schema.Delivery
	owner string
	began time.Time
}

// part is one of the pieces that LinkedIn wants a file in.
type part struct {
	URL   string `json:"url,omitempty"`
	First int64  `json:"first"`
	Last  int64  `json:"last"`
	ETag  string `json:"etag,omitempty"` // empty: not uploaded
}

// upload takes one item as far as it can. An upload whose addresses are refused has expired,
// and begins again with the next call.
func (t *turn) upload(ctx context.Context, file *media.File, a *asset) error {
	if a.URN == "" {
		begun, err := t.begin(ctx, file)
		if err != nil {
			return err
		}
		*a = begun
	}
	err := t.send(ctx, file, a.Upload.Parts)
	if err == nil && a.Kind == videos {
		err = t.finalize(ctx, *a)
	}
	if schema.KindOf(err) == schema.Refused {
		*a = asset{}
		return &schema.Error{Kind: schema.Retryable, Message: "LinkedIn did not take the upload", Err: err}
	}
	if err != nil {
		return err
	}
	a.Uploaded, a.Upload = true, nil
	return nil
}

// begin asks LinkedIn where an item is to be uploaded.
func (t *turn) begin(ctx context.Context, file *media.File) (asset, error) {
	kind := collectionOf(file)
	path := "/rest/" + string(kind)
	call := t.call(t.d.Account, t.d.Credentials, http.MethodPost, path, "POST "+path+"?action=initializeUpload")
	call.Kind, call.Query = connectors.Media, url.Values{"action": {"initializeUpload"}}
	request := map[string]any{"owner": t.owner}
	if kind == videos {
		request["fileSizeBytes"], request["uploadCaptions"], request["uploadThumbnail"] = file.Size, false, false
	}
	call.JSON = map[string]any{"initializeUploadRequest": request}
	var response struct {
		Value struct {
			UploadURL    string `json:"uploadUrl"` // of images and documents, which go in one piece
			Image        string `json:"image"`
			Document     string `json:"document"`
			Video        string `json:"video"`
			Token        string `json:"uploadToken"`
			Instructions []struct {
				URL   string `json:"uploadUrl"`
				First int64  `json:"firstByte"`
				Last  int64  `json:"lastByte"`
			} `json:"uploadInstructions"`
		} `json:"value"`
	}
	if _, err := t.client.Do(ctx, call, &response); err != nil {
		return asset{}, fmt.Errorf("beginning upload: %w", err)
	}
	value := response.Value
	begun := asset{Kind: kind, URN: value.Image + value.Document + value.Video, Upload: &upload{Token: value.Token}}
	for _, piece := range value.Instructions {
		begun.Upload.Parts = append(begun.Upload.Parts, part{URL: piece.URL, First: piece.First, Last: piece.Last})
	}
	if value.UploadURL != "" {
		begun.Upload.Parts = []part{{URL: value.UploadURL, Last: file.Size - 1}}
	}
	if !strings.HasPrefix(begun.URN, "urn:li:"+kind.kind()+":") || !covers(begun.Upload.Parts, file.Size) {
		return asset{}, platform.Strange("does not say where to upload")
	}
	return begun, nil
}

// covers reports whether parts follow on each other from the first byte of a file to its last.
func covers(parts []part, size int64) bool {
	next := int64(0)
	for _, p := range parts {
		if p.First != next || p.Last < p.First {
			return false
		}
		next = p.Last + 1
	}
	return next == size
}

// send uploads the parts that are missing, in order.
func (t *turn) send(ctx context.Context, file *media.File, parts []part) error {
	content, err := file.Open()
	if err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	at := int64(0)
	for i := range parts {
		p := &parts[i]
		if p.ETag != "" {
			continue
		}
		if i > 0 && t.now().Sub(t.began) > connectors.LongestTurn {
			return connectors.ErrPause
		}
		if _, err := io.CopyN(io.Discard, content, p.First-at); err != nil {
			return fmt.Errorf("reading media: %w", err)
		}
		if p.ETag, err = t.put(ctx, *p, io.LimitReader(content, p.Last-p.First+1), len(parts) > 1); err != nil {
			return fmt.Errorf("uploading media: %w", err)
		}
		p.URL, at = "", p.Last+1
	}
	return nil
}

// whole stands for the ETag of what goes in one piece and gets none.
const whole = "whole"

// put uploads one part and returns its ETag, by which the parts are put together.
func (t *turn) put(ctx context.Context, p part, content io.Reader, several bool) (string, error) {
	call := connectors.Call{
		Operation: opUpload, Method: http.MethodPut, URL: p.URL, Account: t.d.Account.ID, Kind: connectors.Media,
		Body: content, ContentType: "application/octet-stream", ContentLength: p.Last - p.First + 1,
	}
	if t.isOwn(p.URL) {
		call.Token = t.d.Credentials.AccessToken
	}
	response, err := t.client.Do(ctx, call, nil)
	if err != nil {
		return "", err
	}
	etag := response.Header.Get("ETag")
	if etag == "" && several {
		return "", platform.Strange("to a part of the video names no ETag")
	}
	return cmp.Or(etag, whole), nil
}

// isOwn reports whether an address may be told the token: it is LinkedIn's own.
func (c *Connector) isOwn(address string) bool {
	return connectors.IsOwn(address, c.api, apiHost, ".linkedin.com")
}

// finalize has LinkedIn put the parts of a video together.
func (t *turn) finalize(ctx context.Context, a asset) error {
	call := t.call(t.d.Account, t.d.Credentials, http.MethodPost, "/rest/videos", opFinalize)
	call.Kind, call.Query = connectors.Media, url.Values{"action": {"finalizeUpload"}}
	ids := make([]string, len(a.Upload.Parts))
	for i, p := range a.Upload.Parts {
		ids[i] = strings.Trim(p.ETag, `"`)
	}
	call.JSON = map[string]any{"finalizeUploadRequest": map[string]any{
		"video": a.URN, "uploadToken": a.Upload.Token, "uploadedPartIds": ids,
	}}
	if _, err := t.client.Do(ctx, call, nil); err != nil {
		return fmt.Errorf("ending upload: %w", err)
	}
	return nil
}
