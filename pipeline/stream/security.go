package stream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"crier/schema/secure"
	"crier/schema/sleep"
)

// Mechanism is how a process proves to brokers who it is, by SASL.
type Mechanism string

// The mechanisms. The password leaves the process with Plain alone.
const (
	Plain       Mechanism = "plain"
	ScramSHA256 Mechanism = "scram-sha-256"
	ScramSHA512 Mechanism = "scram-sha-512"
)

// Mechanisms are all of them.
func Mechanisms() []string {
	return []string{string(Plain), string(ScramSHA256), string(ScramSHA512)}
}

// Security is how brokers are reached: without TLS and without a name where it is zero.
type Security struct {
	TLS            *tls.Config // may hold a certificate of this process's
	SASL           Mechanism   // empty: none
	User, Password string
}

func (s Security) mechanism() (sasl.Mechanism, error) {
	algorithm := scram.SHA512
	switch s.SASL {
	case "":
		return nil, nil
	case Plain:
		return plain.Mechanism{Username: s.User, Password: s.Password}, nil
	case ScramSHA256:
		algorithm = scram.SHA256
	case ScramSHA512:
	default:
		return nil, fmt.Errorf("%q is no mechanism of SASL; there are %s", s.SASL, strings.Join(Mechanisms(), ", "))
	}
	mechanism, err := scram.Mechanism(algorithm, s.User, s.Password)
	if err != nil {
		return nil, fmt.Errorf("preparing the user and the password: %w", err)
	}
	return mechanism, nil
}

// flags are those that say how brokers are reached.
var flags = secure.Flags{Address: "--kafka", CA: "--kafka-ca", Plain: "leave out --kafka-tls, --kafka-ca and --kafka-cert", Cert: "--kafka-cert"}

// hungUpPatience is how long a broker may end each connection before it has said anything:
// what is in front of a broker that starts does so too.
const hungUpPatience = 2500 * time.Millisecond

// ping asks all brokers for the cluster's until one answers. It gives up early where each of
// them says what waiting does not change, such as a wrong password, or takes the connection and
// says nothing.
func (s Security) ping(ctx context.Context, dialer *kafka.Dialer, brokers []string) error {
	if len(brokers) == 0 {
		return errors.New("no address given")
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	for began := time.Now(); ; {
		errs := pingAll(ctx, dialer, brokers)
		refused := 0
		var last error // that somebody can act on, or any
		for i, err := range errs {
			if err == nil {
				return nil
			}
			if len(brokers) > 1 {
				err = fmt.Errorf("%s: %w", brokers[i], err)
			}
			final, explained := s.explain(err)
			if final || explained != nil && time.Since(began) > hungUpPatience {
				refused++
			}
			if explained != nil || last == nil {
				last = cmp.Or(explained, secure.Absence(err, flags), err)
			}
		}
		if refused == len(brokers) || sleep.For(ctx, 200*time.Millisecond) != nil {
			return last
		}
	}
}

// pingAll asks brokers at once, and returns what came of each.
func pingAll(ctx context.Context, dialer *kafka.Dialer, brokers []string) []error {
	errs := make([]error, len(brokers))
	var asking sync.WaitGroup
	for i, broker := range brokers {
		asking.Go(func() { errs[i] = pingBroker(ctx, dialer, broker) })
	}
	asking.Wait()
	return errs
}

// explain says which flag an error of a connection is about, nil where none may be, and
// whether it is final: another try comes to the same.
func (s Security) explain(err error) (final bool, explained error) {
	if cause := cmp.Or(secure.Explain(err, flags), secure.Silence(err, flags)); cause != nil {
		return true, cause
	}
	var hint string
	switch {
	case errors.Is(err, kafka.UnsupportedSASLMechanism):
		hint, final = fmt.Sprintf("the broker does not take --kafka-sasl %s", s.SASL), true
	case errors.Is(err, kafka.SASLAuthenticationFailed):
		hint, final = "the broker refuses --kafka-user or --kafka-password (--kafka-sasl "+string(s.SASL)+")", true
	case errors.Is(err, kafka.IllegalSASLState) && s.SASL != "":
		hint, final = "the broker wants no --kafka-sasl at this port of --kafka", true
	case isHungUp(err) && s.TLS != nil:
		hint = "the broker ends the connection: TLS may not be spoken at this port of --kafka, or it wants another certificate than that of --kafka-cert"
		if s.SASL == "" {
			hint += ", or a user by --kafka-sasl"
		}
	case isHungUp(err) && s.SASL == "":
		hint = "the broker ends the connection: it may want --kafka-tls, or a user by --kafka-sasl"
	case isHungUp(err):
		hint = "the broker ends the connection: it may want --kafka-tls, or no --kafka-sasl"
	default:
		return false, nil
	}
	return final, fmt.Errorf("%s: %w", hint, err)
}

// isHungUp reports whether the broker took the connection and then said nothing of use.
func isHungUp(err error) bool {
	if network, ok := errors.AsType[*net.OpError](err); ok && network.Op == "dial" {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func pingBroker(ctx context.Context, dialer *kafka.Dialer, broker string) error {
	conn, err := dialer.DialContext(ctx, "tcp", broker)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return err
	}
	_, err = conn.Brokers()
	return err
}
