package schema

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"time"
)

// Media is one media item of an entry: a url, or an upload, whose url is where platforms
// can fetch it.
type Media struct {
	Kind    MediaKind `json:"type"`
	URL     string    `json:"url,omitempty"`
	MediaID MediaID   `json:"mediaId,omitzero"`
	AltText string    `json:"altText,omitempty"`
	Fit     Fit       `json:"fit,omitempty"`
	// KeepMetadata publishes the file as it is, with all that it says of where, when and by whom it
	// was made. A picture that is made to fit has nothing of it all the same.
	KeepMetadata bool `json:"keepMetadata,omitempty"`
	// Facts of an upload are known; those of a url are found when it is fetched, right
	// before publishing.
	Facts *MediaFacts `json:"facts,omitempty"`
	// Upload names what the item is uploaded for: one entry of one target, the same in all of
	// its steps. What is fetched for it is kept until they are over. Empty: for nothing that
	// has several steps.
	Upload string `json:"-"`
	// Limits are those that the account is held to which it is published to: a picture is made to fit them.
	Limits LimitSet `json:"-"`
}

// KnownKind returns the kind by content if that is known, else as declared.
func (m Media) KnownKind() MediaKind {
	if m.Facts != nil {
		return m.Facts.Kind
	}
	return m.Kind
}

// Sent returns the facts of what is published of the item: without its metadata, unless it is kept.
func (m Media) Sent() MediaFacts {
	facts := *m.Facts
	if !m.KeepMetadata {
		facts.Size, facts.Metadata = facts.Size-facts.Metadata, 0
	}
	return facts
}

// MediaKind is the declared kind of a media item.
type MediaKind string

// The kinds of media. A GIF is declared as an image and found by probing.
const (
	Image MediaKind = "image"
	Video MediaKind = "video"
	GIF   MediaKind = "gif"
	PDF   MediaKind = "pdf"
)

// APIKind returns the kind as the API's mediaItems have it, where a GIF is an image.
func (k MediaKind) APIKind() MediaKind {
	if k == GIF {
		return Image
	}
	return k
}

// MediaFacts is what probing found in the content of a media item; its name, its url and
// headers are ignored.
type MediaFacts struct {
	Kind MediaKind `json:"kind"`
	Type string    `json:"type"` // image/jpeg, video/mp4, …
	Size int64     `json:"size"` // bytes
	// Width and Height are in pixels as shown, after the rotation that the file asks for;
	// zero if not known (PDF, AVI).
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Duration is of a video; zero if the file does not say, as live recordings do not.
	Duration time.Duration `json:"duration,omitempty"`
	Animated bool          `json:"animated,omitempty"` // a picture that moves: GIF, PNG or WebP
	Frames   int           `json:"frames,omitempty"`   // of a GIF, its pictures
	// Decoded is what decoding a picture takes, in bytes; zero where it is not known.
	Decoded int64 `json:"decoded,omitempty"`
	// Metadata is by how many bytes the file is shorter once its metadata is removed. A film stays
	// as long as it is.
	Metadata int64     `json:"metadata,omitempty"`
	Film     FilmFacts `json:"film,omitzero"`
}

// FilmFacts is what probing found in a film. What the file does not say is zero.
type FilmFacts struct {
	// Codec is of its pictures: h264, hevc, av1, vp9, vp8, prores, mpeg4, mjpeg, or the name that the
	// file has for another.
	Codec     string  `json:"codec,omitempty"`
	Chroma    string  `json:"chroma,omitempty"`    // 4:2:0, 4:2:2, 4:4:4 or 4:0:0
	Depth     int     `json:"depth,omitempty"`     // bits of a sample
	FrameRate float64 `json:"frameRate,omitempty"` // pictures a second, in the mean
	Unsteady  bool    `json:"unsteady,omitempty"`  // the frame rate changes
	Edited    bool    `json:"edited,omitempty"`    // an edit list leaves out a part, or repeats one
	// Sound is the codec of its sound: aac, he-aac, mp3, pcm, opus, ac3, amr, or the name that the file has
	// for another. WebM does not say.
	Sound    string `json:"sound,omitempty"`
	Channels int    `json:"channels,omitempty"` // of its sound
	// Tracks are its timed metadata and subtitles, such as gpmd, with commas between them.
	Tracks string `json:"tracks,omitempty"`
}

