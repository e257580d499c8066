package stripe

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// apiURL is where Stripe's API is.
const apiURL = "https://api.stripe.com"

// Config is what a Client is made of; every field but BaseURL is required.
type Config struct {
	Key           string            // secret, sk_… or rk_…
	WebhookSecret string            // of the endpoint that Stripe sends notices to, whsec_…
	Prices        map[string]string // of each plan that is sold, price_…, by the plan's name
	SuccessURL    string            // where those who have paid land
	CancelURL     string            // where those who turn back land
	BaseURL       string            // Stripe's own when empty

	HTTP   *http.Client
	Now    func() time.Time
	Logger *slog.Logger
}

// Client sells plans by Stripe. It is safe for concurrent use.
type Client struct {
	config        Config
	plans         map[string]string // by their prices
	unknownPrices sync.Map          // those that were logged
}

// New makes a Client, and refuses a configuration that would take money in vain.
func New(config Config) (*Client, error) {
	switch {
	case config.Key == "":
		return nil, errors.New("a key of Stripe is required where plans have prices or a webhook secret is given")
	case config.WebhookSecret == "":
		return nil, errors.New("a secret of Stripe's webhook is required: without it no payment would change a plan")
	case len(config.Prices) == 0:
		return nil, errors.New("the prices of plans are required where there is a key of Stripe")
	}
	plans := make(map[string]string, len(config.Prices))
	for plan, price := range config.Prices {
		if plan == "" || price == "" {
			return nil, fmt.Errorf("the price %q of the plan %q is incomplete", price, plan)
		}
		if other, taken := plans[price]; taken {
			return nil, fmt.Errorf("the plans %q and %q have one price, %q, which must tell a plan", min(plan, other), max(plan, other), price)
		}
		plans[price] = plan
	}
	if config.BaseURL == "" {
		config.BaseURL = apiURL
	}
	return &Client{config: config, plans: plans}, nil
}

// Sells reports whether a plan has a price.
func (s *Client) Sells(plan string) bool { return s.config.Prices[plan] != "" }
