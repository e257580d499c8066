// Package youtube is YouTube in small: the parts of the Data API v3 that publish
// (developers.google.com/youtube/v3/docs), its resumable uploads, and Google's OAuth. It follows
// the documents, not the connector.
//
// Every token is of one channel, which has two playlists: see Channel and Playlists.
package youtube