// Fit is what is done with a picture that a platform does not take as it is.
type Fit string

// The ways to make a picture fit.
const (
	FitNone    Fit = ""        // it is refused
	FitContain Fit = "contain" // all of it is shown, with bars where the aspect ratio asks for them
	FitCover   Fit = "cover"   // it is cropped to the aspect ratio, around its middle
)

// Variant names what an upload is made into for a platform: a picture that fits, or the file itself
// without its metadata where it fits as it is.
type Variant struct {
	Platform Platform
	Fit      Fit
	Limits   LimitSet // that it fits
	Copy     bool     // it is no upload's, but was fetched from a url: see CopyOf
}

// copyName is what the addresses of copies end with, before the file's own ending.
const copyName = "copy"

const (
	// fitPlain stands for FitNone in addresses.
	fitPlain = "plain"
	// ownLimits follows the platform in addresses of what fits its own limits.
	ownLimits = "-own"
)

// Fitted returns how a media item is made to fit what a platform takes.
func (m Media) Fitted(p Platform) Variant { return Variant{Platform: p, Fit: m.Fit, Limits: m.Limits} }

// limitsName tells the variants for several limits apart.
func (v Variant) limitsName() string {
	if v.Limits == PlatformLimits {
		return ownLimits
	}
	return ""
}

// Of returns the id under which the variant of an upload is kept. It is always the same, so
// that two who make it at once, or again after a crash, make one.
func (v Variant) Of(id MediaID) MediaID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s%s %s", id, v.Platform, v.limitsName(), v.Fit))
	var of MediaID
	copy(of[:], sum[:])
	return of
}

// In returns where the variant is served of the upload that an address names.
func (v Variant) In(address string) string {
	folder, file := path.Split(address)
	name, ending, _ := strings.Cut(file, ".")
	return folder + name + "." + cmp.Or(string(v.Fit), fitPlain) + "-" + v.Platform.String() + v.limitsName() + "." + ending
}

// Cover returns the address at which a platform fetches a picture that a setting names: of an upload,
// without its metadata.
func (v Variant) Cover(address string) string {
	parts := strings.Split(address, "/")
	if len(parts) < 3 || parts[len(parts)-3] != "files" {
		return address
	}
	_, err := ParseID[MediaID](parts[len(parts)-2])
	if secret, _, _ := strings.Cut(parts[len(parts)-1], "."); err != nil || len(secret) != 2*len(MediaID{}) {
		return address
	}
	return v.In(address)
}

// ParseVariant reads the last part of an address that In made; false: it names no variant.
func ParseVariant(file string) (Variant, bool) {
	parts := strings.Split(file, ".")
	if len(parts) == 2 && parts[0] == copyName {
		return Variant{Copy: true}, true
	}
	if len(parts) != 3 {
		return Variant{}, false
	}
	fit, name, _ := strings.Cut(parts[1], "-")
	v := Variant{Fit: Fit(fit)}
	name, isOwn := strings.CutSuffix(name, ownLimits)
	if isOwn {
		v.Limits = PlatformLimits
	}
	var err error
	v.Platform, err = ParsePlatform(name)
	if fit == fitPlain {
		v.Fit = FitNone
		return v, err == nil
	}
	return v, err == nil && (v.Fit == FitContain || v.Fit == FitCover)
}

// CopyAddress returns where a copy is served, below an address.
func CopyAddress(files string, id MediaID, mediaType string) string {
	return files + id.String() + "/" + copyName + Ending(mediaType)
}

