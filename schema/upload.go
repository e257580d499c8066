package schema

import "time"

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
