package tiktok

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

const (
	soon = time.Second // when an upload is continued
	// addressLife is of an address that a video is sent to; a little of it is left for the last part.
	addressLife = time.Hour - time.Minute
)

// shape is how a video is divided. The document allows parts of 5 to 64 MB
// (content-posting-api-media-transfer-guide); since August 2026 TikTok refuses most of them with "The
// chunk size is invalid" (DayMoonDevelopment/post-for-me issue 327). The proven shape is the one of
// gitroomhq/postiz-app (pull request 1784, 24 July 2026): one part up to 64 MB, parts of 10 MiB above.
type shape struct {
	whole int64 // bytes; a video of at most as many is one part
	part  int64 // bytes of each part of a larger one, but that the last has the remainder as well
}

var proven = shape{whole: 64_000_000, part: 10 << 20}

// of returns the size of the parts of a video, and how many there are: TikTok divides the one by the other.
func (s shape) of(size int64) (part, parts int64) {
	if size <= s.whole || size < 2*s.part {
		return size, 1
	}
	return s.part, size / s.part
}

// smaller is the shape of a video that as one part did not arrive within the time of the visible call.
func (s shape) smaller() shape { return shape{part: s.part} }

// progress is what is kept of an entry between two calls of Prepare, and for Publish and Find.
type progress struct {
	ID       string    `json:"id,omitempty"`  // publish_id; empty: nothing was begun
	URL      string    `json:"url,omitempty"` // where the parts go
	Until    time.Time `json:"until,omitzero"`
	Type     string    `json:"type,omitempty"`
	Size     int64     `json:"size,omitempty"`
	Part     int64     `json:"part,omitempty"` // bytes of each but the last
	Parts    int64     `json:"parts,omitempty"`
	Sent     int64     `json:"sent,omitempty"` // parts
	Username string    `json:"username,omitempty"`
	Max      int64     `json:"most,omitempty"` // bytes that TikTok had at the most, of any publication
}

// isReady reports whether nothing but the last part is left to send.
func (p progress) isReady() bool { return p.ID != "" && p.Sent == p.Parts-1 }

// rest returns where the last part begins, and its size.
func (p progress) rest() (from, size int64) {
	from = p.Part * (p.Parts - 1)
	return from, p.Size - from
}

// Prepare asks what the creator may publish, begins the video and sends all parts of it but the
// last. The state that comes with an error, or without being ready, holds what was sent before.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Progress{}, err
	}
	p, err := connectors.ProgressOf[progress](d)
	if err != nil {
		return schema.Progress{}, err
	}
	if p.isReady() {
		return schema.Progress{State: d.Progress, Ready: true}, nil
	}
	if len(d.Media) != 1 {
		return schema.Progress{}, connectors.Refuse("TikTok takes one video")
	}
	maximum := p.Max
	allowed, err := c.advance(ctx, d, s, &p)
	p.Max = max(maximum, p.Sent*p.Part)
	encoded, encodeErr := json.Marshal(p)
	if encodeErr != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", encodeErr)
	}
	prepared := schema.Progress{State: encoded, Ready: err == nil && p.isReady(), Settings: allowed, Advanced: p.Max > maximum}
	if err == nil && !prepared.Ready {
		prepared.RetryIn = soon
	}
	return prepared, err
}

// advance takes the entry as far as there is time. It returns what the creator may publish,
// where that was asked for.
func (c *Connector) advance(ctx context.Context, d schema.Delivery, s settings, p *progress) (allowed json.RawMessage, err error) {
	file, err := c.media.Open(ctx, d.Media[0])
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if p.ID != "" && (p.Size != file.Size || p.Type != file.Type || !c.now().Before(p.Until)) {
		*p = progress{} // it is not what was begun with, or its time is over
	}
	t := turn{Connector: c, d: d, p: p, file: file, began: c.now()}
	if p.ID != "" {
		return nil, t.send(ctx)
	}
	if err := t.file.Check(Constraints().Of(d)); err != nil {
		return nil, err
	}
	beginning, wait := c.client.Reserve(ctx, d.Account.ID, connectors.Media)
	if wait > soon { // nothing is asked of a creator whose next video is not begun yet
		return nil, &schema.Error{Kind: schema.RateLimited, RetryAfter: wait, Message: "TikTok begins six videos of an account in a minute"}
	}
	if beginning != nil {
		t.beginning = beginning
		defer beginning.Cancel()
	}
	k, err := t.creator(ctx, d.Account, d.Credentials)
	if err != nil {
		return nil, err
	}
	if err := t.begin(ctx, s, k); err != nil {
		return k.settings(), err
	}
	return k.settings(), t.send(ctx)
}

// turn is one call of Prepare.
type turn struct {
	*Connector
	d     schema.Delivery
	p     *progress
	file  *media.File
	began time.Time
	// beginning is the turn of the call that begins a video; nil: it takes one by itself.
	beginning schema.Reservation
}

// begin tells TikTok what the post is to be, if the creator may publish it. Nobody sees a post whose video does not come, so
// that a lost answer is asked for again.
func (t turn) begin(ctx context.Context, s settings, k creator) error {
	if err := k.check(s); err != nil {
		return err
	}
	account := t.d.Account
	account.Settings = k.settings()
	if err := t.file.Check(Constraints().For(&account)); err != nil {
		return err
	}
	p := progress{Type: t.file.Type, Size: t.file.Size, Username: k.username, Until: t.began.Add(addressLife)}
	divided := t.shape
	if t.d.Attempts > 0 { // what failed before may have been too slow
		divided = divided.smaller()
	}
	p.Part, p.Parts = divided.of(p.Size)
	data, err := t.initialize(ctx, s, k, p)
	if part, parts := t.shape.of(p.Size); errors.Is(err, errPartSize) && parts != p.Parts {
		p.Part, p.Parts = part, parts
		t.beginning = nil // it is used
		data, err = t.initialize(ctx, s, k, p)
	}
	if err != nil {
		return fmt.Errorf("beginning the video: %w", err)
	}
	if data.ID == "" || !t.isOwn(data.URL) {
		return platform.Strange("does not say where to send the video")
	}
	p.ID, p.URL = data.ID, data.URL
	*t.p = p
	return nil
}

// begun is the answer to the call that begins a video.
type begun struct {
	ID  string `json:"publish_id"`
	URL string `json:"upload_url"`
}

func (t turn) initialize(ctx context.Context, s settings, k creator, p progress) (begun, error) {
	call := t.call(t.d.Account, t.d.Credentials, http.MethodPost, "/v2/post/publish/video/init/", opInit)
	call.Kind, call.Reservation, call.JSON = connectors.Media, t.beginning, map[string]any{"post_info": postInfo(t.d.Text, s, k), "source_info": map[string]any{
		"source": "FILE_UPLOAD", "video_size": p.Size, "chunk_size": p.Part, "total_chunk_count": p.Parts,
	}}
	return ask[begun](ctx, t.Connector, call)
}

// postInfo is what a video is published with. What the account has turned off stays so.
func postInfo(title string, s settings, k creator) map[string]any {
	info := map[string]any{
		"title": title, "privacy_level": s.Privacy, "brand_content_toggle": s.BrandContent,
		"brand_organic_toggle": s.BrandOrganic, "is_aigc": s.Generated,
	}
	for _, interaction := range s.interactions() {
		disable := *interaction.disable
		info["disable_"+interaction.name] = disable != nil && *disable || !k.allows(interaction.name)
	}
	if s.CoverTimestamp != nil {
		info["video_cover_timestamp_ms"] = *s.CoverTimestamp
	}
	return info
}
