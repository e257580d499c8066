package youtube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/google"
	"crier/connectors/listing"
	"crier/schema"
)

const (
	pageSize = 50 // the most YouTube gives at once
	// listed is how long after the call a video that was made is surely among the uploads of
	// its channel, and known by its id.
	listed = 10 * time.Minute
)

// Find asks the session of an upload what it has made. Of a video that is there it asks how far
// its processing is, and sees to what it is to have besides. A session that nobody knows any
// more is of no use: the channel's uploads tell then.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if d.Comment != nil {
		return c.findComment(ctx, d)
	}
	if known := d.Receipt(d.Entry); known != nil {
		return c.close(ctx, d, *known)
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	if len(p.Media) == 1 && c.isOwn(p.Media[0].Session) {
		now, err := c.ask(ctx, d, p.Media[0])
		switch {
		case err != nil:
			return schema.Receipt{}, schema.CannotTell, fmt.Errorf("asking for the upload: %w", err)
		case now.video.ID != "":
			return c.receipt(d, now.video.ID), schema.Found, nil
		case now.isWhole(p.Media[0]):
			return c.findWhole(ctx, d)
		case !now.gone:
			return schema.Receipt{}, schema.NotMade, nil
		}
	}
	return c.findUpload(ctx, d)
}

// findWhole looks for the video of a session that has all of it and does not say as what: that it is
// not listed is no proof. Whoever accepts a second video need not wait for that, and who has waited for as
// long as the post may be late is told that nobody can tell.
func (c *Connector) findWhole(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	receipt, verdict, err := c.findUpload(ctx, d)
	isLimited := schema.KindOf(err) == schema.RateLimited // for as much as a day, in which the session may say it
	switch {
	case verdict == schema.Found || err != nil && !isLimited:
		return receipt, verdict, err
	case !isLimited && (d.AcceptDuplicate && d.Unsettled.Has(d.Entry) || !d.Until.IsZero() && !c.now().Before(d.Until)):
		return schema.Receipt{}, schema.CannotTell, nil
	default:
		return schema.Receipt{}, schema.CannotTell, listing.LookLater(0, unnamed)
	}
}

// findUpload looks for the video among the channel's uploads, by its title and description.
func (c *Connector) findUpload(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	own, err := c.channel(ctx, d.Account, d.Credentials)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	receipt, verdict, err := listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.uploads(ctx, d, s, own.Details.Related.Uploads, next)
	}}.Receipt(ctx, d)
	receipt.Open = verdict == schema.Found // Find closes it
	return receipt, verdict, err
}

// list is a part of one.
type list[Of any] struct {
	Kind  string `json:"kind"`
	Items []Of   `json:"items"`
	Next  string `json:"nextPageToken"`
}

// readList reads a part of a list, of which what names it.
func readList[Of any](ctx context.Context, c *Connector, d schema.Delivery, call connectors.Call, what string) (list[Of], *connectors.Response, error) {
	var read list[Of]
	response, err := c.do(ctx, d.Account, d.Credentials, call, &read)
	if err != nil {
		return list[Of]{}, response, fmt.Errorf("reading %s: %w", what, connectors.WithoutEnd(err))
	}
	if !strings.HasSuffix(read.Kind, "ListResponse") {
		return list[Of]{}, response, platform.Strange("is no list of " + what)
	}
	return read, response, nil
}

// playlistItem is what a list has of a video in a playlist.
type playlistItem struct {
	Snippet struct {
		Title       string    `json:"title"`
		Description string    `json:"description"`
		PublishedAt time.Time `json:"publishedAt"` // when it was added
		Resource    struct {
			VideoID string `json:"videoId"`
		} `json:"resourceId"`
	} `json:"snippet"`
}

