package media

import (
	"context"
	"io"
	"strings"
	"time"

	"crier/schema"
)

// contentStore stores the content of uploads.
type contentStore interface {
	// Keep stores content of the given kinds, found by probing. Errors of content pass;
	// Refused is what it says of the content, with its facts where it is media of another
	// kind, Unavailable that there is no room.
	Keep(ctx context.Context, id schema.MediaID, content io.Reader, kinds []schema.MediaKind) (schema.MediaFacts, error)
	// KeepURL stores what is at a public address. It is Retryable where its server failed.
	KeepURL(ctx context.Context, id schema.MediaID, address string, kinds []schema.MediaKind) (schema.MediaFacts, error)
	Open(ctx context.Context, id schema.MediaID) (io.ReadSeekCloser, error)
	// OpenVariant opens what an upload is made into for a platform that fetches it by itself, or a
	// copy of a url, with its media type; NotFound: there is nothing.
	OpenVariant(ctx context.Context, id schema.MediaID, of schema.Variant) (io.ReadSeekCloser, string, error)
	// MaxBytes is the size of the largest upload.
	MaxBytes() int64
}

// inbox takes uploads without the gateway.
type inbox interface {
	// UploadURL returns an address that takes the content of an upload by PUT; empty: there
	// is none but the gateway's own.
	UploadURL(ctx context.Context, id schema.MediaID, life time.Duration) (string, error)
	// Accept takes over what came to that address; NotFound until then, Refused for what is
	// not what was announced.
	Accept(ctx context.Context, u schema.Upload) (schema.MediaFacts, error)
}

// assembler takes uploads in parts.
type assembler interface {
	// Announce says whether an upload may come in parts, and of which size. It is Unavailable
	// where there is no room for it.
	Announce(ctx context.Context, u schema.Upload) (schema.Announced, error)
	// Parts tells which have come, and where those go that the gateway does not take; NotFound
	// once they are put together.
	Parts(ctx context.Context, u schema.Upload, life time.Duration) ([]schema.UploadPart, error)
	// KeepPart stores a part and returns its MD5. Errors of content pass.
	KeepPart(u schema.Upload, number int, content io.Reader) (md5 []byte, err error)
	// Assemble keeps what the parts make, or what came in one piece; InvalidState while
	// something is missing, Refused for what is removed again.
	Assemble(ctx context.Context, u schema.Upload, kinds []schema.MediaKind) (schema.MediaFacts, error)
}

// Contents stores the content of uploads and takes it without the gateway.
type Contents interface {
	contentStore
	inbox
	assembler
}

// Library finds the uploads that requests name.
type Library struct {
	writer writer
	inbox  inbox
	files  string // address under which content is served
}

// NewLibrary returns a library whose files are served under an address.
func NewLibrary(writer writer, inbox inbox, files string) *Library {
	return &Library{writer, inbox, files}
}

// Address returns where the content of an upload is served to whoever knows it, such as
// a platform. The ending is for readers that go by it.
func (l *Library) Address(u schema.Upload) string {
	return l.files + u.ID.String() + "/" + u.Secret + schema.Ending(u.Facts.Type)
}

// Reference returns the upload whose address a url is.
func (l *Library) Reference(address string) (id schema.MediaID, secret string, ok bool) {
	rest, ours := strings.CutPrefix(address, l.files)
	if !ours {
		return id, "", false
	}
	name, file, _ := strings.Cut(rest, "/")
	id, err := schema.ParseID[schema.MediaID](name)
	return id, secretOf(file), err == nil
}

// secretOf returns the secret in the last part of an address, which may have an ending.
func secretOf(file string) string {
	secret, _, _ := strings.Cut(file, ".")
	return secret
}

// Completed returns an upload whose content is there. What came by an address of the blob
// store is looked at when it is first asked for: nobody tells us when it comes. What has a
// checksum is completed by its sender alone, who waits until all of it is read.
func (l *Library) Completed(ctx context.Context, u schema.Upload) (schema.Upload, error) {
	if u.State != schema.UploadAwaited {
		return u, nil
	}
	if u.Announced.SHA256 != "" {
		return u, mediaNotFound(nil)
	}
	facts, err := l.inbox.Accept(ctx, u)
	if err != nil {
		return u, err
	}
	return l.complete(ctx, u, facts)
}

// complete notes what came for an upload.
func (l *Library) complete(ctx context.Context, u schema.Upload, facts schema.MediaFacts) (schema.Upload, error) {
	completed, err := l.writer.CompleteMedia(ctx, u.ID, facts)
	if schema.KindOf(err) == schema.InvalidState {
		return completed, nil // another request was faster
	}
	return completed, err
}
