package mail_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/mail"
	"crier/pipeline/mail/mailtest"
	"crier/schema/postgres"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// sender is a process that sends mail, with a connection of its own to PostgreSQL.
type sender struct {
	disconnect func() // from PostgreSQL
	stop       context.CancelFunc
	ended      chan struct{}
}

func startSender(t *testing.T, url, address string, drain time.Duration) *sender {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 2, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), SendsMail: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	stage := mail.New(mail.Config{
		Server:    &mail.Server{Address: address, Security: mail.Unsecured, From: "crier@example.com"},
		PublicURL: public, Store: postgres.NewMail(store, rand.Reader), Now: time.Now, Logger: slog.New(slog.DiscardHandler), Metrics: mail.NewMetrics(prometheus.NewRegistry()),
	})
	ctx, stop := context.WithCancel(t.Context())
	s := &sender{sync.OnceFunc(store.Close), stop, make(chan struct{})}
	go func() { defer close(s.ended); _ = stage.Run(ctx, drain) }() // it never fails
	return s
}

// ends stops it, and waits until it has ended.
func (s *sender) ends() {
	s.stop()
	<-s.ended
	s.disconnect()
}

// TestASenderThatIsCutOffLosesNothing ends senders while the server has a mail, and has not answered. The next one
// sends it once more, with the same Message-ID, and nobody sends it a third time.
func TestASenderThatIsCutOffLosesNothing(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*sender, *mailtest.Mailbox){
		// As a kill does: what came of the mail is never stored.
		"killed":  func(s *sender, box *mailtest.Mailbox) { s.disconnect(); box.Close(); s.ends() },
		"stopped": func(s *sender, _ *mailtest.Mailbox) { s.ends() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := embeddedtest.PostgresWith(t, postgres.Migrate)
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.WithoutCancel(t.Context()))
			exec := func(sql string) {
				t.Helper()
				if _, err := conn.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			exec(`
				insert into users (id, email, name) values (gen_random_uuid(), 'ada@example.com', 'Ada');
				insert into mails (id, kind, about, recipient, since, due_at, expires_at) select gen_random_uuid(), 2, id, email, now(), now(), now() + interval '1 hour' from users`)

			slow := mailtest.Open(t, mailtest.Options{})
			has, answer := make(chan struct{}), make(chan struct{})
			defer sync.OnceFunc(func() { close(answer) })()
			slow.Answer(func(mailtest.Mail) error { close(has); <-answer; return net.ErrClosed })
			first := startSender(t, url, slow.Address, 0)
			<-has
			cut(first, slow)

			exec(`update mails set due_at = now() where due_at is not null`) // the lease, or the wait, has passed
			box := mailtest.Open(t, mailtest.Options{})
			came := make(chan struct{}, 2)
			box.Answer(func(mailtest.Mail) error { came <- struct{}{}; return nil })
			second := startSender(t, url, box.Address, time.Minute)
			<-came
			second.ends()
			before, after := slow.To("ada@example.com"), box.To("ada@example.com")
			if len(before) != 1 || len(after) != 1 || before[0].Header.Get("Message-ID") != after[0].Header.Get("Message-ID") {
				t.Errorf("%d came, and %d after the cut", len(before), len(after))
			}
			var waits int
			if err := conn.QueryRow(t.Context(), `select count(*) from mails where due_at is not null`).Scan(&waits); err != nil || waits != 0 {
				t.Errorf("%d wait, %v", waits, err)
			}
		})
	}
}
