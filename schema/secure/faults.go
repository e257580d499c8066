package secure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Flags are the flags of a part, as messages name them.
type Flags struct {
	Address string // where it is
	CA      string
	Plain   string // what to change where the server speaks no TLS
	Cert    string // this process's certificate; empty: the part takes none
}

// Explain says what an error of a connection over TLS means and which flag it is about. It
// returns nil where the error is no fault of TLS, or one that may pass by itself.
func Explain(err error, flags Flags) error {
	hint := flags.certificate(err)
	if hint == "" {
		hint = flags.handshake(err)
	}
	if hint == "" {
		return nil
	}
	return fmt.Errorf("%s: %w", hint, err)
}

// Silence says which flag an error is about that came of waiting for a server. It returns nil
// for any other.
func Silence(err error, flags Flags) error {
	if waited, ok := errors.AsType[net.Error](err); !ok || !waited.Timeout() {
		return nil
	}
	return fmt.Errorf("what %s names does not answer: %w", flags.Address, err)
}

// Absence says which flag an error is about that came of an address without a server. It returns
// nil for any other.
func Absence(err error, flags Flags) error {
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		return fmt.Errorf("there is no host of the name in %s: %w", flags.Address, err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("nothing listens at the port that %s names: %w", flags.Address, err)
	}
	return nil
}

// FirstAnswer is how long a server may take until its first answer to somebody who starts and
// waits for it.
const FirstAnswer = 4 * time.Second

// certificate is about a certificate of the server that was not accepted.
func (f Flags) certificate(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "the certificate of the server that " + f.Address + " names is expired or not valid yet"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate of the server is for other names than the one in " + f.Address
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate of the server is of an authority that is not known here: " + f.CA + " names the file of the right one"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the server that " + f.Address + " names is not accepted"
	}
	return ""
}

// handshake is about a server that speaks no TLS, or refuses this process's certificate.
func (f Flags) handshake(err error) string {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "no TLS is spoken at the port that " + f.Address + " names: name the port for TLS, or " + f.Plain
	}
	// crypto/tls has no type for the alerts of the other side.
	if remote, ok := errors.AsType[*net.OpError](err); ok && remote.Op == "remote error" && f.Cert != "" {
		return "the server ended the handshake: it may want another certificate than that of " + f.Cert
	}
	return ""
}
