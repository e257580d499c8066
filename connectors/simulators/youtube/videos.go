package youtube

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// sessionOfVideo returns the session that has made a video; ok is false for a comment.
func (s *simulator) sessionOfVideo(p simulation.Post) (simulation.Upload, session, bool) {
	var origin madeBy
	if p.ReplyTo != "" || json.Unmarshal(p.Fields, &origin) != nil {
		return simulation.Upload{}, session{}, false
	}
	stored, ok := s.world.Upload(origin.Session)
	var fields session
	return stored, fields, ok && json.Unmarshal(stored.Fields, &fields) == nil
}

// videoOf is the whole resource of a video.
func (s *simulator) videoOf(p simulation.Post, fields session) map[string]any {
	r := fields.Resource
	snippet := map[string]any{
		"publishedAt": p.CreatedAt.Format(time.RFC3339), "channelId": p.Account, "title": r.Snippet.Title, "description": p.Text,
		"categoryId": r.Snippet.CategoryID, "liveBroadcastContent": "none", "thumbnails": s.thumbnailsOf(p, fields),
	}
	if snippet["categoryId"] == "" {
		snippet["categoryId"] = "22"
	}
	if len(r.Snippet.Tags) > 0 {
		snippet["tags"] = r.Snippet.Tags
	}
	for name, value := range map[string]string{"defaultLanguage": r.Snippet.DefaultLanguage, "defaultAudioLanguage": r.Snippet.DefaultAudioLanguage} {
		if value != "" {
			snippet[name] = value
		}
	}
	status := map[string]any{
		"uploadStatus": "processed", "privacyStatus": r.Status.PrivacyStatus, "license": r.Status.License,
		"embeddable": r.Status.Embeddable == nil || *r.Status.Embeddable, "publicStatsViewable": r.Status.PublicStatsViewable == nil || *r.Status.PublicStatsViewable,
		"madeForKids": r.Status.SelfDeclaredMadeForKids, "selfDeclaredMadeForKids": r.Status.SelfDeclaredMadeForKids,
		"containsSyntheticMedia": r.Status.ContainsSyntheticMedia,
	}
	if status["license"] == "" {
		status["license"] = "youtube"
	}
	details := map[string]any{"processingStatus": "succeeded"}
	switch {
	case s.world.Now().Before(p.CreatedAt.Add(processing)):
		status["uploadStatus"], details["processingStatus"] = "uploaded", "processing"
	case strings.Contains(p.Text, markUnprocessed):
		status["uploadStatus"] = "uploaded"
		details["processingStatus"], details["processingFailureReason"] = "failed", "transcodeFailed"
	case len(p.Media) > 0 && (strings.HasPrefix(p.Media[0].Type, "text/") || strings.HasPrefix(p.Media[0].Type, "image/")):
		status["uploadStatus"], status["failureReason"] = "failed", "invalidFile"
		details["processingStatus"] = "failed"
	}
	return map[string]any{
		"kind": "youtube#video", "etag": "etag", "id": p.ID, "snippet": snippet, "status": status, "processingDetails": details,
		"paidProductPlacementDetails": map[string]any{"hasPaidProductPlacement": r.Paid.Has},
	}
}

// markUnprocessed is in the description of a video whose processing fails while it goes on being uploaded
// (DayMoonDevelopment/post-for-me d72ab66, getopenpost/openpost af01882).
const markUnprocessed = "[crier:processing-failed]"

func (s *simulator) thumbnailsOf(p simulation.Post, fields session) map[string]any {
	address := s.world.BaseURL() + "/vi/" + p.ID + "/default.jpg"
	if fields.Thumbnail != "" {
		address = s.world.BaseURL() + "/vi/" + p.ID + "/custom.jpg"
	}
	return map[string]any{"default": map[string]any{"url": address, "width": 120, "height": 90}}
}

// listVideos shows videos by their ids. What does not exist, or is a comment, is left out.
func (s *simulator) listVideos(v visit) {
	ids := v.r.URL.Query().Get("id")
	if ids == "" || len(v.parts()) == 0 {
		v.fail(badRequest("missingRequiredParameter", "No filter selected. Expected one of: id, chart, myRating"))
		return
	}
	var all []any
	for id := range strings.SplitSeq(ids, ",") {
		p, ok := s.world.Post(v.channel, id)
		if _, fields, isVideo := s.sessionOfVideo(p); ok && isVideo && !s.world.IsTakenDown(p) {
			all = append(all, v.partsOf(s.videoOf(p, fields)))
		}
	}
	v.list("video", all, 50, 50)
}

func (s *simulator) listChannels(v visit) {
	if v.r.URL.Query().Get("mine") != "true" || len(v.parts()) == 0 {
		v.fail(badRequest("missingRequiredParameter", "No filter selected. Expected one of: mine, id, managedByMe"))
		return
	}
	v.list("channel", []any{v.partsOf(map[string]any{
		"kind": "youtube#channel", "etag": "etag", "id": v.channel,
		"snippet":        map[string]any{"title": v.name, "description": "", "customUrl": "@" + v.account.Handle},
		"status":         map[string]any{"privacyStatus": "public", "isLinked": true, "longUploadsStatus": "allowed", "madeForKids": false},
		"statistics":     s.channelStatistics(v.channel),
		"contentDetails": map[string]any{"relatedPlaylists": map[string]string{"likes": "", "uploads": uploadsOf(v.channel)}},
	})}, 5, 50)
}

