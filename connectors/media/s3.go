package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"crier/schema"
)

// S3 keeps content in a bucket of a service that speaks S3, under media/ and the id. What
// clients upload by themselves arrives under arriving/: nobody but crier can change what
// stands under media/, so what is published is what was probed. An S3 is safe for
// concurrent use.
type S3 struct {
	client   *minio.Client
	checking *minio.Client // gives up early: what is wrong at a start is to be said
	access   *access
	bucket   string
	prefix   string // of all names, with a slash at its end; empty: none
}

// ParseS3 reads the address of a bucket: s3://[KEY:SECRET@]HOST[:PORT]/BUCKET[/PREFIX], with
// ?region= (us-east-1 otherwise) and ?tls=false for a server in the same network. Its
// errors never show the address.
func ParseS3(address string) (S3Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return S3Config{}, errors.New("the address of the media bucket cannot be read")
	}
	secret, _ := u.User.Password()
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	c := S3Config{
		Host: u.Host, Key: u.User.Username(), Secret: secret, Bucket: bucket, Prefix: prefix,
		Region: cmp.Or(u.Query().Get("region"), "us-east-1"), Plain: u.Query().Get("tls") == "false",
	}
	if u.Scheme != "s3" || c.Host == "" || (c.Key == "") != (c.Secret == "") || c.Bucket == "" {
		return S3Config{}, errors.New("the address of the media bucket must be s3://HOST/BUCKET, or s3://KEY:SECRET@HOST/BUCKET")
	}
	return c, nil
}

// S3Config names a bucket and who may use it.
type S3Config struct {
	Host        string // with its port, if it is not the usual one
	Key, Secret string // empty: those of the environment, of AWS's files, or of a role
	Bucket      string
	Prefix      string // of all names; empty: none
	Region      string
	Plain       bool // HTTP instead of HTTPS
	// Metadata asks for the credentials of a role, without a Key: it must reach
	// MetadataNetworks, and AWS's token service.
	Metadata *http.Client
}

// String leaves the secret out.
func (c S3Config) String() string { return "s3://" + c.Host + "/" + c.Bucket }

// GoString leaves the secret out as well.
func (c S3Config) GoString() string { return c.String() }

// Address returns host:port of the service.
func (c S3Config) Address() string {
	if strings.Contains(c.Host, ":") {
		return c.Host
	}
	if c.Plain {
		return c.Host + ":80"
	}
	return c.Host + ":443"
}

// NewS3 makes an S3 whose requests go through a transport.
func NewS3(c S3Config, transport http.RoundTripper) (*S3, error) {
	who := newAccess(c)
	options := minio.Options{Creds: who.Credentials, Region: c.Region, Secure: !c.Plain, Transport: transport}
	client, err := minio.New(c.Host, &options)
	if err != nil {
		return nil, fmt.Errorf("reaching %s: %w", c, err)
	}
	options.MaxRetries = checkTries
	checking, err := minio.New(c.Host, &options)
	if err != nil {
		return nil, fmt.Errorf("reaching %s: %w", c, err)
	}
	prefix := c.Prefix
	if prefix != "" {
		prefix += "/"
	}
	return &S3{client, checking, who, c.Bucket, prefix}, nil
}

func (s *S3) object(id schema.MediaID) string   { return s.prefix + "media/" + id.String() }
func (s *S3) arriving(id schema.MediaID) string { return s.prefix + "arriving/" + id.String() }

// Put uploads a file, makes sure that the service has it as it is, and removes it. Where
// another upload of the id has come meanwhile the error is errTaken.
func (s *S3) Put(ctx context.Context, id schema.MediaID, file *File) error {
	content, err := os.Open(file.Path)
	if err != nil {
		return fmt.Errorf("opening media: %w", err)
	}
	err = s.write(ctx, s.object(id), file.Type, content, file.Size)
	if err = errors.Join(err, content.Close()); err != nil {
		return unavailable(err)
	}
	return file.Close()
}

// Open returns the content of an id, or NotFound.
func (s *S3) Open(ctx context.Context, id schema.MediaID) (Content, error) {
	object, err := s.client.GetObject(ctx, s.bucket, s.object(id), minio.GetObjectOptions{})
	if err != nil {
		return nil, failure(err)
	}
	if _, err := object.Stat(); err != nil {
		return nil, errors.Join(failure(err), object.Close())
	}
	return object, nil
}

// Remove removes what is kept or has come for an id.
func (s *S3) Remove(ctx context.Context, id schema.MediaID) error {
	for _, name := range []string{s.object(id), s.arriving(id)} {
		if err := s.remove(ctx, name); err != nil {
			return err
		}
	}
	return s.endSessions(ctx, id)
}

func (s *S3) remove(ctx context.Context, name string) error {
	err := s.client.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
	if err != nil && !isMissing(err) {
		return failure(err)
	}
	return nil
}

