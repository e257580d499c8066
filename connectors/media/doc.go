// Package media brings the media of a post to this machine, finds out what it really is, and hands it
// on as its platform takes it.
//
//	url → Fetcher.Fetch → egress → Save → file on disk, bounded → Probe by content → File
//	                                                                type, pixels, duration
//	File → plan of metadata → Open: what is left → connector, or the platform that fetches it
//	     → decode → colors to sRGB → made to fit → JPEG or PNG
//
// What a header or a name says about the content counts for nothing. Probing decodes nothing: it reads
// the headers of a file, some hundred bytes in most formats, so that a picture which claims to be
// 100,000 pixels wide costs as little as any.
//
// Formats are read in packages below: bmff walks boxes, film and heif read what is in them, exif is
// orientation, colors are profiles, metadata is what goes before a file leaves. decoder decodes what
// phones write, in a process of its own.
package media
