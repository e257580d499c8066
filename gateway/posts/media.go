package posts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// Codes of errors of media items that name an upload.
const (
	codeMediaUnknown     = "media_unknown"
	codeMediaNotUploaded = "media_not_uploaded"
)

// uploadReader reads the rows of uploads.
type uploadReader interface {
	// Media returns those of the uploads that belong to the workspace, and keeps them
	// from expiring for as long as a request may take.
	Media(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) ([]schema.Upload, error)
}

// uploads resolves the uploads that media items name.
type uploads interface {
	// Reference returns the upload whose address a url is.
	Reference(url string) (id schema.MediaID, secret string, ok bool)
	// Completed returns the upload with the facts of its content, if that has arrived.
	Completed(ctx context.Context, upload schema.Upload) (schema.Upload, error)
	// Address returns where the content of an upload is served.
	Address(upload schema.Upload) string
}

// locatedMedia is a media item with its path in the request, such as mediaItems[0].
type locatedMedia struct {
	*schema.Media
	field   string
	setting bool // it is the address in a setting, such as a cover, and no item
}

// urlField returns how the sender calls the address of the media.
func (m locatedMedia) urlField() string {
	if m.setting {
		return m.field
	}
	return m.field + ".url"
}

// settingMedia returns the media whose addresses stand in settings. What is no address is left to
// the rules of the settings.
func (p *posts) settingMedia(settings map[schema.Platform]json.RawMessage) []locatedMedia {
	var all []locatedMedia
	for _, platform := range slices.Sorted(maps.Keys(settings)) {
		for _, name := range p.Constraints(platform).MediaSettings {
			var address string
			value := valueOf(settings[platform], name)
			if len(value) > 0 && json.Unmarshal(value, &address) == nil && validation.IsWebAddress(address) {
				all = append(all, locatedMedia{&schema.Media{URL: address}, "platformSettings." + platform.String() + "." + name, true})
			}
		}
	}
	return all
}

// valueOf returns a value within an object by its name, such as card.thumbnailUrl; nil: there is none.
func valueOf(object json.RawMessage, name string) json.RawMessage {
	for part := range strings.SplitSeq(name, ".") {
		var values map[string]json.RawMessage
		if len(object) == 0 || json.Unmarshal(object, &values) != nil {
			return nil
		}
		object = values[part]
	}
	return object
}

// uploadsOf returns the uploads among media.
func uploadsOf(media []locatedMedia) []schema.MediaID {
	var ids []schema.MediaID
	for _, m := range media {
		if !m.MediaID.IsZero() {
			ids = append(ids, m.MediaID)
		}
	}
	return ids
}

// resolveMedia copies the facts of uploads into the items that name them, by id or by
// address. A post without uploads costs no query.
func (p *posts) resolveMedia(ctx context.Context, workspace schema.WorkspaceID, items []locatedMedia, r *body.Report) {
	secrets := make([]string, len(items))
	for i, m := range items {
		id, secret, ours := p.Uploads.Reference(m.URL)
		if m.URL != "" && !m.MediaID.IsZero() && m.MediaID != id { // both may be given if they agree: answers show both, and clients send them back
			r.Fail(m.field+".mediaId", body.CodeConflict, "must not stand beside another url than its own")
			m.MediaID = schema.MediaID{}
			continue
		}
		if ours {
			m.MediaID, secrets[i] = id, secret
		}
	}
	ids := uploadsOf(items)
	if len(ids) == 0 {
		return
	}
	uploads, err := p.Store.Media(ctx, workspace, ids)
	if err != nil {
		r.Fault = err
		return
	}
	for i, m := range items {
		if !m.MediaID.IsZero() {
			p.resolveUpload(ctx, uploads, secrets[i], m, r)
		}
	}
}

func (p *posts) resolveUpload(ctx context.Context, uploads []schema.Upload, secret string, m locatedMedia, r *body.Report) {
	named := m.urlField()
	if m.URL == "" {
		named = m.field + ".mediaId"
	}
	at := slices.IndexFunc(uploads, func(u schema.Upload) bool { return u.ID == m.MediaID })
	isNamed := secret != "" || m.setting // an item is published by our address of it, a setting by the sender's
	if at < 0 || (isNamed && secret != uploads[at].Secret) {
		r.Fail(named, codeMediaUnknown, noMedia(m.MediaID.String()))
		return
	}
	u, err := p.Uploads.Completed(ctx, uploads[at])
	if kind := schema.KindOf(err); kind == schema.NotFound || kind == schema.Refused {
		r.Fail(named, codeMediaNotUploaded, "nothing that can be posted was uploaded for it yet")
		return
	}
	if err != nil {
		r.Fault = err
		return
	}
	m.Facts, m.URL = &u.Facts, p.Uploads.Address(u)
	if m.Kind == "" {
		m.Kind = u.Facts.Kind.APIKind()
	}
	if m.AltText == "" {
		m.AltText = u.AltText
	}
}

func noMedia(id string) string {
	return fmt.Sprintf("there is no media %q: upload it first, POST /media/upload-url", body.Clip(id))
}
