// Package mailtest is a mailbox for tests: an SMTP server that keeps what it gets.
package mailtest

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mailbox takes mail until the test ends, or Close.
type Mailbox struct {
	Address string
	server  *smtp.Server

	mu     sync.Mutex
	mails  []Mail
	refuse func(recipient string) error
	answer func(Mail) error
}

// Options are what a mailbox asks of those who send.
type Options struct {
	Address        string      // to listen at; empty: any
	TLS            *tls.Config // nil: it speaks plainly alone
	Implicit       bool        // TLS from the beginning
	User, Password string      // empty: it asks for none
}

// Mail is one that came.
type Mail struct {
	From, To   string // of the envelope
	Header     mail.Header
	Subject    string
	Text, HTML string
}

// Open starts a mailbox.
func Open(t testing.TB, o Options) *Mailbox {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", cmp.Or(o.Address, "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	b := &Mailbox{Address: listener.Addr().String()}
	b.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: b, options: o}, nil }))
	b.server.Domain, b.server.TLSConfig = "localhost", o.TLS
	if o.Implicit {
		listener = tls.NewListener(listener, o.TLS)
		b.server.TLSConfig = nil
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = b.server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { b.Close(); <-ended })
	return b
}

// Close ends it, with the connections that are open.
func (b *Mailbox) Close() { _ = b.server.Close() }

// Refuse has mail to some recipients refused, by the error that refuse returns.
func (b *Mailbox) Refuse(refuse func(recipient string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = refuse
}

// Answer has each mail that came answered by what answer returns, once that does.
func (b *Mailbox) Answer(answer func(Mail) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

// Mails returns what came, in its order.
func (b *Mailbox) Mails() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mails)
}

// To returns what came to an address.
func (b *Mailbox) To(address string) []Mail {
	return slices.DeleteFunc(b.Mails(), func(m Mail) bool { return m.To != address })
}

type session struct {
	box      *Mailbox
	options  Options
	isSigned bool
	from, to string
}

func (s *session) AuthMechanisms() []string {
	if s.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.isSigned = user == s.options.User && password == s.options.Password
		if !s.isSigned {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.options.User != "" && !s.isSigned {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if s.box.refuse != nil {
		if err := s.box.refuse(to); err != nil {
			return err
		}
	}
	s.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading a mail: %w", err)
	}
	m, err := read(content)
	if err != nil {
		return err
	}
	m.From, m.To = s.from, s.to
	s.box.mu.Lock()
	s.box.mails = append(s.box.mails, m)
	answer := s.box.answer
	s.box.mu.Unlock()
	if answer == nil {
		return nil
	}
	return answer(m)
}

func (s *session) Reset()        { s.from, s.to = "", "" }
func (s *session) Logout() error { return nil }

// read reads a mail of a text and a page.
func read(content []byte) (m Mail, err error) {
	message, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return m, fmt.Errorf("reading a mail: %w", err)
	}
	m.Header = message.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil {
		return m, fmt.Errorf("reading a subject: %w", err)
	}
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return m, fmt.Errorf("reading a mail: %w", err)
	}
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return m, fmt.Errorf("reading a part: %w", err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return m, fmt.Errorf("reading a part: %w", err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			m.HTML = string(text)
		} else {
			m.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
	}
}
