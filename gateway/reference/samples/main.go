// The samples of the reference in Go, as one program that a test runs: a file a resource. Each begins at
// its line "sample", which names the operations that it shows, and ends at the next or at "end".
package main

import (
	"context"
	"errors"
	"log"
	"os"

	"crier/client"
)

func main() {
	ctx, c := context.Background(), client.New(os.Getenv("CRIER_KEY"), client.WithServer(os.Getenv("CRIER_URL")))
	id := posts(ctx, c)
	wrong(ctx, c)
	attempts(ctx, c, id)
	threads(ctx, c)
	accounts(ctx, c)
	queues(ctx, c)
	media(ctx, c)
	webhooks(ctx, c)
	monitors(ctx, c)
	engagement(ctx, c)
	figures(ctx, c)
	keys(ctx, c)
}

// check ends the program with what went wrong.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// refused is for what crier refuses in the state that this program has it in.
func refused(err error) {
	if _, ok := errors.AsType[*client.Error](err); !ok {
		log.Fatalf("%v, want a refusal", err)
	}
}
