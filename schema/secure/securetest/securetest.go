// Package securetest is what tests have for secrets: a vault that seals nothing, and an authority of its own with
// certificates of it for servers and clients, good ones and bad ones.
package securetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	PEM  []byte
}

// New makes an authority.
func New() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making an authority: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "crier tests " + rand.Text()},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("making an authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("making an authority: %w", err)
	}
	return &Authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

// Pair is a certificate and its key, in PEM.
type Pair struct{ Cert, Key []byte }

// Issue makes a certificate for a name or an address, good until a time, of servers and clients.
func (a *Authority) Issue(name string, until time.Time) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("making a certificate: %w", err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return Pair{}, fmt.Errorf("making a certificate: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("making a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("making a certificate: %w", err)
	}
	return Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}, nil
}

// Read is the settings of a server with the certificate of two files.
func Read(cert, key string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	return &tls.Config{Certificates: []tls.Certificate{pair}}, err
}

// Names of the files of a Folder.
const (
	CA          = "ca.pem"       // of the authority that signed the others
	OtherCA     = "other-ca.pem" // of one that signed none
	Server      = "server.pem"   // for 127.0.0.1
	ServerKey   = "server-key.pem"
	Expired     = "expired.pem" // for 127.0.0.1, until an hour ago
	ExpiredKey  = "expired-key.pem"
	Client      = "client.pem"
	ClientKey   = "client-key.pem"
	Stranger    = "stranger.pem" // for a client, of the other authority
	StrangerKey = "stranger-key.pem"
)

// Folder writes certificates for a server at 127.0.0.1 and for its clients.
func Folder(folder string) error {
	ours, err := New()
	if err != nil {
		return err
	}
	other, err := New()
	if err != nil {
		return err
	}
	files := map[string][]byte{CA: ours.PEM, OtherCA: other.PEM}
	tomorrow, anHourAgo := time.Now().Add(24*time.Hour), time.Now().Add(-time.Hour)
	for _, file := range []struct {
		by        *Authority
		name      string
		until     time.Time
		cert, key string
	}{
		{ours, "127.0.0.1", tomorrow, Server, ServerKey},
		{ours, "127.0.0.1", anHourAgo, Expired, ExpiredKey},
		{ours, "crier", tomorrow, Client, ClientKey},
		{other, "crier", tomorrow, Stranger, StrangerKey},
	} {
		pair, err := file.by.Issue(file.name, file.until)
		if err != nil {
			return err
		}
		files[file.cert], files[file.key] = pair.Cert, pair.Key
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return fmt.Errorf("writing certificates: %w", err)
		}
	}
	return nil
}
