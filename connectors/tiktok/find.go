package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/schema"
)

// The states of a publication (content-posting-api-reference-get-video-status).
const (
	statusUpload   = "PROCESSING_UPLOAD"
	statusComplete = "PUBLISH_COMPLETE"
	statusFailed   = "FAILED"
)

// Names of states that clients know besides (DayMoonDevelopment/post-for-me d72ab66,
// tiktok-post-client.ts; trypost-it/trypost 0277643, TikTokPublisher.php).
const (
	statusSuccess       = "PUBLISH_SUCCESS"
	statusPublishFailed = "PUBLISH_FAILED"
)

// The reasons of a failure that another try may not meet.
const (
	reasonInternal = "internal"
	reasonPull     = "video_pull_failed"
)

// publication is how far TikTok is with a video.
type publication struct {
	Status   string `json:"status"`
	Reason   string `json:"fail_reason"`
	Uploaded int64  `json:"uploaded_bytes"`
	// Posts is what the video is called once it is moderated; spelt so, and by clients also correctly
	// (getopenpost/openpost af01882, tiktok.go). The numbers, which may come as texts, are too large for
	// floats.
	Posts   []json.Number `json:"publicaly_available_post_id"`
	Spelled []json.Number `json:"publicly_available_post_id"`
}

// documented returns it in the document's names.
func (p publication) documented() publication {
	switch p.Status {
	case statusSuccess:
		p.Status = statusComplete
	case statusPublishFailed:
		p.Status = statusFailed
	}
	if len(p.Posts) == 0 {
		p.Posts = p.Spelled
	}
	return p
}

// isTaken tells whether TikTok has all of a video.
func (p publication) isTaken(of progress) bool {
	return p.Status == statusComplete || p.Status != statusFailed && p.Uploaded >= of.Size
}

func (c *Connector) status(ctx context.Context, d schema.Delivery, id string) (publication, error) {
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/v2/post/publish/status/fetch/", opStatus)
	call.Kind, call.JSON = connectors.Status, map[string]string{"publish_id": id}
	found, err := ask[publication](ctx, c, call)
	if err != nil {
		return publication{}, fmt.Errorf("asking how far the video is: %w", err)
	}
	if found.Status == "" {
		return publication{}, platform.Strange("does not say how far the video is")
	}
	return found.documented(), nil
}

// moderated is how long a video that is published is waited for to be called something: that
// usually takes less than a minute. One that only its creator sees never is.
const moderated = 2 * time.Minute

// Find asks how far the publication is that was begun. The last part, once TikTok has it, is the
// post: a publication without it is none, and never will be.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	p, err := connectors.ProgressOf[progress](d)
	known := d.Receipt(d.Entry)
	if p.ID == "" && known != nil && known.Open { // which is called as the publication
		p.ID = known.NativeID
	}
	if err != nil || d.Comment != nil || p.ID == "" { // an earlier run knew the id
		return schema.Receipt{}, schema.CannotTell, err
	}
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	found, err := c.status(ctx, d, p.ID)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	receipt := schema.Receipt{Entry: d.Entry, NativeID: p.ID, PostedAt: d.Since.UTC()}
	if known != nil {
		receipt.PostedAt = known.PostedAt
	}
	switch {
	case found.Status == statusFailed && (found.Reason == reasonInternal || found.Reason == reasonPull):
		return schema.Receipt{}, schema.NotThere, nil
	case found.Status == statusFailed:
		return schema.Receipt{}, schema.NotThere, connectors.Refuse("TikTok did not publish the video: %s", cmp.Or(found.Reason, "it gave no reason"))
	case len(found.Posts) > 0:
		receipt.NativeID = found.Posts[0].String()
		receipt.URL = c.web + "/@" + url.PathEscape(p.Username) + "/video/" + url.PathEscape(receipt.NativeID)
		return receipt, schema.Found, nil
	case found.Status == statusComplete:
		receipt.Open = s.Privacy != oneself && c.now().Sub(receipt.PostedAt) < moderated && c.now().Before(d.Until)
		return receipt, schema.Found, nil
	case known != nil || found.isTaken(p): // TikTok has answered that it has it, or says so now
		receipt.Open = true
		return receipt, schema.Found, nil
	default:
		return schema.Receipt{}, schema.NotThere, nil
	}
}
