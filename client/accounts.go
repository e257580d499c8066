package client

import (
	"context"

	"crier/client/internal/api"
)

type (
	// Account is a connected account.
	Account = api.Account
	// AccountUpdate changes an account: what is nil stays as it is; a BrandID of "" takes it out
	// of its brand.
	AccountUpdate = api.AccountUpdate
	// AccountPause is a pause of an account.
	AccountPause = api.AccountPause
	// AccountHealth is whether an account works, as its platform says.
	AccountHealth = api.AccountHealth
	// AccountProblem is what is wrong with an account.
	AccountProblem = api.AccountProblem
	// ConnectWay is how accounts of a platform are connected.
	ConnectWay = api.ConnectWay
	// Consent is the page on which a person consents, and until when.
	Consent = api.ConnectBegunResponse
	// Entity is a page, board or the like that a person may choose to connect.
	Entity = api.Entity
	// EntitiesSelection is what a person has chosen.
	EntitiesSelection = api.EntitiesSelection
)

// AccountService connects accounts and says whether they work. Connecting needs a key with the
// permission Admin.
type AccountService struct{ api *caller }

// AccountFilter selects accounts; what is zero selects all.
type AccountFilter struct {
	Platform Platform
	BrandID  string
}

// List returns the connected accounts.
func (a *AccountService) List(ctx context.Context, filter AccountFilter) ([]Account, error) {
	return part(func(r *api.AccountsResponse) []Account { return r.Accounts })(
		a.api.get(ctx, &api.ListAccountsParams{Platform: optional(filter.Platform), BrandID: optional(filter.BrandID)}, "accounts"))
}

// Get reads an account.
func (a *AccountService) Get(ctx context.Context, id string) (*Account, error) {
	return part(accountOf)(a.api.get(ctx, nil, "accounts", id))
}

// Update puts an account into a brand, takes it out of one, or names it.
func (a *AccountService) Update(ctx context.Context, id string, change AccountUpdate) (*Account, error) {
	body := map[string]any{}
	if change.Name != nil {
		body["name"] = *change.Name
	}
	if change.BrandID != nil {
		body["brandId"] = optional(*change.BrandID) // null takes it out
	}
	return part(accountOf)(a.api.patch(ctx, body, "accounts", id))
}

// Disconnect ends an account: its credentials are erased, and its posts fail.
func (a *AccountService) Disconnect(ctx context.Context, id string) error {
	return done(a.api.delete(ctx, "accounts", id))
}

// Pause holds what goes out on an account until Resume; the reason may be empty. What is more than a day late then ends as
// missed_deadline.
func (a *AccountService) Pause(ctx context.Context, id, reason string) (*Account, error) {
	return part(accountOf)(a.api.post(repeatable(ctx), api.AccountPausing{Reason: reason}, "accounts", id, "pause"))
}

// Resume lets go out what a pause has held. It is refused with CodePausedByOperator while the operator's pause stands.
func (a *AccountService) Resume(ctx context.Context, id string) (*Account, error) {
	return part(accountOf)(a.api.post(repeatable(ctx), nil, "accounts", id, "resume"))
}

// Health asks the platform whether an account works.
func (a *AccountService) Health(ctx context.Context, id string) (*AccountHealth, error) {
	return part(func(r *api.HealthResponse) *AccountHealth { return &r.Health })(a.api.get(ctx, nil, "accounts", id, "health"))
}

// HealthOfAll asks the platforms whether accounts work.
func (a *AccountService) HealthOfAll(ctx context.Context, filter AccountFilter) ([]AccountHealth, error) {
	return part(func(r *api.HealthsResponse) []AccountHealth { return r.Results })(
		a.api.get(ctx, &api.CheckAccountsParams{Platform: optional(filter.Platform), BrandID: optional(filter.BrandID)}, "accounts", "health"))
}

// Ways says how accounts of each platform are connected on this server.
func (a *AccountService) Ways(ctx context.Context) ([]ConnectWay, error) {
	return part(func(r *api.ConnectWaysResponse) []ConnectWay { return r.Platforms })(a.api.get(ctx, nil, "connect"))
}

// ConsentRequest says whose consent is asked for, and where the person ends.
type ConsentRequest struct {
	Server   string // of mastodon alone, and required there except for a test key
	Redirect string // one of the workspace's redirects; empty: a page of the server
	BrandID  string
}

// AskConsent begins to connect an account on its platform's page: open the answer's AuthURL in
// the browser of the person whose account it is.
func (a *AccountService) AskConsent(ctx context.Context, platform Platform, request ConsentRequest) (*Consent, error) {
	return read[Consent](a.api.get(ctx, &api.BeginConnectParams{
		Server: optional(request.Server), Redirect: optional(request.Redirect), BrandID: optional(request.BrandID),
	}, "connect", string(platform)))
}

// Entities are what a person who has consented may choose to connect.
func (a *AccountService) Entities(ctx context.Context, platform Platform, selectionToken string) ([]Entity, error) {
	return part(func(r *api.EntitiesResponse) []Entity { return r.Entities })(
		a.api.get(ctx, &api.ListEntitiesParams{SelectionToken: selectionToken}, "connect", string(platform), "entities"))
}

// Select connects what a person has chosen: all of it, or nothing.
func (a *AccountService) Select(ctx context.Context, platform Platform, selection EntitiesSelection) ([]Account, error) {
	return part(func(r *api.AccountsResponse) []Account { return r.Accounts })(
		a.api.post(ctx, selection, "connect", string(platform), "select"))
}

// Credentials are what an account is connected with where its token exists already; which of
// them are needed depends on the platform.
type Credentials struct {
	Server string `json:"server,omitzero"` // of mastodon, bluesky and telegram: their own unless it is another

	AccessToken  string `json:"accessToken,omitzero"`
	RefreshToken string `json:"refreshToken,omitzero"`
	ExpiresAt    string `json:"expiresAt,omitzero"` // RFC 3339
	EntityID     string `json:"entityId,omitzero"`  // of linkedin, pinterest and google-business: what is posted as

	Identifier string `json:"identifier,omitzero"` // of bluesky, with an app password
	Password   string `json:"password,omitzero"`

	BotToken string `json:"botToken,omitzero"` // of telegram, with the channel
	ChatID   string `json:"chatId,omitzero"`

	BrandID string `json:"brandId,omitzero"`
}

// Connect connects an account whose token exists, after the platform has accepted it. A profile
// that is connected already keeps its id and gets the new credentials.
func (a *AccountService) Connect(ctx context.Context, platform Platform, credentials Credentials) (*Account, error) {
	path := []string{"connect", string(platform)}
	if platform == Telegram {
		path = append(path, "channels")
	}
	response, err := read[struct {
		Account  Account
		Accounts []Account // of telegram
	}](a.api.post(repeatable(ctx), credentials, path...))
	if err != nil {
		return nil, err
	}
	if len(response.Accounts) > 0 {
		return &response.Accounts[0], nil
	}
	return &response.Account, nil
}

func accountOf(r *api.AccountResponse) *Account { return &r.Account }