// Ending returns the usual ending of the names of files of a type. The table is our own: the
// system's differs from machine to machine.
func Ending(mediaType string) string {
	switch mediaType {
	case "image/jpeg":
		return ".jpg"
	case "video/quicktime":
		return ".mov"
	case "video/x-msvideo":
		return ".avi"
	}
	_, ending, _ := strings.Cut(mediaType, "/")
	return "." + ending
}

// CopyOf returns the id of what was fetched from a url for an upload to a platform that fetches by
// itself: the same in all of its steps.
func CopyOf(upload, url string) MediaID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", upload, url))
	var of MediaID
	copy(of[:], sum[:])
	return of
}

// CopyID returns the id under which a copy is kept. No upload has it.
func CopyID(id MediaID) MediaID {
	sum := sha256.Sum256(fmt.Appendf(nil, "copy %s", id))
	var of MediaID
	copy(of[:], sum[:])
	return of
}

// MaxAltText is the length of an alternative text, in characters.
const MaxAltText = 1000

// Upload is media that crier stores.
type Upload struct {
	ID        MediaID
	Workspace WorkspaceID
	State     UploadState
	Secret    string     // the part of its urls that nobody can guess
	Announced Announced  // what its sender said of it
	Facts     MediaFacts // zero while it is awaited
	AltText   string     // of items without one of their own
	FileName  string     // as its sender named it; never used as a path
	CreatedAt time.Time
	// ExpiresAt is when it is deleted because no post uses it; zero while one does. While
	// the upload is awaited, it is when its upload address expires.
	ExpiresAt time.Time
}

// Announced is what the sender of an upload says of its content before it comes.
type Announced struct {
	Size     int64  `json:"size,omitempty"`     // bytes; zero: it does not say
	SHA256   string `json:"sha256,omitempty"`   // of all of it, in hex; empty: it does not say
	PartSize int64  `json:"partSize,omitempty"` // bytes of every part but the last; zero: it comes in one piece
	Session  string `json:"session,omitempty"`  // of the bucket's upload in parts; empty: parts come to crier itself
}

// Parts returns how many parts the content comes in; zero: it comes in one piece.
func (a Announced) Parts() int {
	if a.PartSize == 0 {
		return 0
	}
	return int((a.Size + a.PartSize - 1) / a.PartSize)
}

// Part returns the part of a number, from 1 on.
func (a Announced) Part(number int) UploadPart {
	offset := int64(number-1) * a.PartSize
	return UploadPart{Number: number, Offset: offset, Size: min(a.PartSize, a.Size-offset)}
}

// UploadPart is a part of an upload that comes in parts.
type UploadPart struct {
	Number   int    // from 1
	Offset   int64  // bytes
	Size     int64  // bytes
	Received bool   // all of it is there
	URL      string // where the bucket takes it; empty: crier does
}

// UploadState is where an upload stands. Its number is stored: it never changes.
type UploadState int16

// The states of an upload.
const (
	UploadAwaited UploadState = iota // its address was given out, no content has come yet
	UploadStored
	UploadDeleted // its content is being removed
)

// Times of uploads.
const (
	UploadAddressLife = time.Hour          // of the address that one upload is sent to
	UploadPartsLife   = 24 * time.Hour     // of the addresses of an upload in parts
	UnusedUploadLife  = 7 * 24 * time.Hour // of an upload that no post uses
)

// How slow a client that sends or fetches a file may be.
const (
	transferGrace = 20 * time.Second
	slowestLine   = 16 << 10 // bytes a second
)

// TransferTime returns how long the transfer of so many bytes may take: a slow client is
// waited for, but not one that sends a byte now and then.
func TransferTime(bytes int64) time.Duration {
	return transferGrace + time.Duration(bytes/slowestLine)*time.Second
}

// UploadFilter says which part of a workspace's uploads is listed, newest first.
type UploadFilter struct {
	Limit  int
	Offset int
	Below  MediaID // older than this one; zero: no bound
}
