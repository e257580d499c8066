package stream_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema/secure"
	"crier/schema/secure/securetest"
	"crier/schema/sleep/sleeptest"
)

// secured are the listeners of a broker that is secured, with what it takes to get in.
type secured struct {
	folder  string // of the certificates
	plain   string // speaks no TLS
	sasl    string // over TLS; asks for the user crier and the password secret
	expired string // over TLS, with a certificate that is expired
	mutual  string // over TLS; asks for a certificate
}

// securedBroker is that of scripts/kafka.sh where CRIER_TEST_KAFKA names one, else embedded
// ones, a broker a listener.
func securedBroker(t *testing.T) secured {
	t.Helper()
	if folder := os.Getenv("CRIER_TEST_KAFKA_FOLDER"); folder != "" {
		s := secured{folder: filepath.Join(folder, "certificates"), plain: embeddedtest.Log(t)}
		for name, address := range map[string]*string{"sasl": &s.sasl, "expired": &s.expired, "mutual": &s.mutual} {
			text, err := os.ReadFile(filepath.Join(folder, "listener."+name))
			if err != nil {
				t.Fatal(err)
			}
			*address = strings.TrimSpace(string(text))
		}
		return s
	}
	// The embedded broker waits for what it understands, and TLS is used with none.
	plain := httptest.NewServer(nil)
	t.Cleanup(plain.Close)
	s := secured{folder: t.TempDir(), plain: plain.Listener.Addr().String()}
	if err := securetest.Folder(s.folder); err != nil {
		t.Fatal(err)
	}
	server := s.server(t, securetest.Server, securetest.ServerKey)
	s.sasl = newBroker(t, kfake.TLS(server), kfake.EnableSASL(), kfake.Superuser("PLAIN", "crier", "secret"),
		kfake.Superuser("SCRAM-SHA-256", "crier", "secret"), kfake.Superuser("SCRAM-SHA-512", "crier", "secret")).addr()
	s.expired = newBroker(t, kfake.TLS(s.server(t, securetest.Expired, securetest.ExpiredKey))).addr()
	mutual := server.Clone()
	ca, err := os.ReadFile(s.file(securetest.CA))
	if err != nil {
		t.Fatal(err)
	}
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	mutual.ClientCAs.AppendCertsFromPEM(ca)
	s.mutual = newBroker(t, kfake.TLS(mutual)).addr()
	return s
}

func (s secured) file(name string) string { return filepath.Join(s.folder, name) }

func (s secured) server(t *testing.T, cert, key string) *tls.Config {
	t.Helper()
	config, err := securetest.Read(s.file(cert), s.file(key))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// TestSecuredKafka reaches a broker in each way that it takes.
func TestSecuredKafka(t *testing.T) {
	s := securedBroker(t)
	user := func(mechanism stream.Mechanism, password string) stream.Security {
		return stream.Security{SASL: mechanism, User: "crier", Password: password}
	}
	ca := secure.Files{CA: s.file(securetest.CA)}
	with := func(cert, key string) secure.Files {
		return secure.Files{CA: s.file(securetest.CA), Cert: s.file(cert), Key: s.file(key)}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody takes what comes to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	silent := l.Addr().String()
	localhost := strings.Replace(s.sasl, "127.0.0.1", "localhost", 1)
	for name, tt := range map[string]struct {
		broker   string
		security stream.Security
		files    secure.Files // zero: no TLS
		want     string       // of the error; empty: it works
	}{
		"PLAIN":                          {s.sasl, user(stream.Plain, "secret"), ca, ""},
		"SCRAM-SHA-256":                  {s.sasl, user(stream.ScramSHA256, "secret"), ca, ""},
		"SCRAM-SHA-512":                  {s.sasl, user(stream.ScramSHA512, "secret"), ca, ""},
		"a client certificate":           {s.mutual, stream.Security{}, with(securetest.Client, securetest.ClientKey), ""},
		"a wrong password by PLAIN":      {s.sasl, user(stream.Plain, "hunter2"), ca, "--kafka-password"},
		"a wrong password by SCRAM":      {s.sasl, user(stream.ScramSHA512, "hunter2"), ca, "--kafka-password"},
		"no user where one is wanted":    {s.sasl, stream.Security{}, ca, "--kafka-sasl"},
		"an expired certificate":         {s.expired, stream.Security{}, ca, "--kafka names is expired"},
		"a wrong name":                   {localhost, user(stream.ScramSHA512, "secret"), ca, "for other names than the one in --kafka"},
		"another authority":              {s.sasl, user(stream.ScramSHA512, "secret"), secure.Files{CA: s.file(securetest.OtherCA)}, "--kafka-ca names the file of the right one"},
		"a port that is silent":          {silent, stream.Security{}, ca, "--kafka names does not answer"},
		"a silent port, plain":           {silent + "," + silent, stream.Security{}, secure.Files{}, "--kafka names does not answer"},
		"a plain port":                   {s.plain, stream.Security{}, ca, "spoken at th"},
		"a port for TLS, plain":          {s.sasl, user(stream.ScramSHA512, "secret"), secure.Files{}, "--kafka-tls"},
		"no client certificate":          {s.mutual, stream.Security{}, ca, "--kafka-cert"},
		"a client certificate of others": {s.mutual, stream.Security{}, with(securetest.Stranger, securetest.StrangerKey), "--kafka-cert"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, tt.broker)
			cfg.Brokers = strings.Split(tt.broker, ",")
			cfg.Security = tt.security
			if (tt.files != secure.Files{}) {
				var err error
				if cfg.Security.TLS, err = tt.files.TLS(); err != nil {
					t.Fatal(err)
				}
			}
			ran := sleeptest.Stopwatch(t)
			log, err := stream.Open(t.Context(), cfg)
			if took := ran(); took > 5*time.Second {
				t.Errorf("Open took %v", took)
			}
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("Open = %v, want %q in it", err, tt.want)
				}
				return
			}
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
		})
	}
}
