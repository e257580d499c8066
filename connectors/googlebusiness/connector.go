package googlebusiness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/google"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of the APIs, as they are called in metrics and logs.
const (
	opCreatePost = "POST /v4/{location}/localPosts"
	opListPosts  = "GET /v4/{location}/localPosts"
	opPost       = "GET /v4/{location}/localPosts/{post}"
	opLocation   = "GET /v1/locations/{location}"
	opAccounts   = "GET /v1/accounts"
	opLocations  = "GET /v1/{account}/locations"
)

// The hosts of the APIs; a Config.Base stands for all of them.
const (
	postsHost       = "https://mybusiness.googleapis.com"
	accountsHost    = "https://mybusinessaccountmanagement.googleapis.com"
	informationHost = "https://mybusinessbusinessinformation.googleapis.com"
)

const platform connectors.Answerer = "Google"

// Connector publishes local posts. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client                       *connectors.Client
	posts, accounts, information string // addresses of the APIs
	media                        media.Source
	now                          func() time.Time
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	return &Connector{
		client: c.Client, media: c.Media, now: c.Now,
		posts: cmp.Or(base, postsHost), accounts: cmp.Or(base, accountsHost), information: cmp.Or(base, informationHost),
		Flow: oauth.New(google.Dialect(schema.GoogleBusiness), c, scopes()),
	}
}

// Limits is how fast Google is called: 10 edits a minute of a profile, the burst included, and
// 300 calls a minute of the app (developers.google.com/my-business/content/limits). Each API
// counts those by itself; here they are one count.
func Limits() connectors.Limits {
	return connectors.Limits{
		connectors.Post: {Account: connectors.Rate{PerSecond: 8. / 60, Burst: 2}},
		connectors.Any:  {App: connectors.Rate{PerSecond: 240. / 60, Burst: 50}},
	}
}

// progress is what is kept of an entry once it is prepared.
type progress struct {
	Pictures []string `json:"pictures"` // addresses that Google is to fetch
}

// Prepare looks at the entry's picture, which may be made to fit.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	p := progress{Pictures: []string{}}
	for _, item := range d.Media {
		inspected, err := media.Inspect(ctx, c.media, item, Constraints().Of(d))
		if err != nil {
			return schema.Progress{}, err
		}
		p.Pictures = append(p.Pictures, inspected.URL)
	}
	state, err := json.Marshal(p)
	if err != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", err)
	}
	return schema.Progress{State: state, Ready: true}, nil
}

// progressOf returns what a delivery kept; pictures of one that was not prepared are as they
// were asked for.
func progressOf(d schema.Delivery) (p progress, err error) {
	if len(d.Progress) == 0 {
		for _, item := range d.Media {
			p.Pictures = append(p.Pictures, item.URL)
		}
		return p, nil
	}
	return connectors.ProgressOf[progress](d)
}

// Publish creates the local post. Google may go on to look at it before it shows it: the
// receipt is open then, and Find closes it.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	place, err := placeOf(d.Credentials)
	if err != nil {
		return schema.Receipt{}, err
	}
	body, err := postOf(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	call := c.call(d.Account, d.Credentials, c.posts+"/v4/"+place.name()+"/localPosts", opCreatePost)
	call.Method, call.JSON = http.MethodPost, body
	call.Visible, call.Kind, call.Reservation = true, connectors.Post, d.Reservation
	var created storedPost
	if _, err := c.client.Do(ctx, call, &created); err != nil {
		return schema.Receipt{}, fmt.Errorf("creating local post: %w", err)
	}
	if created.id() == "" {
		return schema.Receipt{}, platform.Unnamed("local post")
	}
	if created.State == stateRejected {
		return schema.Receipt{}, errRejected()
	}
	return c.receipt(d, created), nil
}

// receipt is what is known of a local post.
func (c *Connector) receipt(d schema.Delivery, p storedPost) schema.Receipt {
	at := p.CreateTime
	if at.IsZero() {
		at = c.now()
	}
	return schema.Receipt{Entry: d.Entry, NativeID: p.id(), URL: webURL(p.SearchURL), PostedAt: at.UTC(), Open: p.isLookedAt()}
}

// Comment is refused: nobody comments on local posts.
func (c *Connector) Comment(context.Context, schema.Delivery) (schema.Receipt, error) {
	return schema.Receipt{}, connectors.Refuse("Google Business Profile takes no comments")
}

func (c *Connector) call(a schema.Account, credentials schema.Credentials, address, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: http.MethodGet, URL: address, Token: credentials.AccessToken, Account: a.ID,
	}
}

// scopes is what people are asked for. All locations of a person have the same refresh token, and each
// trades it for an access token of its own.
func scopes() connectors.Scopes {
	return connectors.Scopes{Publish: []string{"https://www.googleapis.com/auth/business.manage"}}
}
