// Package youtube says what YouTube takes, so that a post is checked when it is made
// rather than when it is due. The limits are those of the Data API's videos.insert
// (developers.google.com/youtube/v3/docs/videos#properties).
package youtube
