package pinterest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreatePin   = "POST /pins"
	opPin         = "GET /pins/{id}"
	opRegister    = "POST /media"
	opUpload      = "POST upload_url"
	opMedia       = "GET /media/{id}"
	opBoards      = "GET /boards"
	opBoard       = "GET /boards/{id}"
	opBoardPins   = "GET /boards/{id}/pins"
	opSections    = "GET /boards/{id}/sections"
	opSectionPins = "GET /boards/{id}/sections/{id}/pins"
	opToken       = "POST /oauth/token"
)

// The platform's own addresses; a Config.Base stands for both.
const (
	apiHost = "https://api.pinterest.com"
	webHost = "https://www.pinterest.com"
)

const version = "/v5"

const platform connectors.Answerer = "Pinterest"

// Connector publishes to Pinterest. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client   *connectors.Client
	api, web string
	media    media.Source
	now      func() time.Time
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	return &Connector{
		client: c.Client, api: cmp.Or(base, apiHost), web: cmp.Or(base, webHost),
		Flow: oauth.New(dialect(), c, scopes()), media: c.Media, now: c.Now,
	}
}

// Publish creates the pin of an entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Receipt{}, err
	}
	to, isOwn, err := destinationOf(d, s)
	if err != nil {
		return schema.Receipt{}, err
	}
	assets, err := assetsOf(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/pins", opCreatePin).Publishing(d)
	call.JSON = pinOf(d, s, to, assets)
	var pin connectors.Created
	response, err := c.client.Do(ctx, call, &pin)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("creating pin: %w", ofPin(response, err, isOwn, assets))
	}
	if pin.ID == "" {
		return schema.Receipt{}, platform.Unnamed("pin")
	}
	return schema.Receipt{Entry: d.Entry, NativeID: pin.ID, URL: c.address(pin.ID), PostedAt: c.now().UTC()}, nil
}

// Comment refuses: the API knows no comments.
func (c *Connector) Comment(context.Context, schema.Delivery) (schema.Receipt, error) {
	return schema.Receipt{}, connectors.Refuse("Pinterest takes no comments")
}

// address is where a pin is shown.
func (c *Connector) address(id string) string { return c.web + "/pin/" + id + "/" }

func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.api + version + path, Token: credentials.AccessToken, Account: a.ID,
	}
}

func (c *Connector) look(a schema.Account, credentials schema.Credentials, path, operation string) connectors.Call {
	call := c.call(a, credentials, http.MethodGet, path, operation)
	call.Kind = connectors.Status
	return call
}
