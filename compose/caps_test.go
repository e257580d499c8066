package compose_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/schema"
	"crier/schema/postgres"
)

const (
	racedCap      = 20 // twitter's posts a day
	racedGateways = 4
	racedClients  = 8
)

// capKills is how many processes are killed while clients race for the last posts.
var capKills = bySize(5, 40)

// capRace is an account whose posts are bounded, and the processes that keep the bound.
type capRace struct {
	*world
	gateways []*world
	account  schema.AccountID
	days     []time.Time // noon of each day that is raced for
}

func TestADailyCapHoldsWhoeverRacesAndDies(t *testing.T) {
	besideOthers(t)
	w := newWorld(t, testKafka(t))
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: racedClients}
	today := schema.DayOf(time.Now())
	r := &capRace{world: w, account: w.addTwitterAccount(), days: []time.Time{today.AddDate(0, 0, 3).Add(12 * time.Hour), today.AddDate(0, 0, 4).Add(12 * time.Hour)}}
	for range racedGateways {
		r.gateways = append(r.gateways, w.newGateway())
	}
	seed := seedOfTest(t)
	clients := make([]*capClient, racedClients)
	over := make(chan struct{})
	var racing sync.WaitGroup
	for i := range clients {
		clients[i] = &capClient{capRace: r, name: i, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		racing.Go(func() { clients[i].race(over) })
	}
	racing.Go(func() { r.watch(over) })
	r.killInTurn(rand.New(rand.NewPCG(seed, racedClients)))
	close(over)
	racing.Wait()
	r.checkUsable(clients)
}

// newGateway starts another process of the API beside the world's crier.
func (w *world) newGateway() *world {
	w.Helper()
	running, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		w.Fatal(err)
	}
	g := *w
	g.config.Role, g.config.Keyset = "gateway", w.config.Data+"/keyset.json"
	g.config.Listen, g.config.Admin, g.config.Data = freeAddress(w.T), freeAddress(w.T), openDir(w.T)
	g.config.Postgres, g.config.ClickHouse = running.Postgres, running.ClickHouse
	if g.config.Kafka == nil {
		g.config.Kafka = []string{running.Log}
	}
	g.start()
	return &g
}

// addTwitterAccount stores an account that nothing is published to.
func (w *world) addTwitterAccount() schema.AccountID {
	w.Helper()
	running, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		w.Fatal(err)
	}
	store, err := postgres.Open(w.Context(), postgres.Config{URL: running.Postgres, MaxConns: 2, Logger: w.operator().Logger})
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close()
	admin := postgres.NewAdmin(store)
	workspace, err := admin.Workspace(w.Context(), w.workspace)
	if err != nil {
		w.Fatal(err)
	}
	a := schema.Account{Workspace: workspace.ID, Platform: schema.Twitter, NativeID: "1", Name: "@raced", Sealed: []byte{}}
	if a.ID, err = admin.AccountID(w.Context(), a); err != nil {
		w.Fatal(err)
	}
	if err := admin.PutAccount(w.Context(), a); err != nil {
		w.Fatal(err)
	}
	return a.ID
}

// killInTurn kills the gateways at random moments, and PostgreSQL after each of them was.
func (r *capRace) killInTurn(random *rand.Rand) {
	for k := range capKills {
		time.Sleep(time.Duration(300+random.IntN(900)) * time.Millisecond)
		v := r.postgresVictim()
		if k%(racedGateways+1) < racedGateways {
			v = r.gateways[k%racedGateways].crierVictim()
		}
		v.kill()
		r.awaitAnswer(v)
	}
	time.Sleep(time.Second)
}