// setThumbnail takes the picture of a video (thumbnails.set).
func (s *simulator) setThumbnail(v visit) {
	p, ok := s.world.Post(v.channel, v.r.URL.Query().Get("videoId"))
	stored, fields, isVideo := s.sessionOfVideo(p)
	if !ok || !isVideo {
		v.fail(notFound("videoNotFound", "The video that you are trying to set a thumbnail for cannot be found."))
		return
	}
	content := s.world.NewContent()
	mediaType, size, err := s.world.Receive(content, 0, v.r.Body)
	switch {
	case err != nil:
		return // the client is gone
	case size > 50<<20:
		v.fail(badRequest("uploadTooLarge", "The provided image is too large."))
		return
	case mediaType != "image/jpeg" && mediaType != "image/png":
		v.fail(badRequest("invalidImage", "The provided image content is invalid."))
		return
	}
	fields.Thumbnail = mediaType
	if content != "" {
		fields.Thumbnail = content
	}
	if _, err := s.put(stored, fields); err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, map[string]any{
		"kind": "youtube#thumbnailSetResponse", "etag": "etag", "items": []any{s.thumbnailsOf(p, fields)},
	})
}

func (s *simulator) listPlaylists(v visit) {
	wanted := strings.Split(v.r.URL.Query().Get("id"), ",")
	var all []any
	for _, id := range playlistsOf(v.channel) {
		if slices.Contains(wanted, id) || v.r.URL.Query().Get("mine") == "true" {
			all = append(all, v.partsOf(map[string]any{
				"kind": "youtube#playlist", "etag": "etag", "id": id,
				"snippet": map[string]any{"channelId": v.channel, "title": id[len(id)-4:]},
			}))
		}
	}
	v.list("playlist", all, 5, 50)
}

// listPlaylistItems lists the videos of a playlist, the newest first.
func (s *simulator) listPlaylistItems(v visit) {
	query := v.r.URL.Query()
	playlist, only := query.Get("playlistId"), query.Get("videoId")
	isUploads := playlist == uploadsOf(v.channel)
	if !isUploads && !slices.Contains(playlistsOf(v.channel), playlist) {
		v.fail(notFound("playlistNotFound", "The playlist identified with the request's playlistId parameter cannot be found."))
		return
	}
	var all []any
	for p := range s.world.Newest(v.channel) {
		_, fields, isVideo := s.sessionOfVideo(p)
		if !isVideo || !isUploads && !slices.Contains(fields.Playlists, playlist) || only != "" && p.ID != only {
			continue
		}
		all = append(all, v.partsOf(playlistItem(playlist, p, fields)))
	}
	if isUploads && len(all) == 0 { // a channel has that playlist with its first video
		v.fail(notFound("playlistNotFound", "The playlist identified with the request's playlistId parameter cannot be found."))
		return
	}
	v.list("playlistItem", all, 5, 50)
}

func playlistItem(playlist string, p simulation.Post, fields session) map[string]any {
	return map[string]any{
		"kind": "youtube#playlistItem", "etag": "etag", "id": playlist + "." + p.ID,
		"snippet": map[string]any{
			"publishedAt": p.CreatedAt.Format(time.RFC3339), "channelId": p.Account, "playlistId": playlist, "position": 0,
			"title": fields.Resource.Snippet.Title, "description": p.Text,
			"resourceId": map[string]string{"kind": "youtube#video", "videoId": p.ID},
		},
		"contentDetails": map[string]any{"videoId": p.ID},
	}
}

// insertPlaylistItem adds a video to a playlist, once more if it is in it.
func (s *simulator) insertPlaylistItem(v visit) {
	var input struct {
		Snippet struct {
			Playlist string `json:"playlistId"`
			Resource struct {
				Kind  string `json:"kind"`
				Video string `json:"videoId"`
			} `json:"resourceId"`
		} `json:"snippet"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input); err != nil {
		v.fail(badRequest("parseError", "Invalid JSON payload received."))
		return
	}
	p, ok := s.world.Post(v.channel, input.Snippet.Resource.Video)
	stored, fields, isVideo := s.sessionOfVideo(p)
	switch {
	case !slices.Contains(playlistsOf(v.channel), input.Snippet.Playlist):
		v.fail(notFound("playlistNotFound", "The playlist identified with the request's playlistId parameter cannot be found."))
		return
	case input.Snippet.Resource.Kind != "youtube#video":
		v.fail(badRequest("invalidResourceType", "The type specified for the resource is not supported for this operation."))
		return
	case !ok || !isVideo:
		v.fail(notFound("videoNotFound", "The video that you are trying to add to the playlist cannot be found."))
		return
	}
	fields.Playlists = append(fields.Playlists, input.Snippet.Playlist)
	if _, err := s.put(stored, fields); err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, v.partsOf(playlistItem(input.Snippet.Playlist, p, fields)))
}
