package compose_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded"
	"crier/pipeline/stream"
	"crier/schema"
)

// poisoned is a crier whose log is written to past it.
type poisoned struct {
	*world
	log        *stream.Log
	clickhouse string // URL
}

func newPoisoned(t *testing.T) *poisoned {
	t.Helper()
	w := newWorld(t, nil)
	parts, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		t.Fatal(err)
	}
	p := &poisoned{world: w, clickhouse: parts.ClickHouse}
	p.log, err = stream.Open(t.Context(), stream.Config{
		Brokers: []string{parts.Log}, ClientID: "poison", Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.log.Close)
	return p
}

func (p *poisoned) letters() map[string][]schema.DeadLetter {
	p.Helper()
	all, err := compose.DeadLetters(p.Context(), p.operator(), schema.DeadLetterID{}, 1000)
	if err != nil {
		p.Fatal(err)
	}
	byStage := map[string][]schema.DeadLetter{}
	for _, l := range all {
		byStage[l.Stage] = append(byStage[l.Stage], l)
	}
	return byStage
}

// onClickHouse runs a statement on crier's own ClickHouse.
func (p *poisoned) onClickHouse(statement string) {
	p.Helper()
	options, err := clickhouse.ParseDSN(p.clickhouse)
	if err != nil {
		p.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(p.Context(), statement); err != nil {
		p.Fatal(err)
	}
}

// dead waits until a stage has given up on one thing, and returns it.
func (p *poisoned) dead(stage string) schema.DeadLetter {
	p.Helper()
	p.eventually(2*time.Minute, "the stage "+stage+" gives up", func() bool { return len(p.letters()[stage]) == 1 })
	return p.letters()[stage][0]
}

// replay puts one dead letter back.
func (p *poisoned) replay(l schema.DeadLetter) {
	p.Helper()
	if n, err := compose.ReplayDeadLetters(p.Context(), p.operator(), []schema.DeadLetterID{l.ID}); err != nil || n != 1 {
		p.Fatalf("replayed %d, %v", n, err)
	}
}

// gauge reads crier_dead_letters of a stage.
func (p *poisoned) gauge(stage string) string {
	p.Helper()
	response, err := p.client.Get("http://" + p.config.Admin + "/metrics")
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), `crier_dead_letters{stage="`+stage+`"} `)
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

func TestUnreadableMessagesHoldUpNothing(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	accounts := p.connect(schema.Mastodon, 12)
	planted := 0
	for _, topic := range schema.Topics() {
		for partition := range topic.Partitions {
			records := []stream.Record{
				{Value: fmt.Appendf(nil, "\xff planted in %s %d", topic.Name, partition), Partition: &partition},
				{Value: fmt.Appendf(nil, `{"version": 99, "in": "%s %d"}`, topic.Name, partition), Partition: &partition},
			}
			if err := p.log.Produce(t.Context(), topic.Name, records); err != nil {
				t.Fatal(err)
			}
			if planted += len(records); topic.Name == schema.TopicEvents {
				planted += len(records) // two stages read it
			}
		}
	}
	for n, account := range accounts {
		p.publishNow(account, fmt.Sprintf("after the poison %d", n))
	}
	count := func() (n int) {
		letters := p.letters()
		for _, stage := range schema.Stages() {
			n += len(letters[stage])
		}
		return n
	}
	p.eventually(time.Minute, "each is a dead letter", func() bool { return count() == planted })
	for _, stage := range schema.Stages() {
		want := fmt.Sprint(len(p.letters()[stage]))
		p.eventually(time.Minute, "the gauge of "+stage+" shows "+want, func() bool { return p.gauge(stage) == want })
	}
	letter := p.letters()[schema.TopicPublish][0]
	p.replay(letter)
	p.eventually(60*time.Second, "it was written to the log again, and is dead again", func() bool {
		return count() == planted && slices.ContainsFunc(p.letters()[schema.TopicPublish], func(l schema.DeadLetter) bool {
			return l.Subject == letter.Subject && l.FailedAt.After(letter.FailedAt)
		})
	})
}

func TestARowThatClickHouseRefusesIsSetAsideAlone(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	accounts := p.connect(schema.Mastodon, 3)
	p.onClickHouse(fmt.Sprintf(`alter table events add constraint planted check account <> '%s' or type <> '%s'`, uuid.UUID(accounts[1]), schema.TargetWasPosted))
	for n, account := range accounts {
		p.publishNow(account, fmt.Sprintf("counted %d", n))
	}
	p.eventually(time.Minute, "the others are counted", func() bool { return p.counted() == 2 })
	letter := p.dead(schema.StageAnalytics)
	if letter.Tries != schema.MaxFaults || !strings.HasPrefix(letter.About(), "batch_") || !strings.Contains(letter.Reason, "planted") {
		t.Errorf("the letter is about %s, after %d tries: %s", letter.About(), letter.Tries, letter.Reason)
	}
	if n := p.counted(); n != 2 {
		t.Errorf("%d are counted", n)
	}
	p.onClickHouse(`alter table events drop constraint planted`)
	p.replay(letter)
	p.eventually(time.Minute, "all are counted", func() bool { return p.counted() == 3 })
	time.Sleep(3 * time.Second) // what would be counted twice comes late
	if n, left := p.counted(), p.letters()[schema.StageAnalytics]; n != 3 || len(left) > 0 {
		t.Errorf("%d are counted, and %d are dead again", n, len(left))
	}
}

func TestARenewalThatCannotBeReadIsSetAsideAlone(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	hook := p.receive("account.error")
	soon := time.Now().Add(20 * time.Second)
	connect := func(handle string) schema.AccountID {
		return p.connectTokens(handle, schema.Credentials{AccessToken: "an.expired.token", RefreshToken: p.login(handle).RefreshJWT, ExpiresAt: soon})
	}
	row, secret, good := connect("row.bsky.test"), connect("secret.bsky.test"), connect("good.bsky.test")
	p.onPostgres(`update accounts set expires_at = 'infinity' where id = $1`, row) // no time that Go can read
	p.onPostgres(`update accounts set sealed = 'torn' where id = $1`, secret)

	p.eventually(60*time.Second, "the good one is renewed", func() bool { return p.expiry(good).After(soon) })
	p.eventually(60*time.Second, "the owner of the torn secret is told", func() bool { return hook.has("", "account.error") != "" })
	letter := p.dead(schema.TopicRefresh)
	if letter.Tries != schema.MaxFaults || letter.About() != row.String() {
		t.Errorf("the letter is about %s, after %d tries: %s", letter.About(), letter.Tries, letter.Reason)
	}
	p.onPostgres(`update accounts set expires_at = $2 where id = $1`, row, soon)
	p.replay(letter)
	p.eventually(60*time.Second, "it is renewed after the replay", func() bool { return p.expiry(row).After(soon) })
	if !p.alive() || len(p.letters()[schema.TopicRefresh]) > 0 {
		t.Error("it is dead again, or crier is")
	}
	var read struct{ Account struct{ NeedsReconnect bool } }
	for account, want := range map[schema.AccountID]bool{row: false, secret: true, good: false} {
		if p.call(http.MethodGet, "/accounts/"+account.String(), nil, &read); read.Account.NeedsReconnect != want {
			t.Errorf("%s needs to be connected again: %t", account, !want)
		}
	}
}

// onPostgres changes what crier has stored.
func (p *poisoned) onPostgres(sql string, args ...any) {
	p.Helper()
	conn, err := p.tryPostgres(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(p.Context())
	if _, err := conn.Exec(p.Context(), sql, args...); err != nil {
		p.Fatal(err)
	}
}