// Before visits what was put in before a time, or came before it and was never taken over.
func (s *S3) Before(ctx context.Context, at time.Time, visit func(schema.MediaID) error) error {
	for _, folder := range []string{"media/", "arriving/"} {
		prefix := s.prefix + folder
		for object := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
			if object.Err != nil {
				return failure(object.Err)
			}
			id, err := schema.ParseID[schema.MediaID](strings.TrimPrefix(object.Key, prefix))
			if err != nil || object.LastModified.After(at) {
				continue // not ours, or young
			}
			if err := visit(id); err != nil {
				return err
			}
		}
	}
	return s.sessionsBefore(ctx, at, visit)
}

// UploadURL returns a signed address that takes an upload by PUT.
func (s *S3) UploadURL(ctx context.Context, id schema.MediaID, life time.Duration) (string, error) {
	u, err := s.client.PresignedPutObject(ctx, s.bucket, s.arriving(id), life)
	if err != nil {
		return "", failure(err)
	}
	return u.String(), nil
}

// Accept copies what has come out of its sender's reach, within the service, probes the
// copy and removes what it was copied from. What is no media, or too large, is removed.
func (s *S3) Accept(ctx context.Context, id schema.MediaID, maximum int64) (schema.MediaFacts, error) {
	facts, err := s.probe(ctx, id)
	if !isNoMedia(err) {
		return facts, err // taken over before, by a process that died then
	}
	err = s.takeOver(ctx, id, maximum)
	if err != nil && !isNoMedia(err) {
		return schema.MediaFacts{}, err
	}
	// Where nothing has come, another request may have taken it over meanwhile.
	facts, err = s.probe(ctx, id)
	if schema.KindOf(err) == schema.Refused {
		return facts, errors.Join(err, s.Remove(ctx, id))
	}
	if err != nil {
		return facts, err
	}
	return facts, errors.Join(s.remove(ctx, s.arriving(id)), s.endSessions(ctx, id))
}

// takeOver copies what has come; NotFound where nothing has.
func (s *S3) takeOver(ctx context.Context, id schema.MediaID, maximum int64) error {
	arrived, err := s.client.StatObject(ctx, s.bucket, s.arriving(id), minio.StatObjectOptions{})
	if err != nil {
		return failure(err)
	}
	if arrived.Size > maximum {
		return errors.Join(tooLarge(Limits{MaxBytes: maximum}), s.Remove(ctx, id))
	}
	_, err = s.client.CopyObject(ctx,
		minio.CopyDestOptions{Bucket: s.bucket, Object: s.object(id)},
		minio.CopySrcOptions{Bucket: s.bucket, Object: s.arriving(id), MatchETag: arrived.ETag})
	if err != nil {
		return failure(err)
	}
	copied, err := s.client.StatObject(ctx, s.bucket, s.object(id), minio.StatObjectOptions{})
	if err != nil {
		return failure(err)
	}
	if copied.Size != arrived.Size {
		return s.discard(ctx, s.object(id), fmt.Sprintf("a copy has %d of %d bytes", copied.Size, arrived.Size))
	}
	return nil
}

func isNoMedia(err error) bool { return schema.KindOf(err) == schema.NotFound }

// probe reads what it needs of the content and no more.
func (s *S3) probe(ctx context.Context, id schema.MediaID) (schema.MediaFacts, error) {
	content, err := s.Open(ctx, id)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return schema.MediaFacts{}, errors.Join(failure(err), content.Close())
	}
	read := &pages{content: content, size: size}
	facts, err := Probe(read, size)
	if read.failed != nil {
		err = failure(read.failed) // the service failed, not the content
	}
	return facts, errors.Join(err, content.Close())
}

// failure is the error of a service that did not do what was asked: NotFound, or
// Unavailable. It shows nothing of the service.
func failure(err error) error {
	if isMissing(err) {
		return errNoMedia()
	}
	return unavailable(err)
}

func unavailable(err error) error {
	if _, ok := errors.AsType[*schema.Error](err); ok || errors.Is(err, errTaken) {
		return err
	}
	return &schema.Error{Kind: schema.Unavailable, Message: "the media store does not answer; try again", Err: err}
}

func isMissing(err error) bool {
	answer := minio.ToErrorResponse(err)
	return answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound
}

// pages reads content in pages, the last of which it keeps: a walk over a file's headers
// would cost a request each.
type pages struct {
	content io.ReaderAt
	size    int64
	at      int64
	page    []byte
	failed  error
}

const pageBytes = 256 << 10

// ReadAt implements io.ReaderAt. It is not safe for concurrent use.
func (p *pages) ReadAt(into []byte, offset int64) (int, error) {
	n := 0
	for n < len(into) {
		at := offset + int64(n)
		if at >= p.size {
			return n, io.EOF
		}
		if err := p.load(at); err != nil {
			return n, err
		}
		n += copy(into[n:], p.page[at-p.at:])
	}
	return n, nil
}

func (p *pages) load(at int64) error {
	if at >= p.at && at < p.at+int64(len(p.page)) {
		return nil
	}
	p.at = at - at%pageBytes
	p.page = make([]byte, min(pageBytes, p.size-p.at))
	if _, err := p.content.ReadAt(p.page, p.at); err != nil && !errors.Is(err, io.EOF) {
		p.page, p.failed = nil, err
		return err
	}
	return nil
}
