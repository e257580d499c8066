// Package youtube publishes videos to YouTube channels by the Data API v3
// (developers.google.com/youtube/v3): with title, description and what else a video has, a
// thumbnail, playlists and a first comment of the channel.
//
//	Prepare ─▶ POST videos?uploadType=resumable ─▶ a session, kept
//	           PUT session, part by part ─▶ 308, until 256 KiB at most are left, which are kept
//	Publish ─▶ PUT session, the rest ─▶ 201: the video is there
//	Find    ─▶ PUT session, bytes */N ─▶ 308: it is not, unless that has all bytes; 201: it is, as this video
//	           GET videos ─▶ uploaded … processed: thumbnail, playlists, and the receipt is closed
//
// A session makes one video, however often its end is sent. The client library of Google's
// uploads by itself and gives no session out to another process.
package youtube
