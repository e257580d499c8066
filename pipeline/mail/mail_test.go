package mail_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/prometheus/client_golang/prometheus"

	"crier/pipeline/mail"
	"crier/pipeline/mail/mailtest"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/secure/securetest"
)

// letters is an outbox in memory: what it has is sent in turn, and what came of it is noted.
type letters struct {
	waiting []people.Letter
	came    []people.Delivered
	done    context.CancelFunc // once nothing waits
}

func (l *letters) Address(context.Context) (bool, error) { return false, nil }

func (l *letters) Claim(context.Context, time.Duration) (people.Mail, bool, error) {
	if len(l.waiting) == len(l.came) {
		l.done()
		return people.Mail{}, false, nil
	}
	return people.Mail{ID: schema.NewID[schema.MailID](time.Now()), Kind: l.waiting[len(l.came)].Kind, Version: 1, Attempts: 1}, true, nil
}

func (l *letters) Letter(context.Context, people.Mail) (people.Letter, bool, error) {
	return l.waiting[len(l.came)], true, nil
}

func (l *letters) Finish(_ context.Context, d people.Delivered) error {
	l.came = append(l.came, d)
	return nil
}

func (l *letters) Waiting(context.Context) (map[people.MailKind]people.WaitingMail, error) {
	return nil, nil
}

const public = "https://crier.example.com"

// send sends letters to a server, and returns what came of each.
func send(t *testing.T, server mail.Server, all ...people.Letter) []people.MailEnding {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	outbox := &letters{waiting: all, done: cancel}
	stage := mail.New(mail.Config{
		Server: &server, PublicURL: public, Store: outbox, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Metrics: mail.NewMetrics(prometheus.NewRegistry()),
	})
	if err := stage.Run(ctx, time.Minute); err != nil {
		t.Fatal(err)
	}
	endings := make([]people.MailEnding, len(outbox.came))
	for i, d := range outbox.came {
		endings[i] = d.Ending
	}
	return endings
}

func TestLettersSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	box := mailtest.Open(t, mailtest.Options{})
	workspace := schema.NewID[schema.WorkspaceID](time.Now())
	evil := "Acme\r\nBcc: all@example.com <script>alert(1)</script> https://evil.example/x \u202e"
	all := []people.Letter{
		{Kind: people.MailInvitation, Workspace: evil, By: "Ada", Role: people.Editor, Token: "T0", Refusing: "R"},
		{Kind: people.MailReset, Name: "Bob", Token: "T1"}, {Kind: people.MailAddress, Name: evil, Token: "T2"}, {Kind: people.MailAddressChanged, Name: "Bob"},
		{Kind: people.MailPostsFailed, Workspace: "Größe", Refusing: "R", About: workspace, More: 3, Posts: []people.FailedPost{
			{ID: schema.NewID[schema.PostID](time.Now()), Platform: schema.Mastodon, Account: "ada@example.social", At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Error: "no <b>\nroom"},
		}},
		{Kind: people.MailReconnect, Workspace: "Acme", Refusing: "R", Accounts: []people.EndedAccount{{Platform: schema.Bluesky, Name: "ada"}}},
		{Kind: people.MailSuspension, Workspace: "Acme", Refusing: "R", Keys: []people.SuspendedKey{{Name: "deploy", Prefix: "crier_live_4f…", Until: time.Now()}}},
		{Kind: people.MailNotice, Subject: "An end\r\nX-Evil: 1", Text: "First.\n\nSecond.", Refusing: "R"},
	}
	for i := range all {
		all[i].Recipient = "bob@example.com"
	}
	server := mail.Server{Address: box.Address, Security: mail.Unsecured, From: "crier <crier@example.com>"}
	if got := send(t, server, all...); len(got) != len(all) || slices.ContainsFunc(got, func(e people.MailEnding) bool { return e != people.MailSent }) {
		t.Fatalf("came to %v", got)
	}
	mails := box.To("bob@example.com")
	if len(mails) != len(all) {
		t.Fatalf("%d mails", len(mails))
	}
	for i, want := range []struct {
		subject string
		text    []string
	}{
		{"Invitation to Acme Bcc: all@ example. com", []string{"Ada asks you to join the workspace “Acme", public + "/invitations/accept#T0"}},
		{"Your link", []string{"Hello Bob,", public + "/reset#T1"}}, {"Confirm", []string{public + "/confirm-email#T2"}}, {"Your address was changed", []string{"operator"}},
		{"Posts of Größe failed", []string{"ada@ example. social on mastodon, 2026-03-01 09:00 UTC\n  no <b> room\n  " + public + "/posts/post_", "And 3 more."}},
		{"Accounts of Acme have", []string{"- ada on bluesky", public + "/accounts"}}, {"API keys of Acme", []string{"- deploy (crier_live_4f…) until 20"}},
		{"An end X-Evil: 1", []string{"First.\n\nSecond.\n"}},
	} {
		m := mails[i]
		if !strings.HasPrefix(m.Subject, want.subject) || m.From != "crier@example.com" || m.Header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("%v: %q from %s, %v", all[i].Kind, m.Subject, m.From, m.Header)
		}
		for _, part := range want.text {
			if !strings.Contains(m.Text, part) {
				t.Errorf("%v does not say %q:\n%s", all[i].Kind, part, m.Text)
			}
		}
		if m.Header.Get("Bcc") != "" || m.Header.Get("X-Evil") != "" || strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "no <b>") || strings.Contains(m.Text, "\u202e") {
			t.Errorf("%v: what somebody has named is taken for more: %v\n%s", all[i].Kind, m.Header, m.HTML)
		}
		list, oneClick := m.Header.Get("List-Unsubscribe"), m.Header.Get("List-Unsubscribe-Post")
		if !all[i].Kind.Refusable() {
			if list != "" {
				t.Errorf("%v can be refused", all[i].Kind)
			}
			continue
		}
		u, err := url.Parse(strings.Trim(list, "<>"))
		if err != nil || u.Path != "/api/v1/mail/unsubscribe" || u.Query().Get("token") != "R" || u.Query().Get("kind") != all[i].Kind.String() || oneClick != "List-Unsubscribe=One-Click" {
			t.Errorf("%v: %q, %q, %v", all[i].Kind, list, oneClick, err)
		}
		if want := all[i].About; !want.IsZero() && u.Query().Get("workspace") != want.String() || !strings.Contains(m.Text, u.String()) {
			t.Errorf("%v: %q", all[i].Kind, list)
		}
	}
}

