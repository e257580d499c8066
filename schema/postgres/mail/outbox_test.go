package mail_test

import (
	"crypto/rand"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/people"
	"crier/schema/postgres"
	"crier/schema/postgres/mail"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// outbox is a store of mail, and the rows behind it.
type outbox struct {
	*testing.T
	store *mail.Store
	conn  *pgx.Conn
}

func open(t *testing.T) *outbox {
	t.Helper()
	t.Parallel()
	url := embeddedtest.PostgresWith(t, postgres.Migrate)
	db, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 2, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), SendsMail: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) }) // the database goes with the test
	return &outbox{t, postgres.NewMail(db, rand.Reader), conn}
}

func (o *outbox) exec(sql string) {
	o.Helper()
	if _, err := o.conn.Exec(o.Context(), sql); err != nil {
		o.Fatal(err)
	}
}

// claimed claims what is due, and returns the kinds in their order.
func (o *outbox) claimed() (kinds []people.MailKind) {
	o.Helper()
	for {
		m, found, err := o.store.Claim(o.Context(), time.Hour)
		if err != nil {
			o.Fatal(err)
		}
		if !found {
			return kinds
		}
		kinds = append(kinds, m.Kind)
	}
}

func TestMailThatSomebodyWaitsForGoesFirst(t *testing.T) {
	o := open(t)
	o.exec(`
		insert into mails (id, kind, about, recipient, since, due_at, expires_at)
		select gen_random_uuid(), kind, gen_random_uuid(), 'a@example.com', now(), now() - wait, now() + interval '1 hour' from (values
			(8, interval '5 hours'), (5, interval '4 hours'), (1, interval '2 minutes'), (2, interval '1 minute'), (4, interval '3 minutes'), (3, interval '-1 hour')) v (kind, wait)`)
	want := []people.MailKind{people.MailAddressChanged, people.MailInvitation, people.MailReset, people.MailNotice, people.MailPostsFailed}
	if got := o.claimed(); !slices.Equal(got, want) {
		t.Errorf("claimed %v, want %v", got, want)
	}
}

// TestMailOfANewerVersionWaitsForIt stands for an update, or its withdrawal, while processes of two versions run.
func TestMailOfANewerVersionWaitsForIt(t *testing.T) {
	o := open(t)
	o.exec(`
		insert into mails (id, kind, about, recipient, since, due_at, expires_at)
		select gen_random_uuid(), 300, gen_random_uuid(), recipient, now(), now() - interval '1 minute', now() + interval '1 hour' from unnest(array['', 'a@example.com']) recipient`)
	if found, err := o.store.Address(t.Context()); found || err != nil {
		t.Errorf("addressed %t, %v", found, err)
	}
	if got := o.claimed(); len(got) != 0 {
		t.Errorf("claimed %v", got)
	}
	if waiting, err := o.store.Waiting(t.Context()); len(waiting) != 0 || err != nil {
		t.Errorf("waiting %v, %v", waiting, err)
	}
}

func TestWhatWaitsIsCountedByKind(t *testing.T) {
	o := open(t)
	o.exec(`
		insert into mails (id, kind, about, recipient, since, due_at, expires_at, attempts)
		select gen_random_uuid(), kind, gen_random_uuid(), 'a@example.com', now(), due, expires, attempts from (values
			(2, now() - interval '9 minutes', now() + interval '50 minutes', 0), (2, now() + interval '5 minutes', now() + interval '40 minutes', 3),
			(5, now() + interval '1 minute', now() + interval '1 day', 0), (1, null, now() - interval '1 hour', 1)) v (kind, due, expires, attempts)`)
	waiting, err := o.store.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A link works for an hour, so the one that expires in 40 minutes has waited for twenty.
	if w := waiting[people.MailReset]; len(waiting) != 1 || w.Mails != 2 || time.Since(w.Since).Round(time.Hour/3) != time.Hour/3 {
		t.Errorf("waiting = %v", waiting)
	}
}

// TestWhoHasLeftIsToldNothing has somebody removed between the moment at which a mail is addressed to them, and the
// one at which it is sent.
func TestWhoHasLeftIsToldNothing(t *testing.T) {
	o := open(t)
	o.exec(`
		insert into workspaces (id, name, plan) values ('01a1ee60-5f00-7c4c-8a42-3a0b923820dc', 'acme', 'operator');
		insert into users (id, email, name, confirmed_at) select gen_random_uuid(), v || '@example.com', v, now() from unnest(array['admin', 'maker', 'viewer']) v;
		insert into memberships (user_id, workspace_id, role) select id, '01a1ee60-5f00-7c4c-8a42-3a0b923820dc', case name when 'admin' then 4 else 1 end from users;
		insert into api_keys (id, lineage, workspace_id, name, prefix, hash, permission, made_by, suspended_at, suspended_until)
		select gen_random_uuid(), gen_random_uuid(), '01a1ee60-5f00-7c4c-8a42-3a0b923820dc', 'k', '', '', 1, id, now(), now() + interval '1 hour' from users where name = 'maker'`)
	recipients := func() (names []string) {
		t.Helper()
		for _, name := range []string{"admin", "maker", "viewer"} {
			m := people.Mail{Kind: people.MailSuspension, Recipient: name + "@example.com"}
			if err := o.conn.QueryRow(t.Context(), `select id from workspaces`).Scan(&m.About); err != nil {
				t.Fatal(err)
			}
			_, found, err := o.store.Letter(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if found {
				names = append(names, name)
			}
		}
		return names
	}
	if got := recipients(); !slices.Equal(got, []string{"admin", "maker"}) {
		t.Errorf("told %v", got)
	}
	o.exec(`delete from memberships where user_id in (select id from users where name <> 'viewer')`)
	if got := recipients(); got != nil {
		t.Errorf("told %v, who have left", got)
	}
}
