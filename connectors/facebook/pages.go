package facebook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// scopeBusiness shows the pages that a person has through a business portfolio alone. An app that was not
// given it must not ask for it: the operator says so by CRIER_FACEBOOK_SCOPES.
const scopeBusiness = "business_management"

// Operations that list pages, as they are called in metrics and logs.
const (
	opPages       = "GET /me/accounts"
	opBusinesses  = "GET /me/businesses"
	opOwnedPages  = "GET /{business}/owned_pages"
	opClientPages = "GET /{business}/client_pages"
)

// listedPage is what a list has of a person's page.
type listedPage struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	AccessToken string   `json:"access_token"` // not there of a portfolio's page on which the person has no role
	Tasks       []string `json:"tasks"`        // that the person may do there; in /me/accounts alone
}

// taskContent is what a person has to be allowed on a page for its token to publish
// (developers.facebook.com/docs/pages-api/overview, tasks).
const taskContent = "CREATE_CONTENT"

const (
	// maxPageLists bounds how many parts of a list are read: some of its pages are left out.
	maxPageLists  = 5
	maxBusinesses = 20
)

// pages collects the pages that a person may publish on.
type pages struct {
	*Connector
	account   schema.Account
	person    schema.Credentials
	entities  []connectors.Entity
	tokenless []string        // names of pages that came without a token
	barred    map[string]bool // ids of pages of whose tasks the person lacks the one that publishes
}

// Entities lists the pages that the person may publish on, each with its own token. Facebook
// shows those that the person has ticked when consenting, and of the portfolios that it lets crier see
// those that are held through them: /me/accounts does not have these.
func (c *Connector) Entities(ctx context.Context, a schema.Account, person schema.Credentials) ([]connectors.Entity, error) {
	p := &pages{Connector: c, account: a, person: person, entities: []connectors.Entity{}, barred: map[string]bool{}}
	if err := p.list(ctx, "me/accounts", opPages); err != nil {
		return nil, err
	}
	if slices.Contains(connectors.SplitScopes(person.Scope), scopeBusiness) {
		if err := p.ofBusinesses(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.entities) == 0 && len(p.tokenless) > 0 {
		return nil, connectors.Refuse("Facebook gives no token for %s: have the portfolio give you access to the page itself, and tick it when consenting",
			strings.Join(p.tokenless[:min(len(p.tokenless), 5)], ", "))
	}
	return p.entities, nil
}

// ofBusinesses lists the pages of the person's portfolios. What one of them refuses to show leaves the
// others.
func (p *pages) ofBusinesses(ctx context.Context) error {
	var listed list[struct {
		ID string `json:"id"`
	}]
	call := p.call(p.account, p.person, http.MethodGet, "me/businesses", opBusinesses)
	call.Query = pageQuery("", "id")
	if _, err := p.client.Do(ctx, call, &listed); err != nil {
		return unlessRefused(fmt.Errorf("listing portfolios: %w", err))
	}
	for _, business := range listed.Data[:min(len(listed.Data), maxBusinesses)] {
		for operation, edge := range map[string]string{opOwnedPages: "/owned_pages", opClientPages: "/client_pages"} {
			if err := unlessRefused(p.list(ctx, url.PathEscape(business.ID)+edge, operation)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unlessRefused is nil for a refusal of what can be done without.
func unlessRefused(err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if ok && (e.Kind == schema.Refused || e.Kind == schema.TokenDead || e.Kind == schema.RateLimited && e.Alone) {
		return nil
	}
	return err
}

func (p *pages) list(ctx context.Context, path, operation string) error {
	next, known, fields := "", slices.Clone(p.entities), "id,name,access_token"
	saysTasks := operation == opPages
	if saysTasks { // a page by itself has no such field, and one that is not there fails a whole call
		fields += ",tasks"
	}
	for range maxPageLists {
		call := p.call(p.account, p.person, http.MethodGet, path, operation)
		call.Query = pageQuery(next, fields)
		var listed list[listedPage]
		if _, err := p.client.Do(ctx, call, &listed); err != nil {
			return fmt.Errorf("listing pages: %w", err)
		}
		if listed.Data == nil {
			return platform.Strange("is no list of pages")
		}
		for _, page := range listed.Data {
			if saysTasks && !slices.Contains(page.Tasks, taskContent) {
				p.barred[page.ID] = true
			}
			p.add(page, known)
		}
		if next = listed.next(); next == "" || len(p.entities) == connectors.MaxEntities {
			break
		}
	}
	return nil
}

// add adds a page on which the person may publish, as far as the lists say, unless an earlier one had it.
// Where no list says what the person may do there, its token shows that they have a role.
func (p *pages) add(page listedPage, known []connectors.Entity) {
	isKnown := slices.ContainsFunc(known, func(e connectors.Entity) bool { return e.ID == page.ID })
	switch {
	case page.ID == "" || isKnown || p.barred[page.ID] || len(p.entities) == connectors.MaxEntities:
	case page.AccessToken == "":
		p.tokenless = append(p.tokenless, page.Name)
	default:
		credentials := p.person
		credentials.AccessToken, credentials.ExpiresAt = page.AccessToken, time.Time{} // a page's has no expiry
		p.entities = append(p.entities, connectors.Entity{ID: page.ID, Name: page.Name, Kind: "page", Credentials: credentials})
	}
}