func TestServersAreReachedAsConfigured(t *testing.T) {
	t.Parallel()
	authority, err := securetest.New()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue("127.0.0.1", time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	signed := mailtest.Options{TLS: config, User: "crier", Password: "hunter2"}
	implicit := signed
	implicit.Implicit = true
	starttls, direct, bare := mailtest.Open(t, signed), mailtest.Open(t, implicit), mailtest.Open(t, mailtest.Options{})
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority.PEM)
	trusted := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	for name, tt := range map[string]struct {
		box      *mailtest.Mailbox
		security mail.Security
		password string
		trusted  *tls.Config
		want     people.MailEnding
	}{
		"STARTTLS":                       {starttls, mail.StartTLS, "hunter2", trusted, people.MailSent},
		"TLS":                            {direct, mail.TLS, "hunter2", trusted, people.MailSent},
		"a wrong password":               {starttls, mail.StartTLS, "hunter3", trusted, people.MailRetried},
		"a certificate of somebody else": {starttls, mail.StartTLS, "hunter2", nil, people.MailRetried},
		"a server without STARTTLS is told nothing": {bare, mail.StartTLS, "hunter2", trusted, people.MailRetried},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mail.Server{Address: tt.box.Address, Security: tt.security, User: "crier", Password: tt.password, From: "crier@example.com", TLS: tt.trusted}
			got := send(t, server, people.Letter{Kind: people.MailReset, Recipient: "bob@example.com", Token: "T"})
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("came to %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatAServerRefuses(t *testing.T) {
	t.Parallel()
	box := mailtest.Open(t, mailtest.Options{})
	box.Refuse(func(recipient string) error {
		switch recipient {
		case "nobody@example.com":
			return &smtp.SMTPError{Code: 550, Message: "no such user"}
		case "full@example.com":
			return &smtp.SMTPError{Code: 452, Message: "full"}
		default:
			return nil
		}
	})
	server := mail.Server{Address: box.Address, Security: mail.Unsecured, From: "crier@example.com"}
	var all []people.Letter
	for _, to := range []string{"nobody@example.com", "full@example.com", "not an address", "x@example.com\r\nRCPT TO:<y@example.com>", "bob@example.com"} {
		all = append(all, people.Letter{Kind: people.MailReset, Recipient: to, Token: "T"})
	}
	want := []people.MailEnding{people.MailRefused, people.MailRetried, people.MailRefused, people.MailRefused, people.MailSent}
	if got := send(t, server, all...); !slices.Equal(got, want) {
		t.Errorf("came to %v, want %v", got, want)
	}
	if mails := box.Mails(); len(mails) != 1 || mails[0].To != "bob@example.com" {
		t.Errorf("mails = %+v", mails)
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	t.Parallel()
	good := mail.Server{Address: "smtp.example.com:587", Security: mail.StartTLS, User: "crier", Password: "hunter2", From: "crier <crier@example.com>"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*mail.Server){
		"no port": func(s *mail.Server) { s.Address = "smtp.example.com" }, "no host": func(s *mail.Server) { s.Address = ":25" },
		"no sender": func(s *mail.Server) { s.From = "" }, "an unknown protection": func(s *mail.Server) { s.Security = "ssl" },
		"no password": func(s *mail.Server) { s.Password = "" }, "a password in the open": func(s *mail.Server) { s.Security = mail.Unsecured },
	} {
		wrong := good
		change(&wrong)
		if err := wrong.Check(); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
