package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"crier/gateway/billing/stripe"
	"crier/schema"
)

const secret = "whsec_of_the_endpoint"

func config() stripe.Config {
	return stripe.Config{
		Key: "sk_test_x", WebhookSecret: secret, Prices: map[string]string{"team": "price_t"},
		SuccessURL: "https://crier.example/paid", CancelURL: "https://crier.example/back",
		HTTP: http.DefaultClient, Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Logger: slog.New(slog.DiscardHandler),
	}
}

// v1 signs as docs.stripe.com/webhooks#verify-manually says.
func v1(secret string, seconds int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", seconds, body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestSignaturesOfNotices(t *testing.T) {
	client, err := stripe.New(config())
	if err != nil {
		t.Fatal(err)
	}
	const now, body = 1_800_000_000, `{"type": "invoice.paid"}`
	header := func(seconds int64, signatures ...string) string {
		text := fmt.Sprintf("t=%d", seconds)
		for _, s := range signatures {
			text += ",v1=" + s
		}
		return text
	}
	for name, tt := range map[string]struct {
		header string
		holds  bool
	}{
		"Stripe's":                       {header(now, v1(secret, now, body)), true},
		"the second, of a rolled secret": {header(now, v1("whsec_other", now, body), v1(secret, now, body)), true},
		"five minutes old":               {header(now-300, v1(secret, now-300, body)), true},
		"five minutes ahead":             {header(now+300, v1(secret, now+300, body)), true},
		"older than five minutes":        {header(now-301, v1(secret, now-301, body)), false},
		"further ahead":                  {header(now+301, v1(secret, now+301, body)), false},
		"of another time":                {header(now, v1(secret, now-1, body)), false},
		"of another body":                {header(now, v1(secret, now, body+" ")), false},
		"by another secret":              {header(now, v1("whsec_other", now, body)), false},
		"cut short":                      {header(now, v1(secret, now, body)[:62]), false},
		"of another scheme":              {fmt.Sprintf("t=%d,v0=%s", now, v1(secret, now, body)), false},
		"without a time":                 {"v1=" + v1(secret, now, body), false},
		"empty":                          {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Notice(tt.header, []byte(body))
			if (err == nil) != tt.holds {
				t.Fatalf("err = %v", err)
			}
			if err != nil && schema.KindOf(err) != schema.Invalid {
				t.Errorf("err = %v, want Invalid", err)
			}
		})
	}
}

func TestConfigurationsThatWouldTakeMoneyInVain(t *testing.T) {
	for name, change := range map[string]func(*stripe.Config){
		"no key":                        func(c *stripe.Config) { c.Key = "" },
		"no webhook secret":             func(c *stripe.Config) { c.WebhookSecret = "" },
		"no prices":                     func(c *stripe.Config) { c.Prices = nil },
		"a plan for nothing":            func(c *stripe.Config) { c.Prices = map[string]string{"team": ""} },
		"a price that may be two plans": func(c *stripe.Config) { c.Prices = map[string]string{"team": "price_t", "agency": "price_t"} },
	} {
		t.Run(name, func(t *testing.T) {
			c := config()
			change(&c)
			if _, err := stripe.New(c); err == nil {
				t.Error("it is taken")
			}
		})
	}
}
