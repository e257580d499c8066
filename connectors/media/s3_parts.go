package media

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"crier/schema"
)

// maxListed is how many parts a service lists at a time, at most.
const maxListed = 1000

// Begin begins a multipart upload under the name that the object will have. The addresses of its parts
// are worth nothing once it is complete. Begin also tries whether the key may list parts and sessions,
// so that a missing right shows now and not at the end of an upload.
func (s *S3) Begin(ctx context.Context, id schema.MediaID) (session string, err error) {
	core := minio.Core{Client: s.client}
	session, err = core.NewMultipartUpload(ctx, s.bucket, s.object(id), minio.PutObjectOptions{})
	if isDenied(err) {
		return "", errNoParts
	}
	if err != nil {
		return "", failure(err)
	}
	_, err = core.ListObjectParts(ctx, s.bucket, s.object(id), session, 0, 1)
	if err == nil {
		_, err = core.ListMultipartUploads(ctx, s.bucket, s.object(id), "", "", "", 1)
	}
	if err == nil {
		return session, nil
	}
	if ended := core.AbortMultipartUpload(ctx, s.bucket, s.object(id), session); !isDenied(err) || ended != nil {
		return "", unavailable(err)
	}
	return "", errNoParts
}

// isDenied reports whether a service has no such thing, or the key no right to it.
func isDenied(err error) bool {
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return err != nil
	}
	return false
}

// PartURL returns a signed address that takes a part by PUT.
func (s *S3) PartURL(ctx context.Context, u schema.Upload, number int, life time.Duration) (string, error) {
	address, err := s.client.Presign(ctx, http.MethodPut, s.bucket, s.object(u.ID), life, url.Values{
		"partNumber": {strconv.Itoa(number)}, "uploadId": {u.Announced.Session},
	})
	if err != nil {
		return "", unavailable(err)
	}
	return address.String(), nil
}

// Arrived implements sessions.
func (s *S3) Arrived(ctx context.Context, u schema.Upload) ([]arrivedPart, error) {
	var arrived []arrivedPart
	core := minio.Core{Client: s.client}
	for after := 0; ; {
		page, err := core.ListObjectParts(ctx, s.bucket, s.object(u.ID), u.Announced.Session, after, maxListed)
		if err != nil {
			return nil, failure(err)
		}
		for _, p := range page.ObjectParts {
			arrived = append(arrived, arrivedPart{p.PartNumber, p.Size, p.ETag})
		}
		if !page.IsTruncated || page.NextPartNumberMarker <= after {
			return arrived, nil
		}
		after = page.NextPartNumberMarker
	}
}

// Join completes a multipart upload. Its parts are those that were counted: one that has been
// sent again since is refused by the service for its ETag.
func (s *S3) Join(ctx context.Context, u schema.Upload, parts []arrivedPart) error {
	list := make([]minio.CompletePart, len(parts))
	for i, p := range parts {
		list[i] = minio.CompletePart{PartNumber: p.number, ETag: p.tag}
	}
	slices.SortFunc(list, func(a, b minio.CompletePart) int { return a.PartNumber - b.PartNumber })
	core := minio.Core{Client: s.client}
	if _, err := core.CompleteMultipartUpload(ctx, s.bucket, s.object(u.ID), u.Announced.Session, list, minio.PutObjectOptions{}); err != nil {
		return failure(err)
	}
	joined, err := s.client.StatObject(ctx, s.bucket, s.object(u.ID), minio.StatObjectOptions{})
	if err != nil {
		return failure(err)
	}
	if joined.Size != u.Announced.Size {
		return s.discard(ctx, s.object(u.ID), fmt.Sprintf("%d bytes were made of parts of %d", joined.Size, u.Announced.Size))
	}
	return nil
}

// endSessions removes the parts of an upload that were never put together.
func (s *S3) endSessions(ctx context.Context, id schema.MediaID) error {
	core := minio.Core{Client: s.client}
	return s.eachSession(ctx, s.object(id), func(begun minio.ObjectMultipartInfo) error {
		if begun.Key != s.object(id) {
			return nil
		}
		if err := core.AbortMultipartUpload(ctx, s.bucket, begun.Key, begun.UploadID); err != nil && !isMissing(err) {
			return failure(err)
		}
		return nil
	})
}

// sessionsBefore visits the uploads in parts that were begun before a time.
func (s *S3) sessionsBefore(ctx context.Context, at time.Time, visit func(schema.MediaID) error) error {
	prefix := s.prefix + "media/"
	return s.eachSession(ctx, prefix, func(begun minio.ObjectMultipartInfo) error {
		id, err := schema.ParseID[schema.MediaID](strings.TrimPrefix(begun.Key, prefix))
		if err != nil || begun.Initiated.After(at) {
			return nil //nolint:nilerr // not ours, or young
		}
		return visit(id)
	})
}

// eachSession visits the sessions whose names begin so. A key that may not list them has
// begun none.
func (s *S3) eachSession(ctx context.Context, prefix string, visit func(minio.ObjectMultipartInfo) error) error {
	core := minio.Core{Client: s.client}
	for key, session := "", ""; ; {
		page, err := core.ListMultipartUploads(ctx, s.bucket, prefix, key, session, "/", maxListed)
		if isMissing(err) || isDenied(err) {
			return nil
		}
		if err != nil {
			return failure(err)
		}
		for _, begun := range page.Uploads {
			if err := visit(begun); err != nil {
				return err
			}
		}
		if !page.IsTruncated || page.NextKeyMarker == "" {
			return nil
		}
		key, session = page.NextKeyMarker, page.NextUploadIDMarker
	}
}
