package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"net/textproto"
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

const (
	// connectTimeout is how long it may take until a server has let crier in.
	connectTimeout = time.Minute
	// stepsTimeout is how long a server may take over a mail until it has all of it: whatever looks at senders and
	// recipients takes its time. A mail that is cut off then was not sent.
	stepsTimeout = 2 * time.Minute
	// answerTimeout is how long a server may look at a mail that it has. One that gives up before gets it taken and
	// sends it twice, so this is what RFC 5321, 4.5.3.2.6, asks for.
	answerTimeout = 10 * time.Minute
	// farewellTimeout is how long the end of a connection may take.
	farewellTimeout = 5 * time.Second
)

func (s Server) client() (*gomail.Client, error) {
	host, text, err := net.SplitHostPort(s.Address)
	port, portErr := strconv.Atoi(text)
	if err != nil || portErr != nil || host == "" {
		return nil, fmt.Errorf("the server of mail is %q: host:port is wanted, such as smtp.example.com:587", s.Address)
	}
	options := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(connectTimeout)}
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
type connection struct{ open *smtp.Client }

func (s Server) connect(ctx context.Context) (*connection, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	open, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server of mail: %w", err)
	}
	return &connection{open}, nil
}

// step is a part of sending a mail, by its command.
type step string

const (
	stepSender    step = "MAIL"
	stepRecipient step = "RCPT"
	stepData      step = "DATA"
	stepAnswer    step = "the answer to DATA" // the server has all of the mail
)

// sendError is why a mail was not sent, or nobody knows whether it was.
type sendError struct {
	step step
	err  error
}

func (e *sendError) Error() string { return string(e.step) + ": " + e.err.Error() }
func (e *sendError) Unwrap() error { return e.err }

// send sends a mail. Where ctx ends, the connection is cut off.
func (c *connection) send(ctx context.Context, m *gomail.Msg) error {
	text := c.open.Text
	defer context.AfterFunc(ctx, func() { _ = text.Close() })()
	data, err := c.begin(m)
	if err != nil {
		return err
	}
	if _, err := m.WriteTo(data); err != nil {
		return &sendError{stepData, err}
	}
	if err := c.open.UpdateDeadline(answerTimeout); err != nil {
		return &sendError{stepData, err}
	}
	if err := data.Close(); err != nil {
		return &sendError{stepAnswer, err}
	}
	return nil
}

// begin says who sends a mail to whom, and returns where it is written to.
func (c *connection) begin(m *gomail.Msg) (io.WriteCloser, error) {
	sender, err := m.GetSender(false)
	if err != nil {
		return nil, &sendError{stepSender, err}
	}
	recipients, err := m.GetRecipients()
	if err != nil {
		return nil, &sendError{stepRecipient, err}
	}
	if err := c.open.UpdateDeadline(stepsTimeout); err != nil {
		return nil, &sendError{stepSender, err}
	}
	if err := c.open.Mail(sender); err != nil {
		return nil, &sendError{stepSender, err}
	}
	for _, r := range recipients {
		if err := c.open.Rcpt(r); err != nil {
			return nil, &sendError{stepRecipient, err}
		}
	}
	data, err := c.open.Data()
	if err != nil {
		return nil, &sendError{stepData, err}
	}
	return data, nil
}

// close ends the connection. Whether the server takes leave changes nothing for what was sent.
func (c *connection) close() {
	if c == nil {
		return
	}
	if c.open.UpdateDeadline(farewellTimeout) == nil {
		_ = c.open.Quit()
	}
	_ = c.open.Text.Close() // which Quit leaves open where it fails
}

// verdict is what came of a mail that was not sent.
type verdict struct {
	final bool // this mail will not be taken
	code  int  // of SMTP; 0: the server gave none
	step  step
}

// verdictOf reads the error of sending a mail. A refusal of crier as the sender is about the configuration, and not
// about the mail.
func verdictOf(err error) (v verdict) {
	if failed, ok := errors.AsType[*sendError](err); ok {
		v.step = failed.step
	}
	if refused, ok := errors.AsType[*textproto.Error](err); ok {
		v.code = refused.Code
	}
	v.final = v.code >= 500 && v.step != stepSender
	return v
}
