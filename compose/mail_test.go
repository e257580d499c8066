package compose_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/pipeline/mail"
	"crier/pipeline/mail/mailtest"
	"crier/schema"
	"crier/schema/people"
)

// post is a mailbox and a crier that sends its mail there.
type post struct {
	*world
	box *mailtest.Mailbox
}

// came waits for the nth mail to somebody whose subject begins so, and returns it.
func (p *post) came(n int, to, subject string) mailtest.Mail {
	p.Helper()
	var found []mailtest.Mail
	p.eventually(time.Minute, subject+" comes to "+to, func() bool {
		found = nil
		for _, m := range p.box.To(to) {
			if strings.HasPrefix(m.Subject, subject) {
				found = append(found, m)
			}
		}
		return len(found) >= n
	})
	if len(found) > n {
		p.Errorf("%q came %d times to %s", subject, len(found), to)
	}
	return found[n-1]
}

// exec changes rows, so that nobody has to wait for an hour.
func (p *post) exec(sql string) {
	p.Helper()
	conn, err := p.tryPostgres(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(p.Context())
	if _, err := conn.Exec(p.Context(), sql); err != nil {
		p.Fatal(err)
	}
}

var linkToken = regexp.MustCompile(`#([\w-]{43})\n`)

// tokenOf is that of the link in a mail.
func (p *post) tokenOf(m mailtest.Mail) string {
	p.Helper()
	found := linkToken.FindStringSubmatch(m.Text)
	if found == nil {
		p.Fatalf("no link in\n%s", m.Text)
	}
	return found[1]
}

func TestMailArrives(t *testing.T) {
	t.Parallel()
	p := &post{box: mailtest.Open(t, mailtest.Options{})}
	p.world = newWorldWith(t, childConfig{Mail: &mail.Server{Address: p.box.Address, Security: mail.Unsecured, From: "crier <crier@example.com>"}})
	ada := p.member("ada", people.Owner)

	ada.want(http.StatusCreated, http.MethodPost, "/invitations", map[string]any{"email": "bob@example.com", "role": "editor"}, nil)
	invited := p.came(1, "bob@example.com", "Invitation to acme")
	bob := p.somebody()
	bob.want(http.StatusCreated, http.MethodPost, "/invitations/accept", map[string]any{"token": p.tokenOf(invited), "name": "Bob", "password": words}, nil)
	var session struct {
		Session struct {
			User struct{ IsEmailConfirmed bool }
		}
	}
	bob.want(http.StatusOK, http.MethodGet, "/session", nil, &session)
	if !session.Session.User.IsEmailConfirmed {
		t.Error("whoever got the mail has not proven the address")
	}

	p.somebody().want(http.StatusAccepted, http.MethodPost, "/session/reset", map[string]any{"email": "bob@example.com"}, nil)
	reset := map[string]any{"token": p.tokenOf(p.came(1, "bob@example.com", "Your link")), "password": words + " anew"}
	bob.want(http.StatusCreated, http.MethodPost, "/session/link", reset, nil)
	p.somebody().want(http.StatusUnauthorized, http.MethodPost, "/session/link", reset, nil)

	// The server of mail is away meanwhile.
	address := p.box.Address
	p.box.Close()
	accounts := p.connect(schema.Mastodon, 2)
	p.end(&endedAccount{platform: schema.Mastodon, id: accounts[1]}, string(simulation.Revoked))
	p.publishNow(accounts[1], "gone")
	p.eventually(time.Minute, "what happened is noted", func() bool { return p.noted() == 2 })
	p.exec(`update mails set due_at = now() where recipient = ''`)
	p.eventually(time.Minute, "the server of mail is asked in vain", p.isRetried)
	p.box = mailtest.Open(t, mailtest.Options{Address: address})
	p.exec(`update mails set due_at = now() where due_at is not null`)
	failed := p.came(1, "ada@example.com", "Posts of acme failed")
	if !strings.Contains(failed.Text, "on mastodon") || !strings.Contains(failed.Text, "/posts/post_") {
		t.Errorf("it says\n%s", failed.Text)
	}
	p.came(1, "bob@example.com", "Posts of acme failed") // an editor
	p.came(1, "ada@example.com", "Accounts of acme have to be connected again")

	// Within the hour nothing more comes of it, and later not to whoever wants none.
	response, err := http.Post(strings.Trim(failed.Header.Get("List-Unsubscribe"), "<>"), "application/x-www-form-urlencoded", strings.NewReader("List-Unsubscribe=One-Click"))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("unsubscribing: %v, %v", response, err)
	}
	response.Body.Close()
	p.publishNow(accounts[0], "[crier:refused]")
	p.eventually(time.Minute, "the next mail waits for its hour", func() bool { return p.noted() == 1 })
	p.exec(`update mails set sent_at = sent_at - interval '1 hour', due_at = due_at - interval '1 hour' where kind = 5`)
	p.came(2, "bob@example.com", "Posts of acme failed")
	if n := len(p.box.To("ada@example.com")); n != 2 {
		t.Errorf("whoever wants no more has got %d mails", n)
	}
}

var retried = regexp.MustCompile(`(?m)^crier_mails_total\{.*outcome="retried"\} [1-9]`)

// isRetried reports whether a mail was tried in vain.
func (p *post) isRetried() bool {
	response, err := p.client.Get("http://" + p.config.Admin + "/metrics")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return err == nil && retried.Match(text)
}

// noted is how many notes for members wait.
func (p *post) noted() (n int) {
	p.Helper()
	conn, err := p.tryPostgres(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(p.Context())
	if err := conn.QueryRow(p.Context(), `select count(*) from mails where recipient = '' and due_at is not null`).Scan(&n); err != nil {
		p.Fatal(err)
	}
	return n
}

func (p *post) publishNow(account schema.AccountID, text string) {
	p.Helper()
	body := map[string]any{"content": text, "publishNow": true, "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}}}
	if status := p.call(http.MethodPost, "/posts", body, nil); status != http.StatusCreated {
		p.Fatalf("creating a post: %d", status)
	}
}
