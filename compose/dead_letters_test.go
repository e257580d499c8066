package compose_test

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded"
	"crier/pipeline/stream"
	"crier/schema"
)

// poisoned is a crier whose log is written to past it.
type poisoned struct {
	*world
	log *stream.Log
}

func newPoisoned(t *testing.T) *poisoned {
	t.Helper()
	w := newWorld(t, nil)
	parts, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		t.Fatal(err)
	}
	p := &poisoned{world: w}
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
	p.eventually(30*time.Second, "each is a dead letter", func() bool { return count() == planted })
	for _, stage := range schema.Stages() {
		want := fmt.Sprint(len(p.letters()[stage]))
		p.eventually(10*time.Second, "the gauge of "+stage+" shows "+want, func() bool { return p.gauge(stage) == want })
	}
	one := p.letters()[schema.TopicPublish][0]
	if n, err := compose.ReplayDeadLetters(t.Context(), p.operator(), []schema.DeadLetterID{one.ID}); err != nil || n != 1 {
		t.Fatalf("replayed %d, %v", n, err)
	}
	p.eventually(60*time.Second, "it was written to the log again, and is dead again", func() bool {
		return count() == planted && slices.ContainsFunc(p.letters()[schema.TopicPublish], func(l schema.DeadLetter) bool {
			return l.Subject == one.Subject && l.FailedAt.After(one.FailedAt)
		})
	})
}
