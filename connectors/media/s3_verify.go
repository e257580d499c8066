package media

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"crier/schema"
	"crier/schema/secure"
)

// sampleBytes is how much of the beginning and of the end of an object is read back
// where its ETag says nothing.
const sampleBytes = 64 << 10

// write stores content under a name and makes sure that the service keeps what was sent:
// some store the framing of a body, or less than all of it, and answer 200 all the same.
// What is not as it was sent is removed.
//
// The body goes out plain, in one request: aws-chunked bodies, which the client would send
// without TLS, are not decoded everywhere, and the ETag of an object that came in one
// piece is its MD5.
func (s *S3) write(ctx context.Context, name, contentType string, content io.ReaderAt, size int64) error {
	put, err := s.client.PutObject(ctx, s.bucket, name, io.NewSectionReader(content, 0, size), size, minio.PutObjectOptions{
		ContentType: contentType, DisableMultipart: true, DisableContentSha256: true,
	})
	if err != nil {
		return err
	}
	return s.verify(ctx, name, put.ETag, content, size)
}

// verify compares an object with what was sent: its size, and its ETag where that is the
// MD5; else its beginning and its end. It is errTaken where another upload of the same
// name has come since.
func (s *S3) verify(ctx context.Context, name, etag string, sent io.ReaderAt, size int64) error {
	info, err := s.client.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
	switch {
	case isMissing(err):
		return s.discard(ctx, name, "it stored nothing")
	case err != nil:
		return err
	case etag != "" && info.ETag != "" && info.ETag != etag:
		return errTaken
	case info.Size != size:
		return s.discard(ctx, name, fmt.Sprintf("it stored %d bytes where %d were sent", info.Size, size))
	}
	hash := md5.New()
	if _, err := io.Copy(hash, io.NewSectionReader(sent, 0, size)); err != nil {
		return fmt.Errorf("reading what was sent: %w", err)
	}
	if info.ETag == hex.EncodeToString(hash.Sum(nil)) {
		return nil
	}
	// The ETag of an encrypted object is no MD5.
	same, err := s.isSame(ctx, name, sent, size)
	if err != nil {
		return err
	}
	if !same {
		return s.discard(ctx, name, "it stored other bytes than were sent")
	}
	return nil
}

// isSame reads the beginning and the end of an object and compares them.
func (s *S3) isSame(ctx context.Context, name string, sent io.ReaderAt, size int64) (bool, error) {
	object, err := s.client.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return false, err
	}
	same := true
	for _, at := range []int64{0, max(0, size-sampleBytes)} {
		part := min(sampleBytes, size-at)
		stored, want := make([]byte, part), make([]byte, part)
		if _, err := object.ReadAt(stored, at); err != nil && !errors.Is(err, io.EOF) {
			return false, errors.Join(err, object.Close())
		}
		if _, err := sent.ReadAt(want, at); err != nil && !errors.Is(err, io.EOF) {
			return false, errors.Join(fmt.Errorf("reading what was sent: %w", err), object.Close())
		}
		same = same && bytes.Equal(stored, want)
	}
	return same, object.Close()
}

// discard removes an object that is not as it was sent and returns the error that says so.
func (s *S3) discard(ctx context.Context, name, trouble string) error {
	err := s.client.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
	return &schema.Error{
		Kind: schema.Unavailable, Message: "the media store does not keep uploads as they are sent: " + trouble, Err: err,
	}
}

const (
	checkBytes = 4 << 10 // size of the object of a check
	checkTries = 3       // of each of its requests, within two seconds
)

// Check finds the credentials, writes an object, reads it and deletes it, and says which of
// these failed. It is for the start: nobody may use the S3 meanwhile.
func (s *S3) Check(ctx context.Context) error {
	if err := s.access.check(ctx); err != nil {
		return err
	}
	checking := *s
	checking.client = s.checking
	return explain(checking.tryOut(ctx))
}

func (s *S3) tryOut(ctx context.Context) error {
	name := s.prefix + "check/" + rand.Text()
	content := strings.Repeat("crier", checkBytes/len("crier"))
	first, cancel := context.WithTimeout(ctx, secure.FirstAnswer)
	defer cancel()
	if err := s.write(first, name, "text/plain", strings.NewReader(content), int64(len(content))); err != nil {
		return fmt.Errorf("writing an object: %w", err)
	}
	if err := s.compare(ctx, name, content); err != nil {
		return fmt.Errorf("reading an object: %w", err)
	}
	if err := s.client.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("deleting an object: %w", err)
	}
	return nil
}

func (s *S3) compare(ctx context.Context, name, want string) error {
	object, err := s.client.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(object, int64(len(want))+1))
	if err = errors.Join(err, object.Close()); err == nil && string(got) != want {
		err = errors.New("it is not what was written")
	}
	return err
}
