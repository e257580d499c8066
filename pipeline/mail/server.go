package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// Security is how a connection to the server is protected.
type Security string

// The kinds of protection.
const (
	StartTLS  Security = "starttls" // asked for on a plain connection, and refused without it
	TLS       Security = "tls"      // from the beginning
	Unsecured Security = "none"     // for a server on the same machine
)

// Server is the SMTP server that takes mail.
type Server struct {
	Address  string // host:port
	Security Security
	User     string // empty: it lets crier in without
	Password string
	From     string      // address of the sender, with a name or without
	TLS      *tls.Config `json:"-"` // nil: as the system says
}

// Check reports what is wrong with a configuration, without a connection.
func (s Server) Check() error {
	_, err := s.client()
	return errors.Join(err, s.checkSender(), s.checkUser())
}

func (s Server) checkSender() error {
	if _, err := netmail.ParseAddress(s.From); err != nil {
		return fmt.Errorf("the sender %q is no address of e-mail, such as crier@example.com", s.From)
	}
	return nil
}

func (s Server) checkUser() error {
	if s.User != "" && s.Security == Unsecured {
		return errors.New("a password would be sent where others can read it: take starttls or tls")
	}
	if (s.User == "") != (s.Password == "") {
		return errors.New("user and password go together")
	}
	return nil
}

// sendTimeout is how long a connection may take, and each exchange on it.
const sendTimeout = 15 * time.Second

func (s Server) client() (*gomail.Client, error) {
	host, text, err := net.SplitHostPort(s.Address)
	port, portErr := strconv.Atoi(text)
	if err != nil || portErr != nil || host == "" {
		return nil, fmt.Errorf("the server of mail is %q: host:port is wanted, such as smtp.example.com:587", s.Address)
	}
	options := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(sendTimeout)}
	switch s.Security {
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case TLS:
		options = append(options, gomail.WithSSL())
	case Unsecured:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, fmt.Errorf("%q protects no mail; there are %s, %s and %s", s.Security, StartTLS, TLS, Unsecured)
	}
	if s.TLS != nil {
		config := s.TLS.Clone()
		config.ServerName = host
		options = append(options, gomail.WithTLSConfig(config))
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	c, err := gomail.NewClient(host, options...)
	if err != nil {
		return nil, fmt.Errorf("configuring mail: %w", err)
	}
	return c, nil
}

// connection is one to the server, for several mails.
type connection struct {
	client *gomail.Client
	open   *smtp.Client
}

func (s Server) connect(ctx context.Context) (*connection, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	open, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server of mail: %w", err)
	}
	return &connection{client, open}, nil
}

func (c *connection) send(m *gomail.Msg) error { return c.client.SendWithSMTPClient(c.open, m) }

// close ends the connection. Whether that succeeds changes nothing for what was sent.
func (c *connection) close() {
	if c != nil {
		_ = c.client.CloseWithSMTPClient(c.open)
	}
}

// verdict is what a server's refusal of a mail means.
type verdict struct {
	final  bool // this mail will not be taken
	code   int  // of SMTP; 0: the server gave none
	reason string
}

// verdictOf reads the error of sending a mail. A refusal of crier as the sender is about the configuration, and not
// about the mail.
func verdictOf(err error) verdict {
	refused, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return verdict{reason: "the connection was lost"}
	}
	final := refused.ErrorCode() >= 500 && refused.Reason != gomail.ErrSMTPMailFrom
	return verdict{final, refused.ErrorCode(), refused.Reason.String()}
}
