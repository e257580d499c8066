package googlebusiness

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// place is a location as calls name it.
type place struct{ account, location string } // accounts/{a}, locations/{l}

func (p place) name() string { return p.account + "/" + p.location }

// id is the location's own number.
func (p place) id() string { return strings.TrimPrefix(p.location, "locations/") }

var placeName = regexp.MustCompile(`^(accounts/[0-9A-Za-z_-]+)/(locations/[0-9A-Za-z_-]+)$`)

// placeOf returns the location that credentials are to act for.
func placeOf(credentials schema.Credentials) (place, error) {
	parts := placeName.FindStringSubmatch(credentials.EntityID)
	if parts == nil {
		return place{}, connectors.Refuse("the account names no location of the form accounts/{account}/locations/{location}: connect it again")
	}
	return place{parts[1], parts[2]}, nil
}

// readMask is what is read of a location.
const readMask = "name,title,storefrontAddress,metadata"

// locationInfo is what Google tells of a location.
type locationInfo struct {
	Name    string `json:"name"` // locations/{l}
	Title   string `json:"title"`
	Address struct {
		Lines    []string `json:"addressLines"`
		Locality string   `json:"locality"`
	} `json:"storefrontAddress"`
	Metadata struct {
		// Voice is whether the business may speak for the location; nil: Google does not say.
		Voice *bool `json:"hasVoiceOfMerchant"`
	} `json:"metadata"`
}

// isUnverified reports whether Google says that nobody may post for the location yet.
func (l locationInfo) isUnverified() bool { return l.Metadata.Voice != nil && !*l.Metadata.Voice }

// choice is what a location is called where one is chosen.
func (l locationInfo) choice() string {
	if l.isUnverified() {
		return l.title() + " — not verified: Google takes no posts for it yet"
	}
	return l.title()
}

// title tells a location from others of the same business.
func (l locationInfo) title() string {
	address := strings.Trim(strings.Join(append(l.Address.Lines, l.Address.Locality), ", "), ", ")
	if address == "" {
		return cmp.Or(l.Title, l.Name)
	}
	return cmp.Or(l.Title, l.Name) + " (" + address + ")"
}

// Check returns which location it is, and that the token's owner may manage it.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	place, err := placeOf(credentials)
	if err != nil {
		return connectors.Profile{}, err
	}
	call := c.call(a, credentials, c.information+"/v1/"+place.location, opLocation)
	call.Query = url.Values{"readMask": {readMask}}
	var location locationInfo
	if _, err := c.client.Do(ctx, call, &location); err != nil {
		return connectors.Profile{}, fmt.Errorf("reading location: %w", err)
	}
	if location.Name != place.location {
		return connectors.Profile{}, platform.Strange("names no location")
	}
	return connectors.Profile{NativeID: place.id(), Name: location.title()}, nil
}

const (
	accountPage  = 20  // the most Google gives at once
	locationPage = 100 // as well
	// maxLists bounds how many parts of lists are read: some of their items are left out.
	maxLists = 40
)

// Entities lists the locations that the person manages, by themselves or in a group. One that
// is in several is shown once.
func (c *Connector) Entities(ctx context.Context, a schema.Account, person schema.Credentials) ([]connectors.Entity, error) {
	l := lister{connector: c, account: a, person: person, left: maxLists, entities: []connectors.Entity{}, seen: map[string]bool{}}
	for token, more := "", true; more; {
		call := c.call(a, person, c.accounts+"/v1/accounts", opAccounts)
		call.Query = url.Values{"pageSize": {strconv.Itoa(accountPage)}}
		var accounts []struct {
			Name string `json:"name"` // accounts/{a}
		}
		next, err := l.read(ctx, call, list{"accounts", token, &accounts})
		if err != nil {
			return nil, fmt.Errorf("listing accounts: %w", err)
		}
		for _, account := range accounts {
			if err := l.add(ctx, account.Name); err != nil {
				return nil, fmt.Errorf("listing locations: %w", err)
			}
		}
		token, more = next, next != "" && l.goesOn()
	}
	return l.entities, nil
}

// lister collects locations.
type lister struct {
	connector *Connector
	account   schema.Account
	person    schema.Credentials
	left      int // parts of lists that may be read
	entities  []connectors.Entity
	seen      map[string]bool // locations
}

func (l *lister) goesOn() bool { return l.left > 0 && len(l.entities) < connectors.MaxEntities }

func (l *lister) read(ctx context.Context, call connectors.Call, part list) (next string, err error) {
	l.left--
	next, _, err = l.connector.list(ctx, call, part)
	return next, err
}

// add adds the locations of an account of Google's.
func (l *lister) add(ctx context.Context, account string) error {
	for token, more := "", l.goesOn(); more; {
		call := l.connector.call(l.account, l.person, l.connector.information+"/v1/"+account+"/locations", opLocations)
		call.Query = url.Values{"pageSize": {strconv.Itoa(locationPage)}, "readMask": {readMask}}
		var locations []locationInfo
		next, err := l.read(ctx, call, list{"locations", token, &locations})
		if err != nil {
			return err
		}
		for _, location := range locations {
			credentials := l.person
			credentials.EntityID = account + "/" + location.Name
			place, err := placeOf(credentials)
			if err != nil || l.seen[location.Name] || len(l.entities) == connectors.MaxEntities {
				continue
			}
			l.seen[location.Name] = true
			l.entities = append(l.entities, connectors.Entity{ID: place.id(), Name: location.choice(), Kind: "location", Credentials: credentials})
		}
		token, more = next, next != "" && l.goesOn()
	}
	return nil
}
