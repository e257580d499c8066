package schema

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"time"
)

// Media is one media item of an entry: at a url, or an upload, whose url then is where
// platforms can pull it.
type Media struct {
	Kind    MediaKind `json:"type"`
	URL     string    `json:"url,omitempty"`
	MediaID MediaID   `json:"mediaId,omitzero"`
	AltText string    `json:"altText,omitempty"`
	Fit     Fit       `json:"fit,omitempty"`
	// Facts are known of uploads; of a url they are found once it is fetched, which is
	// right before publishing.
	Facts *MediaFacts `json:"facts,omitempty"`
}

// KnownKind is what the item is: by its content where that is known, else as declared.
func (m Media) KnownKind() MediaKind {
	if m.Facts != nil {
		return m.Facts.Kind
	}
	return m.Kind
}

// MediaKind is what a media item is said to be.
type MediaKind string

// The kinds of media. A GIF is an image by its declared type and found by probing.
const (
	Image MediaKind = "image"
	Video MediaKind = "video"
	GIF   MediaKind = "gif"
	PDF   MediaKind = "pdf"
)

// Shown returns the kind as mediaItems take and show it, where a GIF is an image.
func (k MediaKind) Shown() MediaKind {
	if k == GIF {
		return Image
	}
	return k
}

// MediaFacts is what probing found out about the content of a media item; what its
// name, its url or a header says counts for nothing.
type MediaFacts struct {
	Kind MediaKind `json:"kind"`
	Type string    `json:"type"` // image/jpeg, video/mp4, …
	Size int64     `json:"size"` // bytes
	// Width and Height are in pixels, as shown (a picture or film that is marked as
	// rotated is turned); zero where the format has none or they are not known (PDF, AVI).
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Duration is of a video; zero when the file does not say (live recordings do not).
	Duration time.Duration `json:"duration,omitempty"`
	Animated bool          `json:"animated,omitempty"` // a picture that moves: GIF, PNG or WebP
	// Decoded is what decoding a picture takes, in bytes; zero where it is not known.
	Decoded int64 `json:"decoded,omitempty"`
}

// Fit is what is done with a picture that a platform does not take as it is.
type Fit string

// The ways to make a picture fit.
const (
	FitNone    Fit = ""        // it is refused
	FitContain Fit = "contain" // all of it is shown, with bars where the aspect ratio asks for them
	FitCover   Fit = "cover"   // it is cropped to the aspect ratio, around its middle
)

// Variant names the picture that an upload is made into for a platform.
type Variant struct {
	Platform Platform
	Fit      Fit
}

// Of returns the id under which the variant of an upload is kept. It is always the same, so
// that two who make it at once, or again after a crash, make one.
func (v Variant) Of(id MediaID) MediaID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", id, v.Platform, v.Fit))
	var of MediaID
	copy(of[:], sum[:])
	return of
}

// In returns where the variant is served of the upload that an address names.
func (v Variant) In(address string) string {
	folder, file := path.Split(address)
	name, ending, _ := strings.Cut(file, ".")
	return folder + name + "." + string(v.Fit) + "-" + v.Platform.String() + "." + ending
}

// ParseVariant reads the last part of an address that In made; false: it names no variant.
func ParseVariant(file string) (Variant, bool) {
	parts := strings.Split(file, ".")
	if len(parts) != 3 {
		return Variant{}, false
	}
	fit, name, _ := strings.Cut(parts[1], "-")
	platform, err := ParsePlatform(name)
	v := Variant{platform, Fit(fit)}
	return v, err == nil && (v.Fit == FitContain || v.Fit == FitCover)
}

// MaxAltText is the length of an alternative text, in characters.
const MaxAltText = 1000

// Upload is media that crier keeps itself.
type Upload struct {
	ID        MediaID
	Workspace WorkspaceID
	State     UploadState
	Secret    string     // the part of its urls that nobody can guess
	Facts     MediaFacts // zero while it is awaited
	AltText   string     // of items that bring none of their own
	FileName  string     // as its sender called it; never used as a path
	CreatedAt time.Time
	// ExpiresAt is when it goes because nothing uses it; zero while a post does. Of an
	// awaited one it is the end of its upload address.
	ExpiresAt time.Time
}

// UploadState is where an upload stands. Its number is stored: it never changes.
type UploadState int16

// The states of an upload.
const (
	UploadAwaited UploadState = iota // its address was given out, nothing has come yet
	UploadKept
	UploadDeleted // its content is being removed
)

// Times of uploads.
const (
	UploadAddressLife = time.Hour          // of an address that takes one upload
	UnusedUploadLife  = 7 * 24 * time.Hour // of an upload that no post uses
)

// How slow a line may be that brings or takes a file.
const (
	transferGrace = 20 * time.Second
	slowestLine   = 16 << 10 // bytes a second
)

// TransferTime returns how long so many bytes of a file may be on their way: a slow line
// is waited for, one that sends a byte now and then is not.
func TransferTime(bytes int64) time.Duration {
	return transferGrace + time.Duration(bytes/slowestLine)*time.Second
}
