package stream_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"crier/pipeline/stream"
)

func TestTLSAndSCRAM(t *testing.T) {
	server := httptest.NewUnstartedServer(nil) // has a certificate for 127.0.0.1
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	b := newBroker(t,
		kfake.TLS(&tls.Config{Certificates: server.TLS.Certificates}),
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "crier", "secret"))

	cfg := config(t, b.addr())
	cfg.TLS, cfg.User, cfg.Password = &tls.Config{RootCAs: roots}, "crier", "secret"
	log, err := stream.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	topic := newTopic(t, log, 1)
	produce(t, log, topic, numbered(0, 10)...)
	var got seen
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic, Drain: time.Second}, got.ack)
	got.wait(t, 10)
	c.stop()
}
