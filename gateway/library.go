package gateway

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"crier/schema"
)

// What can be wrong with a media item that names an upload.
const (
	codeMediaUnknown     = "media_unknown"
	codeMediaNotUploaded = "media_not_uploaded"
)

// library finds the uploads that requests name.
type library struct {
	reader MediaReader
	writer MediaWriter
	inbox  MediaInbox
	files  string // address under which content is served
}

func filesAddress(publicURL string) string {
	return strings.TrimSuffix(publicURL, "/") + basePath + "/files/"
}

// address returns where the content of an upload is served to whoever knows it, such as
// a platform. The ending is for readers that go by it.
func (l *library) address(u schema.Upload) string {
	return l.files + u.ID.String() + "/" + u.Secret + extensionOf(u.Facts.Type)
}

// extensionOf returns the usual ending of a media type. The table is our own: the
// system's differs from machine to machine.
func extensionOf(mediaType string) string {
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

// reference returns the upload whose address a url is.
func (l *library) reference(address string) (id schema.MediaID, secret string, ok bool) {
	rest, ours := strings.CutPrefix(address, l.files)
	if !ours {
		return id, "", false
	}
	name, file, _ := strings.Cut(rest, "/")
	id, err := schema.ParseMediaID(name)
	return id, secretOf(file), err == nil
}

// secretOf returns the secret in the last part of an address, which may have an ending.
func secretOf(file string) string {
	secret, _, _ := strings.Cut(file, ".")
	return secret
}

// resolve puts the facts of uploads into the items that name them, by id or by address.
// It costs a post without uploads nothing.
func (l *library) resolve(ctx context.Context, workspace schema.WorkspaceID, items []locatedMedia, r *report) {
	var ids []schema.MediaID
	secrets := make([]string, len(items))
	for i, m := range items {
		id, secret, ours := l.reference(m.URL)
		if m.URL != "" && !m.MediaID.IsZero() && m.MediaID != id { // an answer shows both, and may be sent again
			r.fail(m.field+".mediaId", codeConflict, "must not stand beside another url than its own")
			m.MediaID = schema.MediaID{}
			continue
		}
		if ours {
			m.MediaID, secrets[i] = id, secret
		}
		if !m.MediaID.IsZero() {
			ids = append(ids, m.MediaID)
		}
	}
	if len(ids) == 0 {
		return
	}
	uploads, err := l.reader.Media(ctx, workspace, ids)
	if err != nil {
		r.fault = err
		return
	}
	for i, m := range items {
		if !m.MediaID.IsZero() {
			l.resolveItem(ctx, uploads, secrets[i], m, r)
		}
	}
}

func (l *library) resolveItem(ctx context.Context, uploads []schema.Upload, secret string, m locatedMedia, r *report) {
	named := ".mediaId"
	if m.URL != "" {
		named = ".url"
	}
	at := slices.IndexFunc(uploads, func(u schema.Upload) bool { return u.ID == m.MediaID })
	if at < 0 || (secret != "" && secret != uploads[at].Secret) {
		r.fail(m.field+named, codeMediaUnknown, noMedia(m.MediaID.String()))
		return
	}
	u, err := l.completed(ctx, uploads[at])
	if e, ok := errors.AsType[*schema.Error](err); ok && (e.Kind == schema.NotFound || e.Kind == schema.Refused) {
		r.fail(m.field+named, codeMediaNotUploaded, "nothing that can be posted was uploaded for it yet")
		return
	}
	if err != nil {
		r.fault = err
		return
	}
	m.Facts, m.URL = &u.Facts, l.address(u)
	if m.Kind == "" {
		m.Kind = shownKind(u.Facts.Kind)
	}
	if m.AltText == "" {
		m.AltText = u.AltText
	}
}

func noMedia(id string) string { return fmt.Sprintf("there is no media %q", clip(id)) }

// completed returns an upload whose content is there. What came by an address of the blob
// store is looked at when it is first asked for: nobody tells us when it comes.
func (l *library) completed(ctx context.Context, u schema.Upload) (schema.Upload, error) {
	if u.State != schema.UploadAwaited {
		return u, nil
	}
	facts, err := l.inbox.Accept(ctx, u.ID)
	if err != nil {
		return u, err
	}
	completed, err := l.writer.CompleteMedia(ctx, u.ID, facts)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.InvalidState {
		return completed, nil // another request was faster
	}
	return completed, err
}

// isMultipart tells whether a content type is that of a form with files.
func isMultipart(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && name == "multipart/form-data"
}