func (c *Connector) uploads(ctx context.Context, d schema.Delivery, s settings, playlist, next string) (listing.Page, error) {
	call := c.read(d, "playlistItems", opPlaylistItems, "snippet")
	call.Query.Set("playlistId", playlist)
	call.Query.Set("maxResults", strconv.Itoa(pageSize))
	connectors.SetField(call.Query, "pageToken", next)
	read, response, err := readList[playlistItem](ctx, c, d, call, "uploads")
	if failure, ok := errors.AsType[google.Error](err); ok && failure.Has("playlistNotFound") && next == "" {
		return listing.Page{Skew: listing.Skew(response.Header, c.now())}, nil // nothing was uploaded yet
	}
	if err != nil {
		return listing.Page{}, err
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.Next}
	for _, item := range read.Items {
		snippet := item.Snippet
		if snippet.Resource.VideoID == "" || snippet.PublishedAt.IsZero() {
			return listing.Page{}, platform.Strange("lists an upload without a name")
		}
		page.Items = append(page.Items, listing.Item{
			ID: snippet.Resource.VideoID, URL: c.address(snippet.Resource.VideoID), At: snippet.PublishedAt,
			Alike: listing.SameText(s.Title, snippet.Title) && listing.SameText(d.Text, snippet.Description),
			Near:  listing.MostlySame(s.Title, snippet.Title) && listing.MostlySame(d.Text, snippet.Description),
		})
		page.Until = snippet.PublishedAt
	}
	return page, nil
}

// close asks how far YouTube is with a video. The receipt stays open until it is processed and
// has all that it is to have.
func (c *Connector) close(ctx context.Context, d schema.Delivery, known schema.Receipt) (schema.Receipt, schema.Verdict, error) {
	call := c.read(d, "videos", opVideos, "status", "processingDetails")
	call.Query.Set("id", known.NativeID)
	read, _, err := readList[video](ctx, c, d, call, "videos")
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	if len(read.Items) == 0 {
		if c.now().Sub(known.PostedAt) < listed {
			return schema.Receipt{}, schema.CannotTell, platform.Strange("does not show the video yet")
		}
		return schema.Receipt{}, schema.NotThere, connectors.Refuse("YouTube no longer has the video: somebody has deleted it")
	}
	video := read.Items[0]
	if gaveUp, err := video.failure(); gaveUp {
		return schema.Receipt{}, schema.NotThere, err
	} else if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	known.Open = video.Status.UploadStatus != "processed"
	receipt, verdict, err := c.complete(ctx, d, known, video.Process != nil && video.Process.Status == "succeeded")
	if verdict == schema.Found && !receipt.Open {
		err = errors.Join(video.locked(d), err)
	}
	return receipt, verdict, err
}

// locked says that nobody sees a video that was to be seen. YouTube takes the videos of apps that it has
// not audited, and makes them private (docs/videos/insert; tokland/youtube-upload #306, youtube/api-samples #364).
func (v video) locked(d schema.Delivery) error {
	s, err := settingsOf(d)
	if err != nil || s.PrivacyStatus == isPrivate || v.Status.PrivacyStatus != isPrivate {
		return err
	}
	return connectors.Refuse("the video is published, and nobody sees it: YouTube has made it private, as it does with all videos of an app that it has not audited")
}

// failure says whether YouTube has given a video up, and why. An error without that is of an
// answer that does not tell.
func (v video) failure() (gaveUp bool, err error) {
	s := v.Status
	processing := ""
	if v.Process != nil {
		processing = v.Process.FailureReason
	}
	switch s.UploadStatus {
	case "uploaded": // of which the processing alone may have failed: getopenpost/openpost af01882, youtube.go
		if v.Process != nil && v.Process.Status == "failed" {
			return true, connectors.Refuse("YouTube could not process the video: %s", cmp.Or(processing, "it gave no reason"))
		}
		return false, nil
	case "failed":
		return true, connectors.Refuse("YouTube could not process the video: %s", cmp.Or(s.FailureReason, processing, "it gave no reason"))
	case "rejected":
		return true, connectors.Refuse("YouTube rejected the video: %s", cmp.Or(s.RejectionReason, "it gave no reason"))
	case "deleted":
		return true, connectors.Refuse("YouTube no longer has the video: somebody has deleted it")
	case "processed":
		return false, nil
	default:
		return false, platform.Strange("does not say how far the video is")
	}
}
