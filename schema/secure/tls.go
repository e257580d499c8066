package secure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Files are PEM files of one part's TLS.
type Files struct {
	CA   string // authorities that the server's certificate may be of; empty: the system's
	Cert string // this process's certificate, with those between it and its authority; empty: none
	Key  string // of Cert
}

// TLS reads the files. The certificate is read again at each handshake, so that one that is
// renewed in place is used without a restart; the authorities are read once.
func (f Files) TLS() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("reading the certificates of authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM", f.CA)
		}
	}
	switch {
	case f.Cert == "" && f.Key == "":
		return config, nil
	case f.Cert == "" || f.Key == "":
		return nil, errors.New("a certificate and its key are given together")
	}
	if _, err := f.certificate(); err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.certificate() }
	return config, nil
}

func (f Files) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate %s and its key: %w", f.Cert, err)
	}
	return &pair, nil
}
