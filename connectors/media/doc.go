// Package media brings the media of a post to this machine and finds out what it
// really is.
//
//	url → Fetcher.Fetch → egress → Save → file on disk, bounded → probe by content → File
//	                                                              type, pixels, duration
//
// What a header or a name says about the content counts for nothing. Nothing is
// decoded: probing reads the headers of a file, some hundred bytes in most formats,
// so that a picture which claims to be 100,000 pixels wide costs as little as any.
package media
