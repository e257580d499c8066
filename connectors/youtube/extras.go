package youtube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

const (
	maxThumbnail = 50 << 20 // thumbnails.set
	// longestExtra is how long a video waits for what it is to have besides, when that fails.
	longestExtra = time.Hour
)

// thumbnail is the extra that is a picture.
const thumbnail = "thumbnail"

// longestShort is how long a Short may be (support.google.com/youtube/answer/15424877).
const longestShort = 3 * time.Minute

// mayBeShort reports whether a video may be a Short, of which a thumbnail is lost that is set before the
// video is processed (developers.google.com/youtube/v3/revision_history, 3 November 2026).
func mayBeShort(d schema.Delivery) bool {
	if len(d.Media) == 0 || d.Media[0].Facts == nil {
		return true
	}
	f := d.Media[0].Facts
	return f.Duration <= longestShort && f.Width <= f.Height
}

// extra is what a video gets once it is there: a thumbnail, a place in a playlist. It may be
// done again.
type extra struct {
	name string // in Receipt.State, once it was done or refused
	do   func(ctx context.Context, c *Connector, d schema.Delivery, video string) error
}

func (s settings) extras() []extra {
	var all []extra
	if s.ThumbnailURL != "" {
		all = append(all, extra{thumbnail, func(ctx context.Context, c *Connector, d schema.Delivery, video string) error {
			return c.setThumbnail(ctx, d, video, s.ThumbnailURL)
		}})
	}
	for _, playlist := range s.PlaylistIDs {
		all = append(all, extra{playlist, func(ctx context.Context, c *Connector, d schema.Delivery, video string) error {
			return c.addToPlaylist(ctx, d, video, playlist)
		}})
	}
	return all
}

// complete does what is left of the extras, and keeps in the receipt what was done. An extra
// that is refused, or fails for too long, is done without: the video is published. The error
// that comes with Found says so.
func (c *Connector) complete(ctx context.Context, d schema.Delivery, receipt schema.Receipt, processed bool) (schema.Receipt, schema.Verdict, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	done := strings.Fields(receipt.State)
	begun := len(done)
	var refused error
	for _, extra := range s.extras() {
		if slices.Contains(done, extra.name) {
			continue
		}
		if extra.name == thumbnail && !processed && mayBeShort(d) && c.now().Sub(receipt.PostedAt) < longestExtra {
			receipt.Open = true
			continue
		}
		err := extra.do(ctx, c, d, receipt.NativeID)
		if err != nil && !c.givesUp(d, receipt, err) {
			if len(done) == begun { // nothing is lost by looking again
				return schema.Receipt{}, schema.CannotTell, err
			}
			receipt.Open = true
			break
		}
		done, refused = append(done, extra.name), errors.Join(refused, err)
	}
	receipt.State = strings.Join(done, " ")
	if refused != nil {
		return receipt, schema.Found, without(refused)
	}
	return receipt, schema.Found, nil
}

// without is the error of a video that is published without something.
func without(cause error) error {
	message := "YouTube refused it"
	if e, ok := errors.AsType[*schema.Error](cause); ok {
		message = e.Message
	}
	return &schema.Error{Kind: schema.Refused, Message: "the video is published, but not all that it was to have was taken: " + message, Err: cause}
}

// givesUp reports whether an extra is done without.
func (c *Connector) givesUp(d schema.Delivery, receipt schema.Receipt, err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || e.Kind == schema.TokenDead:
		return false
	case e.Kind == schema.Refused:
		return true
	case !d.Until.IsZero() && !c.now().Before(d.Until):
		return true
	default:
		return e.Kind != schema.RateLimited && c.now().Sub(receipt.PostedAt) > longestExtra
	}
}

// checkExtras refuses, before anything is uploaded, what could not be done when the video is
// there.
func (c *Connector) checkExtras(ctx context.Context, d schema.Delivery, s settings) error {
	if s.ThumbnailURL != "" {
		file, err := c.openThumbnail(ctx, s.ThumbnailURL)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return c.checkPlaylists(ctx, d, s.PlaylistIDs)
}

// openThumbnail fetches a picture that YouTube takes.
func (c *Connector) openThumbnail(ctx context.Context, address string) (*media.File, error) {
	file, err := c.media.Open(ctx, schema.Media{Kind: schema.Image, URL: address})
	if err != nil {
		return nil, fmt.Errorf("opening thumbnail: %w", err)
	}
	if file.Type != "image/jpeg" && file.Type != "image/png" || file.Size > maxThumbnail {
		return nil, errors.Join(connectors.Refuse("YouTube takes thumbnails of JPEG or PNG of up to 50 MB, this one is %s of %d bytes", file.Type, file.Size), file.Close())
	}
	return file, nil
}

func (c *Connector) setThumbnail(ctx context.Context, d schema.Delivery, video, address string) (err error) {
	file, err := c.openThumbnail(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := file.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/upload/youtube/v3/thumbnails/set", opThumbnail)
	call.Query.Set("uploadType", "media")
	call.Query.Set("videoId", video)
	call.Kind, call.Body, call.ContentType, call.ContentLength = connectors.Media, content, file.Type, file.Size
	if _, err := c.do(ctx, d.Account, d.Credentials, call, nil); err != nil {
		return fmt.Errorf("setting thumbnail: %w", connectors.WithoutEnd(err))
	}
	return nil
}

// checkPlaylists refuses playlists that the channel does not have.
func (c *Connector) checkPlaylists(ctx context.Context, d schema.Delivery, playlists []string) error {
	if len(playlists) == 0 {
		return nil
	}
	call := c.read(d, "playlists", opPlaylists, "snippet")
	call.Query.Set("id", strings.Join(playlists, ","))
	read, _, err := readList[struct {
		ID      string `json:"id"`
		Snippet struct {
			Channel string `json:"channelId"`
		} `json:"snippet"`
	}](ctx, c, d, call, "playlists")
	if err != nil {
		return err
	}
	own := channelOf(d.Account)
	var has []string
	for _, item := range read.Items {
		if own == "" || item.Snippet.Channel == own {
			has = append(has, item.ID)
		}
	}
	for _, wanted := range playlists {
		if !slices.Contains(has, wanted) {
			return connectors.Refuse("the channel has no playlist %s", wanted)
		}
	}
	return nil
}

// addToPlaylist adds a video to a playlist, unless it is in it.
func (c *Connector) addToPlaylist(ctx context.Context, d schema.Delivery, video, playlist string) error {
	call := c.read(d, "playlistItems", opPlaylistItems, "id")
	call.Query.Set("playlistId", playlist)
	call.Query.Set("videoId", video)
	read, _, err := readList[struct{}](ctx, c, d, call, "videos of the playlist")
	if err != nil || len(read.Items) > 0 {
		return err
	}
	call = about(c.call(d.Account, d.Credentials, http.MethodPost, "/youtube/v3/playlistItems", opAddToPlaylist), "snippet")
	call.JSON = map[string]any{"snippet": map[string]any{
		"playlistId": playlist, "resourceId": map[string]string{"kind": "youtube#video", "videoId": video},
	}}
	if _, err := c.do(ctx, d.Account, d.Credentials, call, nil); err != nil {
		return fmt.Errorf("adding to playlist: %w", connectors.WithoutEnd(err))
	}
	return nil
}