// watch counts each day's posts all the time.
func (r *capRace) watch(over <-chan struct{}) {
	looks := 0
	for ; !isClosed(over); time.Sleep(5 * time.Millisecond) {
		scheduled, err := r.scheduled()
		if err != nil {
			continue // PostgreSQL was killed
		}
		looks++
		for day, posts := range scheduled {
			if len(posts) > racedCap {
				r.Errorf("%d posts stand on %s", len(posts), day)
			}
		}
	}
	r.Logf("looked %d times", looks)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// scheduled returns the posts that stand in the database, by day.
func (r *capRace) scheduled() (map[string][]string, error) {
	conn, err := r.tryPostgres(r.Context())
	if err != nil {
		return nil, err
	}
	defer conn.Close(r.Context())
	rows, err := conn.Query(r.Context(), `
		select p.id, (p.scheduled_for at time zone 'UTC')::date::text
		from posts p join targets t on t.post_id = p.id
		where t.account_id = $1 and p.status = $2`, r.account, int16(schema.Scheduled))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	posts := map[string][]string{}
	for rows.Next() {
		var id schema.PostID
		var day string
		if err := rows.Scan((*[16]byte)(&id), &day); err != nil {
			return nil, err
		}
		posts[day] = append(posts[day], id.String())
	}
	return posts, rows.Err()
}

// checkUsable takes what is left of each day: all of the cap can be used, and no more;
// what stands there is what was acknowledged.
func (r *capRace) checkUsable(clients []*capClient) {
	r.Helper()
	var known []string
	for _, c := range clients {
		known = append(known, c.posts...)
		r.Logf("client %d: %d created, %d moved, %d cancelled, %d refused", c.name, c.created, c.moved, c.cancelled, c.refused)
	}
	left := &capClient{capRace: r, name: len(clients), random: rand.New(rand.NewPCG(0, 0))}
	for _, day := range r.days {
		for before := -1; before < left.created; {
			before = left.created
			left.create(day)
		}
	}
	known = append(known, left.posts...)
	scheduled, err := r.scheduled()
	if err != nil {
		r.Fatal(err)
	}
	var there []string
	for _, day := range r.days {
		posts := scheduled[day.Format(time.DateOnly)]
		if len(posts) != racedCap {
			r.Errorf("%d posts of %d could be used on %s", len(posts), racedCap, day.Format(time.DateOnly))
		}
		there = append(there, posts...)
	}
	slices.Sort(known)
	slices.Sort(there)
	if !slices.Equal(known, there) {
		r.Errorf("acknowledged are\n%v, there are\n%v", known, there)
	}
}

// capClient creates, moves and cancels posts of one account and sends each request
// again, to any gateway, until it is answered.
type capClient struct {
	*capRace
	name   int
	random *rand.Rand
	posts  []string // that were acknowledged and not cancelled

	created, moved, cancelled, refused int
}

func (c *capClient) race(over <-chan struct{}) {
	for !isClosed(over) {
		switch action := c.random.IntN(5); {
		case len(c.posts) > 0 && action == 0:
			c.cancel(c.random.IntN(len(c.posts)))
		case len(c.posts) > 0 && action == 1:
			c.move(c.posts[c.random.IntN(len(c.posts))])
		default:
			c.create(c.days[c.random.IntN(len(c.days))])
		}
	}
}

func (c *capClient) create(day time.Time) {
	text := fmt.Sprintf("client %d, request %d", c.name, c.created+c.refused)
	answer, status := c.insist(http.MethodPost, "/posts", text, map[string]any{
		"content": text, "scheduledFor": day.Format(time.RFC3339),
		"platforms": []map[string]any{{"platform": "twitter", "accountId": c.account.String()}},
	})
	switch status {
	case http.StatusCreated:
		c.created++
		c.posts = append(c.posts, answer.Post.ID)
	case http.StatusTooManyRequests:
		c.refused++
	default:
		c.Errorf("creating %q: %d", text, status)
	}
}

func (c *capClient) move(post string) {
	day := c.days[c.random.IntN(len(c.days))]
	_, status := c.insist(http.MethodPatch, "/posts/"+post, "", map[string]any{"scheduledFor": day.Format(time.RFC3339)})
	switch status {
	case http.StatusOK:
		c.moved++
	case http.StatusTooManyRequests:
		c.refused++
	default:
		c.Errorf("moving a post: %d", status)
	}
}

// cancel cancels a post. A 400 says that a cancel whose answer was lost took place.
func (c *capClient) cancel(i int) {
	_, status := c.insist(http.MethodDelete, "/posts/"+c.posts[i], "", nil)
	if status != http.StatusOK && status != http.StatusBadRequest {
		c.Errorf("cancelling a post: %d", status)
	}
	c.cancelled++
	c.posts = slices.Delete(c.posts, i, i+1)
}

// insist sends a request until it is answered by more than "not now".
func (c *capClient) insist(method, path, key string, body any) (answer postAnswer, status int) {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		gateway := c.gateways[c.random.IntN(len(c.gateways))]
		status, err := gateway.tryRequest(method, path, key, body, &answer)
		if err == nil && status != http.StatusServiceUnavailable {
			return answer, status
		}
	}
	return answer, 0
}
