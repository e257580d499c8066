package compose_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

// What the kills interrupt: posts to three platforms each, and how many kills.
var (
	killedPosts = bySize(240, 3000)
	kills       = bySize(4, 30)
	// flowsAgain is how soon after the killed part answers again a new post is published.
	flowsAgain = bySize(20*time.Second, 5*time.Second)
)

// testKafka is the broker of make test-kafka, emptied: what another test has told there is of another
// installation, and no process of this one would start on it. None: the embedded log.
func testKafka(t *testing.T) []string {
	t.Helper()
	address := os.Getenv("CRIER_TEST_KAFKA")
	if address == "" {
		return nil
	}
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(address), Timeout: 10 * time.Second, Transport: transport}
	names := make([]string, 0, len(schema.Topics()))
	for _, topic := range schema.Topics() {
		names = append(names, topic.Name)
	}
	(&world{T: t}).eventually(30*time.Second, "the topics of earlier tests are gone", func() bool {
		answer, err := client.DeleteTopics(t.Context(), &kafka.DeleteTopicsRequest{Topics: names})
		return err == nil && !slices.ContainsFunc(names, func(name string) bool {
			return !errors.Is(answer.Errors[name], kafka.UnknownTopicOrPartition)
		})
	})
	return []string{address}
}

func TestKillsLoseAndRepeatNothing(t *testing.T) {
	besideOthers(t)
	w := newWorldWith(t, childConfig{Kafka: testKafka(t), Raced: true})
	w.surviveKills(w.victims())
}

// victims returns the part that each kill is for: crier, PostgreSQL and the log in turn.
// Apache Kafka loses its data once, the embedded log each time.
func (w *world) victims() []victim {
	var log, wiped victim
	if w.config.Kafka != nil {
		log, wiped = w.kafkaVictims()
	} else {
		log = w.emptiedLogVictim()
		wiped = log
	}
	var all []victim
	for len(all) < kills-1 {
		all = append(all, w.crierVictim(), w.postgresVictim(), log)
	}
	return append(all[:kills-1], wiped)
}

// surviveKills sends posts all the time and kills one part after the other at random
// moments. Every post that was acknowledged is there exactly once in the end; a new post
// flows soon after the killed part answers again.
func (w *world) surviveKills(victims []victim) {
	seed := seedOfTest(w.T)
	moments := rand.New(rand.NewPCG(seed, 0))
	hook := w.receive("post.published", "post.failed")
	a := w.newAgency(killedPosts)
	probe := w.connect(schema.Mastodon, killedPosts/postsPerAccount+2)[killedPosts/postsPerAccount+1]
	var flows []time.Duration
	ran := sleeptest.Stopwatch(w)
	for k := range kills {
		const round = 3 * time.Second
		sending := a.batch(k*killedPosts/kills, (k+1)*killedPosts/kills, round, round)
		time.Sleep(time.Duration(moments.Int64N(int64(round))))
		v := victims[k]
		killed := time.Now()
		v.kill()
		w.awaitAnswer(v)
		back, answers := time.Now(), ran()
		w.publishNow(probe, fmt.Sprintf("probe %02d", k))
		flows = append(flows, ran()-answers)
		w.Logf("kill %d: %s answers after %v, a new post is published %v later", k, v.name,
			back.Sub(killed).Round(time.Millisecond), flows[k].Round(time.Millisecond))
		sending.Wait()
	}
	a.awaitDone(3 * time.Minute)
	unknown := w.checkOnce(a.ids)
	w.Logf("%d posts, %d kills: nothing lost, nothing twice; %d of %d telegram targets ended as outcome_unknown; new work flows after %v at most",
		len(a.ids), kills, unknown, len(a.ids), slices.Max(flows).Round(time.Millisecond))
	if worst := slices.Max(flows); worst > flowsAgain {
		w.Errorf("new work flowed only %v after the part answered, want %v", worst, flowsAgain)
	}
	w.checkNoStrays()
	w.checkEvents(a.ids, hook, len(a.ids)*len(platformsInTests)+kills)
}

// seedOfTest is the seed that CRIER_TEST_SEED names, or one of this run.
func seedOfTest(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("CRIER_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CRIER_TEST_SEED=%d repeats the moments of this run", seed)
	return seed
}

// publishNow publishes a post at once and waits until it is there.
func (w *world) publishNow(account schema.AccountID, text string) {
	w.Helper()
	body := map[string]any{
		"content": text, "publishNow": true,
		"platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
	}
	id, status := w.acknowledge(text, body)
	if id == "" {
		w.Fatalf("creating %q: %d", text, status)
	}
	w.eventually(90*time.Second, text+" is published", func() bool { return w.done([]string{id}) })
}
