package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"crier/schema/secure"
)

// MetadataNetworks are where roles of machines, containers and pods are asked for their
// credentials: addresses of this machine, and those that AWS has for its metadata services
// (docs.aws.amazon.com, "Instance metadata", "Task IAM role", "EKS Pod Identity").
func MetadataNetworks() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("169.254.169.254/32"), netip.MustParsePrefix("169.254.170.2/32"), netip.MustParsePrefix("169.254.170.23/32"),
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fd00:ec2::254/128"), netip.MustParsePrefix("fd00:ec2::23/128"),
	}
}

// access is who an S3 is, and where that was looked for.
type access struct {
	*credentials.Credentials
	sources []*source // empty: the address says it
}

// newAccess finds credentials: those of the address, else the first of the environment
// (AWS_ACCESS_KEY_ID and its like), the files of AWS, and the role of this pod, container or
// machine. Those that end are had again before they do.
func newAccess(c S3Config) *access {
	if c.Key != "" {
		return &access{Credentials: credentials.NewStaticV4(c.Key, c.Secret, "")}
	}
	a := &access{sources: []*source{
		{Provider: &credentials.EnvAWS{}, name: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		{Provider: &credentials.FileAWSCredentials{}, name: "the files of AWS"},
		{Provider: &credentials.IAM{Client: c.Metadata}, name: "a role of this machine"},
	}}
	var chain []credentials.Provider
	for _, s := range a.sources {
		chain = append(chain, s)
	}
	a.Credentials = credentials.NewChainCredentials(chain)
	return a
}

// source keeps why it has no credentials, which the chain leaves out.
type source struct {
	credentials.Provider
	name string
	err  error
}

// RetrieveWithCredContext implements credentials.Provider.
func (s *source) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	value, err := s.Provider.RetrieveWithCredContext(c)
	s.err = err
	return value, err
}

// check fails where no credentials are found. Nobody else may use the access meanwhile.
func (a *access) check(ctx context.Context) error {
	value, err := a.GetWithContext(&credentials.CredContext{Client: http.DefaultClient, Context: ctx})
	if err != nil {
		return fmt.Errorf("looking for credentials of the bucket: %w", err)
	}
	if !value.SignerType.IsAnonymous() {
		return nil
	}
	wrong := []error{errors.New("--media-s3 has no key, and no credentials are found for it")}
	for _, s := range a.sources {
		err := s.err
		if err == nil {
			err = errors.New("not set")
		}
		wrong = append(wrong, fmt.Errorf("%s: %w", s.name, err))
	}
	return errors.Join(wrong...)
}

// s3Flags are those that say how a bucket is reached.
var s3Flags = secure.Flags{Address: "--media-s3", CA: "--media-s3-ca", Plain: "put ?tls=false at its end where it is in a network of your own"}

// explain says which flag an error of reaching the bucket is about.
func explain(err error) error {
	if explained := cmp.Or(secure.Explain(err, s3Flags), secure.Silence(err, s3Flags), secure.Absence(err, s3Flags)); explained != nil {
		return explained
	}
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	switch answer.Code {
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch, minio.AccessDenied, "InvalidToken", "ExpiredToken":
		return fmt.Errorf("the service refuses the credentials that --media-s3 has, or that are found for it: %w", err)
	case minio.NoSuchBucket:
		return fmt.Errorf("there is no such bucket as --media-s3 names: %w", err)
	default:
		return err
	}
}
