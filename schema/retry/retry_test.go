package retry_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"crier/schema/documenttest"
	"crier/schema/retry"
	"crier/schema/wording"
)

func TestWaitsGrowUpToTheLongest(t *testing.T) {
	for name, tt := range map[string]struct {
		failures int
		random   float64
		want     time.Duration
	}{
		"the first":              {0, .5, 2 * time.Second},
		"twice as long":          {1, .5, 4 * time.Second},
		"the longest":            {8, .5, 5 * time.Minute},
		"of any number":          {1 << 40, .5, 5 * time.Minute},
		"a quarter less at most": {0, 0, 1500 * time.Millisecond},
		"a quarter more at most": {0, 1, 2500 * time.Millisecond},
	} {
		if got := retry.Entry.Wait(tt.failures, tt.random); got != tt.want {
			t.Errorf("%s: Wait = %v, want %v", name, got, tt.want)
		}
	}
}

func TestNoPolicyBeginsBeyondItsLongestWait(t *testing.T) {
	for _, p := range retry.Policies() {
		if p.First > p.Cap {
			t.Errorf("%s: the first wait is %v, and the longest %v", p.Of, p.First, p.Cap)
		}
	}
}

// TestRetriesOfTheDocument holds the table of docs/retries.md against the policies; -update writes it.
func TestRetriesOfTheDocument(t *testing.T) {
	var table strings.Builder
	table.WriteString("| what | first wait | factor | longest wait | tries | jitter |\n|---|---|---|---|---|---|\n")
	for _, p := range retry.Policies() {
		tries, jitter := "until it succeeds", "none"
		if p.Tries > 0 {
			tries = fmt.Sprint(p.Tries)
		}
		if p.Jitter > 0 {
			jitter = fmt.Sprintf("± %.0f %%", 100*p.Jitter)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %s | %s | %s |\n", p.Of, wording.Duration(p.First), p.Factor, wording.Duration(p.Cap), tries, jitter)
	}
	documenttest.Hold(t, "../../docs/retries.md", documenttest.Part{
		Begin: "<!-- policies: made from the code -->\n", End: "<!-- end of policies -->", Text: table.String(),
	})
}

// TestRetriesOfWebhooksAreSaidOnce holds the API's description and the document against the policy: what receivers
// are promised stands once in each.
func TestRetriesOfWebhooksAreSaidOnce(t *testing.T) {
	var waits []string
	for failures := range retry.Delivery.Tries - 1 {
		waits = append(waits, fmt.Sprint(retry.Delivery.Wait(failures, .5).Seconds()))
	}
	last := len(waits) - 1
	promise := strings.Join(waits[:last], ", ") + " and " + waits[last] + " seconds"
	for _, file := range []string{"../openapi/openapi.yaml", "../../docs/webhooks.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), promise); n != 1 {
			t.Errorf("%s says %q %d times, want once", file, promise, n)
		}
	}
}
