package posts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestAKeyIsUsedOnce(t *testing.T) {
	f := newFixture(t)
	const n = 50
	type answer struct {
		response string
		err      error
	}
	answers := make(chan answer, n)
	for i := range n {
		go func() {
			c := schema.Creation{
				Idempotency: &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{1}},
				Posts:       []schema.Post{f.Post(1, time.Hour)}, Response: []byte(fmt.Sprint("answer ", i)),
			}
			created, err := f.Gateway.Create(context.WithoutCancel(t.Context()), c)
			answers <- answer{string(created.Response), err}
		}()
	}
	seen := map[string]int{}
	for range n {
		a := <-answers
		if a.err != nil {
			t.Fatal(a.err)
		}
		seen[a.response]++
	}
	if len(seen) != 1 || len(f.Jobs()) != 1 {
		t.Fatalf("answers %v, %d posts; want one of each", seen, len(f.Jobs()))
	}
	_, err := f.Gateway.Create(t.Context(), schema.Creation{
		Idempotency: &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{2}}, Response: []byte("x"),
		Posts: []schema.Post{f.Post(1, time.Hour)},
	})
	postgrestest.WantKind(t, err, schema.IdempotencyConflict)
}

func TestNothingIsMadeOnceTheTimeOfARequestIsOver(t *testing.T) {
	f := newFixture(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Gateway.Create(over, schema.Creation{Posts: []schema.Post{f.Post(1, time.Hour)}})
	postgrestest.WantKind(t, err, schema.Unavailable)
	_, err = f.Gateway.Create(t.Context(), schema.Creation{Posts: []schema.Post{f.Post(1, time.Hour)}}) // behind it, if it was queued
	f.Must(err)
	if n := len(f.Jobs()); n != 1 {
		t.Errorf("%d posts, want the second", n)
	}
}
